// control/loop/model_mismatch.h: what stands between a law and a machine that is not its model: a
// machine of other masses, moments, lengths and damping, noise in what is measured and in what the
// motors give, and measurements that come late.
//
// A closed loop (control/loop/closed_loop.h) takes the plant and the sensor of a disturbance in
// place of its own. States are in the model's terms throughout: a robot measures (q,v), and what
// stands in the place of p is the model's M(q) v, for the law as for records. In sample s
//
//   mass of link j         1 + half-width x uniform, and so moments, lengths; damping: added
//   q, v that are seen     those of t - delay, between knots by a step of the plant so far, and noise
//   u that acts            u + noise, as is what a kinematic coordinate is told
//
// each of them times its level. Noise is normal. All numbers are by counter of (seed, s): the
// same whoever runs the sample. At each step p is translated through v, p' = M'(q) M(q)^-1 p, from
// the model's mass matrix M to the machine's M' and back.
//
// A law that knows when a measurement was taken compares it with the plan of then. It is shown the
// plan of now with the error of then: y_d(t) + y(t - delay) - y_d(t - delay), y being (q,p) or (q,v).
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_MODEL_MISMATCH_H
#define FB_LOOP_MODEL_MISMATCH_H
#include "control/feedback/tvlqr.h"
#include "control/loop/plant.h"
#include "lib/multibody/tree.h"

#include <stdint.h>

DM_BEGIN_C

// What a law may have against it. Starts and limits are the caller's to draw and to set.
typedef enum fb_axis {
  FB_START,
  FB_MASS,
  FB_INERTIA,
  FB_LENGTH,
  FB_DAMPING,
  FB_MEASURED_Q,
  FB_MEASURED_V,
  FB_TORQUE,
  FB_LIMIT,
  FB_DELAY,
  FB_AXES
} fb_axis;
extern const char *const fb_axis_names[FB_AXES];

// In what a law compares a late measurement with the plan of then; or, undated, with that of now.
typedef enum fb_dating { FB_UNDATED, FB_DATED_STATE, FB_DATED_VELOCITY } fb_dating;

// Sizes at level 1.
typedef struct fb_mismatch_settings {
  uint64_t seed;
  double half[FB_DAMPING + 1]; // half-widths by axis: of factors; N s/m or N m s; start: not read
  const double *q, *v;         // [n] standard deviations; NULL: none     rad or m, rad/s or m/s
  const double *torque;        // [nu] the same, once a step; NULL: none  N or N m
  double delay;                // of what is measured, >= 0                s
  fb_dating dating;            // of what is late
} fb_mismatch_settings;

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
//   f, s       the schedule, without its sensor, and the model's system; borrowed
//   inner      what sees through the measurement, such as an estimator; NULL: the law itself
// Returns DM_OK or DM_NO_MEMORY.
dm_status fb_mismatch_new(fb_mismatch **out, const fb_tvlqr *f, const dm_system *s,
                          const fb_perturbed_models *machines, const fb_mismatch_settings *set,
                          const fb_sensor *inner);
void fb_mismatch_free(fb_mismatch *w);

// Set the level of an axis. With part >= 0 the machine is no longer drawn: its one error is in that
// part, a link or (damping) a coordinate: the factor 1 + level x half-width.
void fb_mismatch_level(fb_mismatch *w, fb_axis axis, double level, int part);
// All axes alike, machines drawn.
void fb_mismatch_levels(fb_mismatch *w, double level);

// The plant and the sensor that a closed loop takes in place of its own; they end with w, and are
// not to be freed.
fb_plant fb_mismatch_plant(fb_mismatch *w);
fb_sensor fb_mismatch_sensor(fb_mismatch *w);

DM_END_C
#endif
