// control/feedback/sensor.h: the interface between a plant and a controller that does not measure
// the state directly.
//
//   x_k -> measure -> the law's estimate of x_k -> u_k -> the plant's step -> act -> x_k+1
//
// An estimator (control/feedback/estimator.h) and a model mismatch (control/loop/model_mismatch.h)
// are sensors; the mismatch may feed the estimator.
#ifndef FB_FEEDBACK_SENSOR_H
#define FB_FEEDBACK_SENSOR_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// In each step of a closed loop (control/loop/closed_loop.h), `measure` is called, then, after the
// plant's step, `act`.
typedef struct fb_sensor {
  void *self; // passed to the functions below
  // Begin a new run, of sample s: only the start of the motion is known.
  void (*begin)(void *self, int s);
  // The controller's estimate of the state x [nx] at knot k, valid until the next call.
  const double *(*measure)(void *self, int k, const double *x);
  // Optional, called before `measure`, which then runs at time t [s] with an x that is age [s] old.
  void (*date)(void *self, double t, double age);
  // The inputs u [nu] were applied at knot k, and led to x [nx], which may be disturbed in place.
  void (*act)(void *self, int k, const double *u, double *x);
  // [nu] Estimated input disturbances, as of the last measurement: the law subtracts
  // them from its output. NULL: none estimated.
  const double *acting;
  // [nl] Torques of motors with a lag, minus the plan's, at the time of the call. NULL: the law keeps them.
  const double *motor;
} fb_sensor;

DM_END_C
#endif
