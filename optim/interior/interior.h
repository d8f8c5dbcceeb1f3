// optim/interior/interior.h: a primal-dual interior point method with a filter line search, with
// the interface, statuses and tolerances of IPOPT (optim/nlp/ipopt.h), but independent of it.
//
// Newton systems are factored stage by stage (stage_kkt.h): time and memory are linear in the
// length of a program. A solve has no global state and gives bitwise equal results in each run;
// several may run at once. A cold start may run up to three times from the same point, each time
// with max_iter iterations: if the Hessian's shift reaches 1e6, again with inputs excluded from the
// shift; and if that ends infeasible or stalled, with the barrier parameter 0.01 instead of 0.1.
//
// Source: [waechter-biegler-2006] in docs/sources.md.
#ifndef OC_INTERIOR_INTERIOR_H
#define OC_INTERIOR_INTERIOR_H
#include "optim/nlp/ipopt.h"

DM_BEGIN_C

// The workspace of a program's solves: patterns, elimination order, factors. It belongs to one thread.
typedef struct oc_interior oc_interior;

// Make a workspace; the program is borrowed. Later solves may use other values of fixed variables
// and bounds, as long as the same variables are fixed and the same bounds finite. Returns DM_OK,
// DM_NO_MEMORY, or the failure of the program.
dm_status oc_interior_new(oc_interior **out, const oc_nlp *nlp);
void oc_interior_free(oc_interior *w); // accepts NULL

// oc_interior_solve in a workspace. Allocates only if ldl is needed or a solve ends without
// solution.
dm_status oc_interior_run(oc_interior *w, const oc_options *options, const oc_hooks *hooks,
                          oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

// Solve as oc_ipopt_solve does, with the same options (not `linear` and `ipopt`), outcomes and
// statistics; info->solver is "stages". Memory is allocated before the first iteration.
dm_status oc_interior_solve(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                            oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

// Check whether a stationary point with its multipliers, from any solver, is a minimum
// (oc_interior_solve reports this for its own result in info->inertia). Uses max_time and the
// hook stop.
//   direction  out: [n] at a saddle, a direction along which the objective decreases both ways with
//              constant rows and active limits, scaled so that the decrease is of the size of the
//              objective to second order, or, if the objective is 0, to largest entry 1; else zero;
//              may be NULL
// Returns DM_OK; DM_CUT_SHORT after the deadline, DM_NO_MEMORY, or the failure of the program.
// Allocates. Cost: an elimination order, a Jacobian, a Hessian and at a strict minimum one
// factorization.
dm_status oc_interior_inertia(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                              const oc_point *at, oc_inertia *out, double *direction);

DM_END_C
#endif
