// optim/rows/periodic_rows.h: rows of a motion that ends as it began,
//
//   travel_min <= q_N - q_0 <= travel_max          v_N - v_0 = 0
//   lambda_min <= lambda_0 + lambda_N <= lambda_max
//
// They are linear. Where the travel changes nothing in L they say that the momenta of the map are
// the same at both ends, p_N = p_0 = L_v(q,v): its next N steps under the same inputs are then the
// same again, that way further. The forces of a step are in its own D1 and D2, by whatever rule, and
// need no row. A momentum that nothing acts on is the same at both ends by the rows of motion alone. Of
// constraints p_N may differ from L_v by Dh' lambda_N, which the impulse of the next
// period's first step takes up: where impulses have limits the sum keeps to them. What a row would say of values that are given, or a constraint or output at the goal
// says for the second time, is left free.
//
// Source: docs/theory.md section 26. Every function does nothing where a task is not periodic.
#ifndef OC_ROWS_PERIODIC_ROWS_H
#define OC_ROWS_PERIODIC_ROWS_H
#include "optim/rows/layout.h"

// The number of rows of impulses: all constraints if impulses have limits, else 0.
int oc_periodic_rows_impulses(const oc_task *task);

// Bounds of all rows of a periodic motion (oc_row_kind.bound). Values that are given at the start are also
// given at the goal, in t->x_min and t->x_max; a kinematic coordinate comes to the start with any speed.
void oc_periodic_rows_bound(oc_transcription *t, oc_rows_kind kind);

// Free the rows of constraints and outputs at the goal that say the same as those at the start, and
// those of velocities whose momenta nothing changes: of dependent rows solvers find no multipliers.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg where an output is to have
// one value at the start and another at the goal.
dm_status oc_periodic_rows_free_repeated(oc_transcription *t, dm_message *msg);

#endif
