// problems/readers/task/transcription.h: `transcription:` as read: settings of second-order and
// third-order transcriptions in addition to the task.
#ifndef PB_TASK_TRANSCRIPTION_H
#define PB_TASK_TRANSCRIPTION_H
#include "lib/second/polynomial.h"
#include "optim/second/torque_transcription.h"

DM_BEGIN_C

typedef struct pb_transcription {
  bool second; // second or third order (action.rule.k); else first order, and the rest is zero
  oc_torque_transcription_settings action; // refers to the next member, if set
  dm_polynomial *own;                      // `cost.lagrangian`, or NULL
  double *w_u; // [nu] for a flow without a task: weights of inputs; else NULL
} pb_transcription;

// The name of the order: first-order, second-order, third-order.
static inline const char *pb_transcription_order(const pb_transcription *t) {
  if (!t->second) return "first-order";
  return t->action.rule.k > 2 ? "third-order" : "second-order";
}

DM_END_C
#endif
