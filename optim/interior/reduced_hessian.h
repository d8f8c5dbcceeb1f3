// optim/interior/reduced_hessian.h: second-order optimality of an iterate of the interior point
// method: the inertia of Z'(W + Sigma)Z, J Z = 0, from that of the KKT matrix without
// regularization,
//
//   [ W + Sigma - eps D     J'   ]      has exactly m negative eigenvalues if and only if
//   [         J           -eps C ]      Z'(W + Sigma - eps D)Z is positive definite
//
// Sigma = z/s for each limit with distance s is negligible if the limit is inactive, and far above
// all curvature if it is active, which makes it an equation. D is the diagonal of the Hessian and C
// = diag(J D^-1 J'); the system is scaled by them, so that the units of the objective, variables
// and rows do not matter.
//
// A strict minimum needs two factorizations. Otherwise inverse iteration finds the direction d of
// least curvature, and its curvature is compared with its uncertainty: the rounding of its terms,
// and the change by one more Newton step.
//
// Source: docs/theory.md section 5; [nocedal-wright-2006], theorem 16.3, in docs/sources.md.
#ifndef OC_INTERIOR_REDUCED_HESSIAN_H
#define OC_INTERIOR_REDUCED_HESSIAN_H
#include "optim/interior/barrier.h"
#include "optim/nlp/inertia.h"

// Measure the iterate b.v, y, z_l, z_u after oc_barrier_evaluate.
//   out        its kind stays unknown if the system cannot be factored
//   curvature  out: at a saddle d'(W + Sigma)d < 0 for the direction d = b->dv [nv]
// Returns DM_OK; DM_CUT_SHORT after the deadline, DM_NO_MEMORY, or the failure of the program.
// Cost: one Hessian, one factorization and up to four solves at a strict minimum; about twenty factorizations
// otherwise. Overwrites everything except the iterate, including derivatives.
dm_status oc_reduced_hessian_measure(oc_barrier *b, oc_inertia *out, double *curvature);
#endif
