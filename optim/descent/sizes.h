// optim/descent/sizes.h: scales of states and inputs for the gains, the steepest direction and the
// goal of a descent, which make them independent of units.
//
// They are those of lib/mechanics/scale.h and input_sizes.h for the settling time of the gains,
// 0.15 of the horizon or task->pace. All coordinates have the momentum scale of the largest
// inertia, so that light and heavy coordinates are held equally stiffly, and limits of inputs do
// not serve as scales.
//
// Source: docs/theory.md section 31.
#ifndef OC_DESCENT_SIZES_H
#define OC_DESCENT_SIZES_H
#include "optim/task/task.h"

DM_BEGIN_C

// Each output may be NULL.
//   q, v, p  [n] rad or m, per s, N m s or N s; for a kinematic coordinate p is v
//   u        [forces, then kinematic coordinates] N m or N, rad or m
// All are > 0 and finite. Returns DM_OK or DM_NO_MEMORY; allocates.
dm_status oc_descent_sizes(const oc_task *task, double *q, double *v, double *p, double *u);

DM_END_C
#endif
