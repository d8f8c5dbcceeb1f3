// optim/starts/regrid.h: a task on a grid of another number of steps: coarser, to look around
// quickly, or one to compare with.
#ifndef OC_STARTS_REGRID_H
#define OC_STARTS_REGRID_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_regridded {
  oc_task task;    // all but N and the references is borrowed from the task that it was made of
  double *numbers; // the references and margins on the new grid
  oc_output_cost *costs; // those on outputs, with theirs
  oc_output_limit *limits;
} oc_regridded;

// Does the task mean the same on any grid? Not where its cost is a sum over steps, or where terms or
// path constraints of one's own may depend on the step that they are asked at.
bool oc_task_can_regrid(const oc_task *task);

// The task on N >= 1 steps, its references taken between those of its knots. Returns DM_OK, to be
// freed by oc_regridded_free; DM_UNAVAILABLE where it cannot be; DM_NO_MEMORY. Of DM_OK alone
// `out` is set, else it is empty.
dm_status oc_task_regrid(oc_regridded *out, const oc_task *task, int N);
void oc_regridded_free(oc_regridded *r); // accepts an empty one

DM_END_C
#endif
