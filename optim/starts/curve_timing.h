// optim/starts/curve_timing.h: a timing for a task whose outputs follow a curve, to begin a
// search with: at which knot they are where.
#ifndef OC_STARTS_CURVE_TIMING_H
#define OC_STARTS_CURVE_TIMING_H
#include "optim/task/task.h"

DM_BEGIN_C

// The place s_k in [0,1] of knot k, as far from a rest at both ends as the task says: a cubic in time
// whose slope is 0 where the task is given at rest and 1, the mean, where it is not.
double oc_curve_timing(const oc_task *task, int k);

typedef struct oc_timed_task {
  oc_task task; // with the rows of the curve as limits y = r(s_k), in place of others on them
  void *room;
} oc_timed_task;

// The task with this timing; of one that follows no curve the task itself. Returns DM_OK, to be freed,
// or DM_NO_MEMORY.
dm_status oc_timed_task_new(oc_timed_task *out, const oc_task *task);
void oc_timed_task_free(oc_timed_task *w);

DM_END_C
#endif
