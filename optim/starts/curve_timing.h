// optim/starts/curve_timing.h: an initial timing for a task whose outputs follow a curve: the curve parameter
// at each knot.
#ifndef OC_STARTS_CURVE_TIMING_H
#define OC_STARTS_CURVE_TIMING_H
#include "optim/task/task.h"

DM_BEGIN_C

// The parameter s_k in [0,1] of knot k: a cubic in time. Its slope at an end is 0 if the task prescribes rest
// there, otherwise 1, the mean.
double oc_curve_timing(const oc_task *task, int k);

typedef struct oc_timed_task {
  oc_task task; // the curve rows as limits y = r(s_k) replace other limits on these outputs
  void *room;
} oc_timed_task;

// The task with this timing; a task without a curve is not changed. Returns DM_OK, to be freed, or
// DM_NO_MEMORY.
dm_status oc_timed_task_new(oc_timed_task *out, const oc_task *task);
void oc_timed_task_free(oc_timed_task *w);

DM_END_C
#endif
