// optim/rows/periodic_rows.h: rows of a periodic motion,
//
//   travel_min <= q_N - q_0 <= travel_max          v_N - v_0 = 0
//   lambda_min <= lambda_0 + lambda_N <= lambda_max
//
// They are linear. If the travel leaves L invariant, they imply that the momenta are the same at both ends,
// p_N = p_0 = L_v(q,v). The next N steps under the same inputs are then identical, displaced by the travel.
// The forces of a step are in its own D1 and D2 under any quadrature rule, and need no row. A momentum on
// which nothing acts is the same at both ends by the rows of motion alone. With constraints, p_N may differ
// from L_v by Dh' lambda_N, which the impulse of the next period's first step absorbs: if impulses have
// limits, the sum satisfies them. A row is left free if its values are given, or if it repeats a constraint
// or output at the goal.
//
// Source: docs/theory.md section 26. All functions do nothing if a task is not periodic.
#ifndef OC_ROWS_PERIODIC_ROWS_H
#define OC_ROWS_PERIODIC_ROWS_H
#include "optim/rows/layout.h"

// The number of rows of impulses: all constraints if impulses have limits, else 0.
int oc_periodic_rows_impulses(const oc_task *task);

// Bounds of all rows of a periodic motion (oc_row_kind.bound). Values given at the start are also given at
// the goal, in t->x_min and t->x_max; a kinematic coordinate may have any speed when it arrives at the start.
void oc_periodic_rows_bound(oc_transcription *t, oc_rows_kind kind);

// Free the rows of constraints and outputs at the goal that repeat those at the start, and those of
// velocities whose momenta are conserved (oc_row_kind.settle). DM_BAD_INPUT: an output must have different
// values at the start and at the goal.
dm_status oc_periodic_rows_settle(oc_transcription *t, dm_message *msg);

#endif
