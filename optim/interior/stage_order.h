// optim/interior/stage_order.h: at which step each unknown of a Newton system is eliminated, from
// the knots at which the program's variables stand.
//
// An equation is eliminated with the last knot it sees: D2(k-1) + D1(k) = 0 then has q_{k+1} for a
// partner, by the block D12 that a step of the map solves with. What has no curvature of its own,
// a constraint's impulse, waits for the first of its rows. What is everywhere, a free step, comes
// last.
#ifndef OC_INTERIOR_STAGE_ORDER_H
#define OC_INTERIOR_STAGE_ORDER_H
#include "optim/interior/sparse_sum.h"

// Give each unknown its step, from 1.
//   n, m       variables, rows
//   hess, jac  the patterns
//   knot       of each variable, -1: everywhere          [n]
//   step       out: of each variable, then of each row   [n + m]
//   first      scratch                                   [n]
// Returns the last step. Cost: linear in the entries.
int oc_stage_order(int n, int m, const oc_sparse_sum *hess, const oc_sparse_sum *jac,
                   const int *knot, int *step, int *first);
#endif
