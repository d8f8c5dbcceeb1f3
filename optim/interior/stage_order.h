// optim/interior/stage_order.h: assigns to each unknown of a Newton system the step of its
// elimination, from the knots of the program's variables.
//
// An equation is eliminated with the last knot in it: D2(k-1) + D1(k) = 0 is then paired with
// q_{k+1} through the block D12 of a step of the map. An unknown without curvature, such as a
// constraint impulse, is eliminated with the first of its rows. An unknown that adds nothing to the
// front of the previous step is eliminated there: an inequality, and the velocity of a knot with
// the rows that define it. An unknown that appears everywhere, such as a free step, comes last.
#ifndef OC_INTERIOR_STAGE_ORDER_H
#define OC_INTERIOR_STAGE_ORDER_H
#include "optim/interior/sparse_sum.h"

#include <stdbool.h>

// The pattern of a Newton system, borrowed.
typedef struct oc_stage_pattern {
  int n, m; // variables, rows
  oc_sparse_sum *hess, *jac;
  const int *knot;       // of each variable, -1: everywhere; NULL: unknown [n]
  const bool *has_slack; // of each row: true for an inequality            [m]
  const int *own_row;    // of each variable, the row that defines it (oc_nlp), or -1; NULL: none
} oc_stage_pattern;

// Assign a step to each unknown, starting at 1; p->knot must be known.
//   step  out: of each variable, then of each row   [n + m]
//   work  scratch                                   [2 (n + m)]
// Returns the last step. Cost: linear in the number of entries.
int oc_stage_order(const oc_stage_pattern *p, int *step, int *work);
#endif
