// problems/readers/task/verification.h: `verify:` as read: tests of a controller in closed loop.
#ifndef PB_TASK_VERIFICATION_H
#define PB_TASK_VERIFICATION_H
#include "control/loop/criteria.h"
#include "control/loop/output_errors.h"
#include "control/loop/robustness.h"
#include "lib/multibody/contact_geometry.h"
#include "problems/readers/model/plants.h"

#include <stdint.h>

DM_BEGIN_C

// The region of attraction: the largest successful size along random directions, found by
// bisection, and the claim that starts inside succeed at a given rate, with a given confidence
// (control/loop/attraction.h).
typedef struct pb_region {
  int directions, halvings; // number of random directions; bisections per direction
  int samples;              // of the claim
  double max_size;          // initial size, relative to the spread
  double rate, confidence;  // 0..1
} pb_region;

// Disturbances of the closed loop: model errors, noise, limits, delay, other plants.
typedef struct pb_robustness {
  bool disturbed; // whether machines have model, actuator or sensor errors
  fb_mismatch_settings set;
  double limit;  // of inputs, relative to the largest planned; INFINITY: none
  bool mujoco;   // an additional plant
  bool exported; // test the exported controller, compiled, on the continuous plant
  bool has_sweep, has_region;
  fb_robustness_settings sweep; // of each axis separately
  pb_region region;
} pb_robustness;

// The times at which an output must be within its bound: key in `verify.tolerance`, word, phrase
// for messages, and duration before the end of a run [s]; NAN: while the end is held.
#define PB_OUTPUT_WHEN(X)                                                                          \
  X(END, "outputs", "end", "at the end", 0)                                                        \
  X(ALONG, "along", "along", "on the way", INFINITY)                                               \
  X(HOLD, "hold", "hold", "while it is held", NAN)

#define PB_NAME_WHEN(name, key, word, text, last) PB_OUTPUT_##name,
typedef enum pb_output_when { PB_OUTPUT_WHEN(PB_NAME_WHEN) PB_OUTPUT_WHENS } pb_output_when;
#undef PB_NAME_WHEN
extern const char *const pb_output_when_words[PB_OUTPUT_WHENS];
extern const char *const pb_output_when_texts[PB_OUTPUT_WHENS];

// The name of an output's bound, and its position in the file.
typedef struct pb_output_tolerance {
  const char *name; // of the output or the row
  pb_output_when when;
  int at[2]; // line and column
} pb_output_tolerance;

// Slip of wheels on MuJoCo's plant.
typedef struct pb_slip {
  double friction; // coefficient between wheels and ground
  double limit;    // a sample fails if a wheel slides farther [m]; INFINITY: none
} pb_slip;

typedef struct pb_verification {
  int samples;
  bool recedes;           // `law: mpc`
  int periods;            // of a sample of periodic phases
  const dm_contact *feet; // [nfeet] contacts of a walk's plant
  int nfeet;              // 0: feet are pinned
  uint64_t seed;
  double *spread_q, *spread_v; // [n]
  double tolerance;            // of the state; INFINITY: none
  bool by_default;             // neither tolerance nor scale is in the file
  fb_output_bounds outputs;    // count 0: no bounds
  fb_output_bound *bounds;     // [outputs.count] outputs.bound
  pb_output_tolerance *named;  // [outputs.count] names of the bounds
  const char **columns;        // [outputs.count] columns in verify.csv, WORD.NAME
  double *scale;               // [2n] in (q,v)
  dm_bounds stops, speeds;     // [n] limits of positions and of |v|, the robot's
  fb_limit_use limits;         // effect of position limits
  pb_slip slip;
  bool dry;                  // smooth friction of the model is dry in the plant
  int spread_at[2];          // line and column of `spread`, or of the section without one
  double required;           // required share of successful samples, 0..1
  bool has_start;            // additional start, run with and without feedback,
  pb_plant start_plant;      // on this plant; PB_PLANTS: the continuous one if it exists:
  int start_hold;            // hold the first input for this many steps,
  double *start_q, *start_v; // [n] then apply these offsets
  pb_robustness robust;
  bool differences;       // encoders report v as a difference of positions
  fb_criterion *criteria; // [ncriteria] rows of the score
  int ncriteria;
} pb_verification;

DM_END_C
#endif
