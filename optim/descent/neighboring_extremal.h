// optim/descent/neighboring_extremal.h: gains of the second variation: what an optimum's inputs
// become when the state is off by a little, to first order. They lead to neighbouring optima, of
// the same cost and goal.
//
//   minimize  1/2 sum (z,v)'(l'' + zeta.f'')(z,v) + 1/2 z_N'm'' z_N,   z_{k+1} = A z_k + B v_k,
//             E z_N = 0 where there is a goal
//
// with zeta the optimum's adjoint, optim/descent/search_direction.h's problem of Newton's step. The
// goal's multipliers are those that leave least of the cost's slope along inputs: a motion on which
// much is left is no optimum, or one that bounds on states hold. Inputs at their bounds stay there.
//
// Source: docs/theory.md section 22; [bryson-ho-1975] in docs/sources.md.
#ifndef OC_DESCENT_NEIGHBORING_EXTREMAL_H
#define OC_DESCENT_NEIGHBORING_EXTREMAL_H
#include "control/feedback/tvlqr.h"
#include "optim/transcription/task.h"

DM_BEGIN_C

// The gains along an optimum x of a task; a free final time stays as it is.
//   Qf      [2n] diagonal weight on the last deviation in place of a goal that must be met; NULL:
//           the goal is met as far as it can still be reached
//   slope   out: what is left of the cost's slope along inputs, over the size of its terms
//   failed  out: the knot at which there are no gains, or -1
// Returns DM_OK; DM_NOT_DEFINITE where the problem is not convex: x is no minimum, or none that is
// strict; DM_INFEASIBLE where slope is above 1e-3; DM_UNAVAILABLE for a Lagrangian without third
// derivatives; DM_BAD_INPUT without inputs; DM_NO_MEMORY, or a linearization's failure. On anything
// but DM_OK *out is NULL and msg says why.
dm_status oc_neighboring_extremal_gains(fb_tvlqr **out, const oc_task *task, const dm_trajectory *x,
                                        const double *Qf, double *slope, int *failed,
                                        dm_message *msg);

DM_END_C
#endif
