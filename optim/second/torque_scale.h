// optim/second/torque_scale.h: scales of the variables and rows of a program of second order
// (oc_nlp.scale), from the characteristic scales of its task (lib/mechanics/scale.h).
//
//   q, v, a     q_i, q_i / T, q_i / T^2;   slacks of penalties  q_i
//   forces      p_i / T;   speeds  q_i / T;   bounds  q_i;   outputs from their entries
//
// Source: docs/theory.md section 31.
#ifndef OC_SECOND_TORQUE_SCALE_H
#define OC_SECOND_TORQUE_SCALE_H
#include "optim/second/torque_layout.h"

DM_BEGIN_C

// The function oc_nlp.scale of an oc_torque_transcription.
dm_status oc_torque_scale(void *self, const double *x, double *s, double *r);

DM_END_C
#endif
