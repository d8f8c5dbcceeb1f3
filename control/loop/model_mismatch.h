// control/loop/model_mismatch.h: what stands between a law and a machine that is not its model: a
// machine of other masses, moments, lengths and damping; noise in what is measured and in what the
// motors give; encoders of finite steps; motors that are weak or slow; somebody who pushes;
// measurements that come late, and calls that come late, off their time, or not at all.
//
// A closed loop (control/loop/closed_loop.h) takes the plant and the sensor of a disturbance in
// place of its own. States are in the model's terms throughout: a robot measures (q,v), and what
// stands in the place of p is the model's M(q) v, for the law as for records. In sample s
//
//   mass of link j         1 + half-width x uniform, and so moments, lengths; damping: added
//   dry friction           -F atan(100 v) at each joint
//   q, v that are seen     those of t - delay, between knots by a step of the plant so far, and noise;
//                          to a law that looks a step back those of t - delay - h, too, where the
//                          call before was not shown them
//   q that encoders show   the nearest multiple of their step to q + noise; v, where it is by
//                          differences, (q_k - q_k-1) over the time between the two
//   u that acts            a step's mean of m + noise, T m' = (1 + half-width x uniform) u - m; what
//                          a kinematic coordinate is told: u + noise
//   p                      p + the integral of the pushes, half before a step and half after it
//   calls                  off: asked uniform x off of a step after the knot, with the state of then;
//                          late: acts a uniform share of the rest of the step later; missing: not at
//                          all; what was told before acts until then
//
// each of them times its level. Noise is normal; motors begin at the plan's first input. All numbers are by counter of (seed, s): the
// same whoever runs the sample. At each step p is translated through v, p' = M'(q) M(q)^-1 p, from
// the model's mass matrix M to the machine's M' and back.
//
// A filter and a law are told when they are asked, and how old what they are shown is
// (control/feedback/sensor.h, control/feedback/output_feedback.h): what they make of that is theirs.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_MODEL_MISMATCH_H
#define FB_LOOP_MODEL_MISMATCH_H
#include "control/feedback/tvlqr.h"
#include "control/loop/plant.h"
#include "lib/multibody/tree.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

// What a study of an axis has to know of it.
enum {
  FB_SIGNED = 1, // an error either way
  FB_PARTS = 2,  // of the model, one part of it at a time
  FB_DRAWN = 4   // drawn anew for each sample
};

// What a law may have against it: constant, word, what it is. Starts and limits are the caller's to
// draw and to set; `all` is every other one at once. Numbers are drawn by the place in the list.
#define FB_AXIS_LIST(X)                                                                            \
  X(START, "start", FB_DRAWN)                                                                      \
  X(MASS, "mass", FB_SIGNED | FB_PARTS)                                                            \
  X(INERTIA, "inertia", FB_SIGNED | FB_PARTS)                                                      \
  X(LENGTH, "length", FB_SIGNED | FB_PARTS)                                                        \
  X(DAMPING, "damping", FB_SIGNED | FB_PARTS)                                                      \
  X(MEASURED_Q, "q", FB_DRAWN)                                                                     \
  X(MEASURED_V, "v", FB_DRAWN)                                                                     \
  X(TORQUE, "torque", FB_DRAWN)                                                                    \
  X(LIMIT, "limit", 0)                                                                             \
  X(DELAY, "delay", 0)                                                                             \
  X(QUANTIZED, "encoders", 0)                                                                      \
  X(READINGS, "readings", FB_DRAWN)                                                                \
  X(RESPONSE, "response", FB_SIGNED)                                                               \
  X(LAG, "lag", 0)                                                                                 \
  X(PUSHES, "pushes", FB_DRAWN)                                                                    \
  X(MISSING, "missing", FB_DRAWN)                                                                  \
  X(LATE, "late", FB_DRAWN)                                                                        \
  X(OFF, "off", FB_DRAWN)                                                                          \
  X(FRICTION, "friction", 0)                                                                       \
  X(ALL, "all", FB_DRAWN)

typedef enum fb_axis {
#define X(name, word, what) FB_##name,
  FB_AXIS_LIST(X)
#undef X
      FB_AXES
} fb_axis;
extern const char *const fb_axis_names[FB_AXES];

// Whether an axis is what these flags say.
bool fb_axis_is(fb_axis axis, int flags);

// Somebody pushes: on each coordinate `count` times, Gaussian in time, of random size and sign.
typedef struct fb_pushes {
  int count;            // on each coordinate; 0: nobody does
  double size[2];       // least and largest, at their height                      N or N m
  double width[2];      // least and largest standard deviation in time, > 0       s
  double apart;         // of those on one coordinate, at least                    s
  const double *factor; // [n] of the size, by coordinate; NULL: 1
} fb_pushes;

// Sizes at level 1.
typedef struct fb_mismatch_settings {
  uint64_t seed;
  // By axis: half-widths of factors (masses to lengths, response); of damping, N s/m or N m s;
  // delay and lag, a time constant, in s; probabilities that a call is missing, or late; off, the
  // largest share of a step, < 1. Others are not read.
  double size[FB_AXES];
  const double *q, *v;    // [n] standard deviations; NULL: none          rad or m, rad/s or m/s
  const double *torque;   // [nu] the same, once a step; NULL: none       N or N m
  const double *encoder;  // [n] steps between what encoders can show, 0: any; NULL: any  rad or m
  const double *readings; // [n] standard deviation of what they show; NULL: none         rad or m
  bool differences;       // with encoders or readings, v is what positions differ by over the time
                          // between two measurements
  const double *friction; // [n] of the machine's joints, times atan(100 v); NULL: none  N or N m
  fb_pushes pushes;
} fb_mismatch_settings;

// The size of an axis at level 1, 1 where each coordinate has its own; 0: it is not there.
double fb_mismatch_size(const fb_mismatch_settings *set, fb_axis axis);

// Whether so many pushes, so far apart, have room in T [s].
bool fb_pushes_fit(const fb_pushes *p, double T);

// Where machines come from.
typedef struct fb_perturbed_models {
  void *self;
  int nj; // links (lib/multibody/model.h)
  // The machine that differs so from the model, c NULL: not at all. Its plant and its system are
  // kept by self until the next call.
  dm_status (*build)(void *self, const dm_change *c, const fb_plant **plant,
                     const dm_system **system);
} fb_perturbed_models;

typedef struct fb_mismatch fb_mismatch;

// Make a mismatch, at level 1 on all axes.
//   f, s       the schedule, without its sensor, and the model's system; borrowed. What runs in its
//              place, f->by, is told the times of calls
//   inner      what sees through the measurement, such as an estimator; NULL: the law itself
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for pushes that have no room in the schedule's time.
dm_status fb_mismatch_new(fb_mismatch **out, const fb_tvlqr *f, const dm_system *s,
                          const fb_perturbed_models *machines, const fb_mismatch_settings *set,
                          const fb_sensor *inner);
void fb_mismatch_free(fb_mismatch *w);

// Set the level of an axis. With part >= 0 the machine is no longer drawn: its one error is in that
// part, a link or (damping) a coordinate: the factor 1 + level x half-width; so is the response of
// all motors alike.
void fb_mismatch_level(fb_mismatch *w, fb_axis axis, double level, int part);
// All axes alike, machines drawn.
void fb_mismatch_levels(fb_mismatch *w, double level);

// The plant and the sensor that a closed loop takes in place of its own; they end with w, and are
// not to be freed.
fb_plant fb_mismatch_plant(fb_mismatch *w);
fb_sensor fb_mismatch_sensor(fb_mismatch *w);

DM_END_C
#endif
