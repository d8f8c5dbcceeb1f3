// problems/readers/task/balance.h: `balance:`, a place of rest that a controller is to keep.
#ifndef PB_TASK_BALANCE_H
#define PB_TASK_BALANCE_H
#include "problems/readers/task/problem.h"
#include "problems/readers/task/task.h"

extern const pb_key pb_balance_keys[];

// Fill p->rest with the place (lib/discrete/equilibrium.h) at all knots; a NULL node leaves it.
dm_status pb_balance_read(pb_reader *r, const pb_node *node, pb_problem *p);
#endif
