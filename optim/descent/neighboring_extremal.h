// optim/descent/neighboring_extremal.h: gains from the second variation: the first-order change of
// an optimum's inputs for a small deviation of the state. They lead to neighboring optima with the
// same cost and goal.
//
//   minimize  1/2 sum (z,v)'(l'' + zeta.f'')(z,v) + 1/2 z_N'm'' z_N,   z_{k+1} = A z_k + B v_k,
//             E z_N = 0 with a goal
//
// where zeta is the adjoint of the optimum and the problem is that of Newton's step in
// optim/descent/search_direction.h. The multipliers of the goal minimize the remaining slope of the
// cost along the inputs: if much remains, the motion is not an optimum, or bounds on states are
// active. Inputs at their bounds do not change.
//
// Source: docs/theory.md section 22; [bryson-ho-1975] in docs/sources.md.
#ifndef OC_DESCENT_NEIGHBORING_EXTREMAL_H
#define OC_DESCENT_NEIGHBORING_EXTREMAL_H
#include "control/feedback/tvlqr.h"
#include "optim/task/task.h"

DM_BEGIN_C

// Compute the gains along an optimum x of a task; a free final time is kept fixed.
//   Qf      [2n] diagonal weight on the last deviation instead of a goal constraint; NULL: the goal
//           is met as far as it can still be reached
//   slope   out: remaining slope of the cost along inputs relative to its terms
//   failed  out: the knot without gains, or -1
// Returns DM_OK; DM_NOT_DEFINITE if the problem is not convex, i.e. x is not a strict minimum;
// DM_INFEASIBLE if slope > 1e-3; DM_UNAVAILABLE for a Lagrangian without third derivatives;
// DM_BAD_INPUT without inputs; DM_NO_MEMORY, or the failure of a linearization. If not DM_OK, *out
// is NULL and msg explains.
dm_status oc_neighboring_extremal_gains(fb_tvlqr **out, const oc_task *task, const dm_trajectory *x,
                                        const double *Qf, double *slope, int *failed,
                                        dm_message *msg);

DM_END_C
#endif
