// problems/readers/task/read_balance.h: read `balance:`, an equilibrium for a controller to hold.
#ifndef PB_TASK_READ_BALANCE_H
#define PB_TASK_READ_BALANCE_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_balance_keys[];

// Find the equilibrium (lib/discrete/equilibrium.h) and store it at all knots of a motion. Free it
// with dm_trajectory_free whatever is returned; a NULL node leaves *rest unchanged. The task's
// system and input limits must be set.
dm_status pb_balance_read(pb_reader *r, const pb_node *node, const oc_task *task,
                          dm_trajectory **rest);
#endif
