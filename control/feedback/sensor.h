// control/feedback/sensor.h: what stands between a plant and a controller that is not given the
// state: an interface.
//
//   x_k -> measure -> what the law takes for x_k -> u_k -> the plant's step -> act -> x_k+1
//
// An estimator (control/feedback/estimator.h) and a model mismatch (control/loop/model_mismatch.h)
// are sensors, and the second may stand before the first.
#ifndef FB_FEEDBACK_SENSOR_H
#define FB_FEEDBACK_SENSOR_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// In each step of a closed loop (control/loop/closed_loop.h) `measure` is called, then, once the plant
// has stepped, `act`.
typedef struct fb_sensor {
  void *self; // what the functions below are called with
  // A new run, of sample s: nothing is known but where the motion begins.
  void (*begin)(void *self, int s);
  // What the controller takes the state x [nx] of knot k for, valid until the next call.
  const double *(*measure)(void *self, int k, const double *x);
  // Optional; before `measure`: that is called at time t [s], and what x shows of it is age [s] old.
  void (*date)(void *self, double t, double age);
  // The inputs u [nu] were applied at knot k, and led to x [nx], which is disturbed in place.
  void (*act)(void *self, int k, const double *u, double *x);
  // [nu] What acts beside the inputs, as of the last measurement: the law takes it off what it asks
  // for. NULL: nothing is known of it.
  const double *acting;
} fb_sensor;

DM_END_C
#endif
