// optim/program/program_scale.h: the sizes of a program's variables and rows (oc_nlp.scale).
//
// Positions, velocities, the step and rows of motion have the sizes of the robot and task
// (lib/mechanics/scale.h). The sizes of inputs and impulses follow from their columns, those of constraint
// rows, limits and outputs from their entries; they are the same at all knots.
#ifndef OC_PROGRAM_PROGRAM_SCALE_H
#define OC_PROGRAM_PROGRAM_SCALE_H
#include "lib/mechanics/scale.h"
#include "optim/rows/layout.h"

DM_BEGIN_C

// The characteristic magnitudes of a task; `time` [s] is used if the task has no time. Returns DM_OK or
// DM_NO_MEMORY; free with dm_scale_free.
dm_status oc_task_scale(dm_scale **out, const oc_task *task, double time);

// The same for a program's variables: positions and speeds are 0.3 times these sizes, momenta are unchanged.
dm_status oc_program_sizes(dm_scale **out, const oc_task *task);

// The function oc_nlp.scale of an oc_transcription.
dm_status oc_transcription_scale(void *self, const double *x, double *s, double *r);

// The longest distance between positions that n tasks give for a coordinate that is a length; 0: none.
double oc_program_reach(const oc_task *const *task, int n);

DM_END_C
#endif
