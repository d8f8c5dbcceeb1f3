// optim/descent/sizes.h: the sizes of states and inputs that a descent's gains, its steepest direction
// and its goal are weighed by, so that they do not depend on units.
//
// They are those of lib/mechanics/scale.h and input_sizes.h for the time in which gains bring a motion
// back, 0.15 of the horizon or task->pace. All coordinates have the momentum of the largest inertia among them, so that
// light ones are held as stiffly as heavy ones, and limits of inputs are no sizes.
//
// Source: docs/theory.md section 31.
#ifndef OC_DESCENT_SIZES_H
#define OC_DESCENT_SIZES_H
#include "optim/transcription/task.h"

DM_BEGIN_C

// Each of these may be NULL: it is not asked for.
//   q, v, p  [n] rad or m, per s, N m s or N s; of a kinematic coordinate p is v
//   u        [forces, then kinematic coordinates] N m or N, rad or m
// All are > 0 and finite. Returns DM_OK or DM_NO_MEMORY; allocates.
dm_status oc_descent_sizes(const oc_task *task, double *q, double *v, double *p, double *u);

DM_END_C
#endif
