// problems/readers/task/read_reference.h: read the reference of a running cost, `cost: {reference:
// ...}`.
#ifndef PB_TASK_READ_REFERENCE_H
#define PB_TASK_READ_REFERENCE_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_reference_keys[];

// Read the references of a task's cost on its grid; those that are not given, and of a NULL node, stay.
dm_status pb_reference_read(pb_reader *r, const pb_node *node, oc_task *task);

// The first knot at or after a change, given by its time `at` [s] or by the share `fraction` of the
// horizon; the other one is NAN. If both or none are given, or the change is beyond the horizon,
// refuse the node; path: its path.
dm_status pb_reference_change(const pb_reader *r, const char *path, const pb_node *node, double at,
                              double fraction, const oc_task *task, int *knot);

// The times k T/N, k = 0..N, in the arena; NULL if out of memory.
double *pb_grid(const pb_reader *r, int N, double T);
#endif
