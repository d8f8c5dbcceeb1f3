// control/loop/model_mismatch.h: the difference between a law's model and the machine: other
// masses, moments, lengths and damping; noise in measurements and motor outputs; encoders with
// finite steps; weak or slow motors; pushes; delayed measurements; and calls that are late, off
// their time, or missing.
//
// A closed loop (control/loop/closed_loop.h) uses the plant and the sensor of a mismatch instead of
// its own. States always refer to the model: a robot measures (q,v), and p is the model's M(q) v,
// for the law as for records. In sample s
//
//   mass of link j         1 + half-width x uniform; moments, lengths likewise; damping: added
//   dry friction           -F atan(100 v) at each joint
//   contacts               the world's are higher by half-width x uniform; all coefficients of friction x
//                          (1 + half-width x uniform)
//   parameters of parts    x (1 + half-width x uniform), or x + half-width x uniform (robot.h)
//   parameters of a fit    drawn from its covariance (fitted_machine.h); errors above add to them
//   measured q, v          their values at t - delay, off knots by a step of the plant, with noise;
//                          a law that uses the previous step also gets those at t - delay - h, if
//                          the previous call did not measure them
//   q from encoders        the nearest multiple of their step to q + noise; v, if it is a
//                          difference, (q_k - q_k-1) over the time between the two
//   applied u              a step's mean of m + noise, T m' = (1 + half-width x uniform) u - m, T the
//                          law's own lag of the motor + size x level; for a kinematic coordinate: u + noise
//   p                      p + the integral of the pushes, half before a step and half after it
//   calls                  off: the call is uniform x off of a step after the knot, with the state
//                          then; late: acts a uniform share of the rest of the step later; missing:
//                          does not happen; the previous command acts until then
//
// each multiplied by its level. Noise is normal; motors start at the plan's first
// output. Random
// numbers are a function of (seed, s), so the results do not depend on who runs the sample. At each
// step p is converted through v, p' = M'(q) M(q)^-1 p, from the model's mass matrix M to the
// machine's M' and back.
//
// A filter and a law are told the time of a call and the age of its measurement
// (control/feedback/sensor.h, control/feedback/output_feedback.h); they decide how to use them.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_MODEL_MISMATCH_H
#define FB_LOOP_MODEL_MISMATCH_H
#include "control/feedback/tvlqr.h"
#include "control/loop/fitted_machine.h"
#include "control/loop/plant.h"
#include "lib/multibody/robot.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

// Properties of an axis that a study needs.
enum {
  FB_SIGNED = 1, // the error has a sign
  FB_PARTS = 2,  // the axis varies the model, one part at a time
  FB_DRAWN = 4   // drawn independently for each sample
};

// The disturbances of a law: constant, word, description. The caller draws the starts and sets the
// limits; `all` is all other axes at once. The position in the list selects the random numbers.
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
  X(PART, "parts", FB_SIGNED | FB_PARTS)                                                           \
  X(GROUND, "ground", FB_SIGNED)                                                                   \
  X(GRIP, "grip", FB_SIGNED)                                                                       \
  X(FIT, "fit", FB_DRAWN)                                                                          \
  X(ALL, "all", FB_DRAWN)

typedef enum fb_axis {
#define X(name, word, what) FB_##name,
  FB_AXIS_LIST(X)
#undef X
      FB_AXES
} fb_axis;
extern const char *const fb_axis_names[FB_AXES];

// Whether an axis has these flags.
bool fb_axis_is(fb_axis axis, int flags);

// Pushes: `count` on each coordinate, Gaussian in time, with random size and sign.
typedef struct fb_pushes {
  int count;            // per coordinate; 0: no pushes
  double size[2];       // range of the peak size [N or N m]
  double width[2];      // range of the standard deviation in time, > 0 [s]
  double apart;         // minimum separation on one coordinate [s]
  const double *factor; // [n] multiplies the size, by coordinate; NULL: 1
} fb_pushes;

// An error of a parameter of parts.
typedef struct fb_part_size {
  const char *name; // "springs.heel.stiffness"
  dm_part_at at;
  double size; // half-width: relative, or in the parameter's unit if errors are added
} fb_part_size;

// Sizes at level 1.
typedef struct fb_mismatch_settings {
  uint64_t seed;
  // By axis: half-widths of factors (masses to lengths, grip, response); of damping, N s/m or N m s; of the ground, m;
  // delay and lag, a time constant, in s; probabilities that a call is missing or late; off, the
  // largest share of a step, < 1. Entries of other axes are not read.
  double size[FB_AXES];
  const double *q, *v;    // [n] standard deviations; NULL: none          rad or m, rad/s or m/s
  const double *torque;   // [nu] the same, once a step; NULL: none       N or N m
  const double *encoder;  // [n] encoder steps, 0: continuous; NULL: all continuous [rad or m]
  const double *readings; // [n] standard deviation of encoder readings; NULL: none [rad or m]
  bool differences;       // with encoders or readings, v is the difference of positions over the
                          // time between two measurements
  const double *friction; // [n] of the machine's joints, times atan(100 v); NULL: none  N or N m
  fb_pushes pushes;
  const bool *undamped; // [n] coordinates to which no damping is added, such as a clock; NULL: none
  int nparts;
  const fb_part_size *part; // [nparts]
  const fb_fitted *fit;     // machines have its parameters; NULL: none
} fb_mismatch_settings;

// The size of an axis at level 1; 1 if each coordinate or part has its own; 0: the axis is absent.
double fb_mismatch_size(const fb_mismatch_settings *set, fb_axis axis);

// The largest relative error of an axis at level 1, whose factors 1 - error must stay positive; 0:
// its errors are no factors of the model.
double fb_mismatch_share(const fb_mismatch_settings *set, fb_axis axis);

// Whether this many pushes with this separation fit into T [s].
bool fb_pushes_fit(const fb_pushes *p, double T);

// Provides machines.
typedef struct fb_perturbed_models {
  void *self;
  int nj; // links (lib/multibody/model.h)
  // The machine with the differences c from the model; c NULL: none, but dry friction of its joints
  // (lib/multibody/joint_force.h) acts. Self keeps its plant and its
  // system until the next call.
  dm_status (*build)(void *self, const dm_change *c, const fb_plant **plant,
                     const dm_system **system);
} fb_perturbed_models;

typedef struct fb_mismatch fb_mismatch;

// Make a mismatch, with all axes at level 1.
//   f, s       the schedule, without its sensor, and the model's system; borrowed. The controller
//              that replaces it, f->by, gets the times of calls
//   inner      a sensor behind the measurement, such as an estimator; NULL: none
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for pushes that do not fit into the schedule's time.
dm_status fb_mismatch_new(fb_mismatch **out, const fb_tvlqr *f, const dm_system *s,
                          const fb_perturbed_models *machines, const fb_mismatch_settings *set,
                          const fb_sensor *inner);
void fb_mismatch_free(fb_mismatch *w);

// Set the level of an axis. With part >= 0 the machine is not drawn: its only error is in that
// part, a link, a coordinate (for damping) or a parameter of parts, with the factor 1 + level x half-width; the response
// of all motors, the ground and the grip likewise.
void fb_mismatch_level(fb_mismatch *w, fb_axis axis, double level, int part);
// All axes at one level, machines drawn.
void fb_mismatch_levels(fb_mismatch *w, double level);

// The plant and the sensor that a closed loop uses instead of its own; they are valid as long as w;
// do not free them.
fb_plant fb_mismatch_plant(fb_mismatch *w);
fb_sensor fb_mismatch_sensor(fb_mismatch *w);

DM_END_C
#endif
