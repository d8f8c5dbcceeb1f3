// optim/interior/interior.h: a primal-dual interior point method with a filter line search, ours:
// the same call, statuses and tolerances as IPOPT's (optim/nlp/ipopt.h), without it.
//
// Newton systems are factored stage by stage (stage_kkt.h): time and memory grow with the length of a
// program. A solve keeps everything to itself and gives the same bits at each run; several may run
// at once. What is not warm may begin up to three times from the same point, each time with max_iter
// iterations: where the Hessian's shift comes to 1e6, anew with inputs that go without it; and what
// then ends infeasible or stalled with a barrier parameter of 0.01 in place of 0.1.
//
// Source: [waechter-biegler-2006] in docs/sources.md.
#ifndef OC_INTERIOR_INTERIOR_H
#define OC_INTERIOR_INTERIOR_H
#include "optim/nlp/ipopt.h"

DM_BEGIN_C

// Solve as oc_ipopt_solve does, with the same settings (their `solver` is not read), outcomes and
// figures; info->solver is "stages". Memory is taken before the first iteration.
dm_status oc_interior_solve(const oc_nlp *nlp, const oc_ipopt_settings *set, oc_point *point,
                            oc_iterate *record, int room, oc_ipopt_info *info);

// Measure whether a stationary point with its multipliers, of any solver, is a minimum (the outcome of
// oc_interior_solve says so of its own in info->inertia). Of the settings max_time and stop are read.
//   direction  out: [n] of a saddle, a direction along which the objective falls either way while rows
//              and active limits do not change: to second order by its own size, and where that is 0
//              as long as its largest entry, 1; else zero; NULL: not wanted
// Returns DM_OK; DM_CUT_SHORT where the deadline is over, DM_NO_MEMORY, or the program's failure.
// Allocates. Cost: the order of elimination, a Jacobian, a Hessian and at a strict minimum one
// factorization.
dm_status oc_interior_inertia(const oc_nlp *nlp, const oc_ipopt_settings *set, const oc_point *at,
                              oc_inertia *out, double *direction);

DM_END_C
#endif
