// problems/readers/task/transcription.h: what a transcription of second order is beside the task:
// `transcription:`.
#ifndef PB_TASK_TRANSCRIPTION_H
#define PB_TASK_TRANSCRIPTION_H
#include "optim/second/torque_transcription.h"

DM_BEGIN_C

typedef struct pb_transcription {
  bool second; // of second order; else of first, and the rest is zero
  oc_torque_transcription_settings action;
  double *w_u; // [nu] of a flow, which has no task: what inputs cost; else NULL
} pb_transcription;

DM_END_C
#endif
