// optim/starts/regrid.h: a task on a grid with another number of steps: a coarser one for a quick search, or
// one for comparison.
#ifndef OC_STARTS_REGRID_H
#define OC_STARTS_REGRID_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_regridded {
  oc_task task;    // everything except N and the references is borrowed from the original task
  double *numbers; // the references and margins on the new grid
  oc_output_cost *costs; // the costs on outputs, with their references
  oc_output_limit *limits;
} oc_regridded;

// Is the task the same on any grid? No, if its cost is a plain sum over steps, or if user-defined terms or
// path constraints may depend on the step index.
bool oc_task_can_regrid(const oc_task *task);

// The task on N >= 1 steps, with references interpolated between its knots. Returns DM_OK, to be freed by
// oc_regridded_free; DM_UNAVAILABLE if the task depends on its grid; DM_NO_MEMORY. `out` is empty unless
// DM_OK is returned.
dm_status oc_task_regrid(oc_regridded *out, const oc_task *task, int N);
void oc_regridded_free(oc_regridded *r); // accepts an empty one

DM_END_C
#endif
