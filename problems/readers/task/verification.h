// problems/readers/task/verification.h: how gains are tried in closed loop: `verify:`.
#ifndef PB_TASK_VERIFICATION_H
#define PB_TASK_VERIFICATION_H
#include "control/loop/model_mismatch.h"

DM_BEGIN_C

// Each axis of what is set against the gains alone.
typedef struct pb_sweep {
  int points, samples;
  double times, start; // of the sizes that verify says; of the spread
} pb_sweep;

// Starts that hold.
typedef struct pb_region {
  int directions, halvings, samples;
  double most, rate, confidence;
} pb_region;

// What is set against the gains.
typedef struct pb_robustness {
  bool disturbed; // whether machines differ, or are not seen as they are
  fb_mismatch_settings set;
  double limit; // of inputs, times the largest planned; INFINITY: none
  bool mujoco;  // one more plant
  bool has_sweep, has_region;
  pb_sweep sweep;
  pb_region region;
} pb_robustness;

typedef struct pb_verification {
  int samples;
  unsigned long long seed;
  double *spread_q, *spread_v; // [n]
  double tolerance;
  double *scale;             // [2n] in (q,v)
  double required;           // share of samples that must hold, 0..1
  bool has_start;            // one more start, run with feedback and without:
  int start_hold;            // where the first input leads, held for so many steps,
  double *start_q, *start_v; // [n] and offsets from there
  pb_robustness robust;
} pb_verification;

DM_END_C
#endif
