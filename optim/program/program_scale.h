// optim/program/program_scale.h: the sizes of a program's variables and rows (oc_nlp.scale).
//
// Positions, velocities, the step and rows of motion have those of robot and task (lib/mechanics/scale.h);
// inputs and impulses what their columns say, rows of constraints, limits and outputs what their entries say,
// the same at all knots.
#ifndef OC_PROGRAM_PROGRAM_SCALE_H
#define OC_PROGRAM_PROGRAM_SCALE_H
#include "lib/mechanics/scale.h"
#include "optim/rows/layout.h"

DM_BEGIN_C

// The characteristic numbers of a task; of one without a time by this one [s]. Returns DM_OK or DM_NO_MEMORY; for
// dm_scale_free.
dm_status oc_task_scale(dm_scale **out, const oc_task *task, double time);

// The same of a program's variables: positions and speeds have 0.3 of these sizes, momenta all of them.
dm_status oc_program_sizes(dm_scale **out, const oc_task *task);

// As oc_nlp.scale, of an oc_transcription.
dm_status oc_transcription_scale(void *self, const double *x, double *s, double *r);

DM_END_C
#endif
