// problems/balance.h: `balance:`, a place of rest that a controller is to keep.
#ifndef PB_BALANCE_H
#define PB_BALANCE_H
#include "problems/problem.h"
#include "problems/task.h"

extern const pb_key pb_balance_keys[];

// Fill p->rest with the place (lib/equilibrium.h) at all knots; a NULL node leaves it.
dm_status pb_balance_read(pb_reader *r, const pb_node *node, pb_problem *p);
#endif
