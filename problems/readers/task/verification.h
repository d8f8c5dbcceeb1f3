// problems/readers/task/verification.h: how gains are tried in closed loop: `verify:`.
#ifndef PB_TASK_VERIFICATION_H
#define PB_TASK_VERIFICATION_H
#include "control/loop/criteria.h"
#include "control/loop/output_errors.h"
#include "control/loop/robustness.h"
#include "problems/readers/model/plants.h"

#include <stdint.h>

DM_BEGIN_C

// The region of attraction: how far along random directions starts succeed, by bisection, and the
// claim that starts within it succeed at a rate, with a confidence (control/loop/attraction.h).
typedef struct pb_region {
  int directions, halvings; // of random directions; of the bracket on each
  int samples;              // of the claim
  double max_size;          // size that is tried first, times the spread
  double rate, confidence;  // 0..1
} pb_region;

// What gains are tried against: errors of the model, noise, limits, delay, other plants.
typedef struct pb_robustness {
  bool disturbed; // whether machines differ, or are not seen as they are
  fb_mismatch_settings set;
  double limit;  // of inputs, times the largest planned; INFINITY: none
  bool mujoco;   // one more plant
  bool exported; // the law that is exported, compiled, on the continuous plant
  bool has_sweep, has_region;
  fb_robustness_settings sweep; // of each axis alone
  pb_region region;
} pb_robustness;

// When an output is to be within its bound: its key in `verify.tolerance`, how a sentence says it, and
// for how long before the end of a run [s]; NAN: for as long as the end is held.
#define PB_OUTPUT_WHEN(X)                                                                          \
  X(END, "outputs", "end", "at the end", 0)                                                        \
  X(ALONG, "along", "along", "on the way", INFINITY)                                               \
  X(HOLD, "hold", "hold", "while it is held", NAN)

#define PB_NAME_WHEN(name, key, word, text, last) PB_OUTPUT_##name,
typedef enum pb_output_when { PB_OUTPUT_WHEN(PB_NAME_WHEN) PB_OUTPUT_WHENS } pb_output_when;
#undef PB_NAME_WHEN
extern const char *const pb_output_when_words[PB_OUTPUT_WHENS];
extern const char *const pb_output_when_texts[PB_OUTPUT_WHENS];

// What the bound of an output is called, and where it stands.
typedef struct pb_output_tolerance {
  const char *name; // of the output or the row
  pb_output_when when;
  int at[2]; // line and column
} pb_output_tolerance;

typedef struct pb_verification {
  int samples;
  uint64_t seed;
  double *spread_q, *spread_v; // [n]
  double tolerance;            // of the state; INFINITY: none
  bool by_default;             // neither it nor scale is in the file
  fb_output_bounds outputs;    // count 0: none have bounds
  fb_output_bound *bounds;     // [outputs.count] outputs.bound
  pb_output_tolerance *named;  // [outputs.count] what they are called
  const char **columns;        // [outputs.count] and their columns in verify.csv, WORD.NAME
  double *scale;               // [2n] in (q,v)
  double *q_min, *q_max;       // [n] limits of positions, the robot's stops; INFINITY: none
  double *v_max;               // [n] of |v|, the robot's
  fb_limit_use limits;         // what those of positions do
  int spread_at[2];            // line and column of `spread`, or of the section without one
  double required;             // share of samples that must hold, 0..1
  bool has_start;              // one more start, run with feedback and without,
  pb_plant start_plant;        // on this plant; PB_PLANTS: the continuous one where there is one:
  int start_hold;              // where the first input leads, held for so many steps,
  double *start_q, *start_v;   // [n] and offsets from there
  pb_robustness robust;
  bool differences;       // encoders show v as a difference of positions
  fb_criterion *criteria; // [ncriteria] rows of a score
  int ncriteria;
} pb_verification;

DM_END_C
#endif
