// problems/readers/task/read_balance.h: `balance:`, a place of rest that a controller is to keep.
#ifndef PB_TASK_READ_BALANCE_H
#define PB_TASK_READ_BALANCE_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_balance_keys[];

// The place (lib/discrete/equilibrium.h) at all knots of a motion, to be freed by
// dm_trajectory_free whatever is returned; a NULL node leaves *rest. The task's system and limits of
// inputs are there.
dm_status pb_balance_read(pb_reader *r, const pb_node *node, const oc_task *task,
                          dm_trajectory **rest);
#endif
