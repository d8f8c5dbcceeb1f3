// optim/interior/stage_order.h: at which step each unknown of a Newton system is eliminated, from
// the knots at which the program's variables stand.
//
// An equation is eliminated with the last knot it sees: D2(k-1) + D1(k) = 0 then has q_{k+1} for a
// partner, by the block D12 that a step of the map solves with. What has no curvature of its own,
// a constraint's impulse, waits for the first of its rows. What adds nothing to the front of the
// step before is eliminated there: an inequality, and a knot's velocity with the rows that define
// it. What is everywhere, a free step, comes last.
#ifndef OC_INTERIOR_STAGE_ORDER_H
#define OC_INTERIOR_STAGE_ORDER_H
#include "optim/interior/sparse_sum.h"

#include <stdbool.h>

// The pattern of a Newton system, borrowed.
typedef struct oc_stage_pattern {
  int n, m; // variables, rows
  oc_sparse_sum *hess, *jac;
  const int *knot;       // of each variable, -1: everywhere; NULL: not known [n]
  const bool *has_slack; // of each row: is it an inequality?                 [m]
} oc_stage_pattern;

// Give each unknown its step, from 1; p->knot is known.
//   step  out: of each variable, then of each row   [n + m]
//   work  scratch                                   [2 (n + m)]
// Returns the last step. Cost: linear in the entries.
int oc_stage_order(const oc_stage_pattern *p, int *step, int *work);
#endif
