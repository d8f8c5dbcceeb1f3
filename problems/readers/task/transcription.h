// problems/readers/task/transcription.h: what a transcription of second order, or of third, is
// beside the task: `transcription:`.
#ifndef PB_TASK_TRANSCRIPTION_H
#define PB_TASK_TRANSCRIPTION_H
#include "lib/second/polynomial.h"
#include "optim/second/torque_transcription.h"

DM_BEGIN_C

typedef struct pb_transcription {
  bool second; // of second order or of third (action.rule.k); else of first, and the rest is zero
  oc_torque_transcription_settings action; // its own Lagrangian is the next:
  dm_polynomial *own;                      // `cost.lagrangian`, or NULL
  double *w_u; // [nu] of a flow, which has no task: what inputs cost; else NULL
} pb_transcription;

// The order in words: first-order, second-order, third-order.
static inline const char *pb_transcription_order(const pb_transcription *t) {
  if (!t->second) return "first-order";
  return t->action.rule.k > 2 ? "third-order" : "second-order";
}

DM_END_C
#endif
