// optim/interior/reduced_hessian.h: second-order optimality of an iterate of the interior point method:
// the inertia of Z'(W + Sigma)Z, J Z = 0, by that of its own system without a shift,
//
//   [ W + Sigma - eps D     J'   ]      has m negative eigenvalues and no more only where
//   [         J           -eps C ]      Z'(W + Sigma - eps D)Z is positive definite
//
// Sigma = z/s of each limit, s its distance, is next to nothing where a limit is not active and far
// beyond all curvature where it is, which makes an equation of it. D is the Hessian's own diagonal and
// C = diag(J D^-1 J'), by which the system is scaled: neither the unit of the objective nor those of
// variables and rows decide what is small.
//
// One factorization shows a strict minimum. Where it does not, the direction d of least curvature is
// found by inverse iteration, and its curvature compared with what it is known to: the rounding of its
// terms, and what one more Newton step changes in it.
//
// Source: docs/theory.md section 5; [nocedal-wright-2006], theorem 16.3, in docs/sources.md.
#ifndef OC_INTERIOR_REDUCED_HESSIAN_H
#define OC_INTERIOR_REDUCED_HESSIAN_H
#include "optim/interior/barrier.h"
#include "optim/nlp/inertia.h"

// Measure the iterate b.v, y, z_l, z_u, which oc_barrier_evaluate was last called for.
//   out        its kind stays unknown where the system cannot be factored
//   curvature  out: at a saddle d'(W + Sigma)d < 0 of the direction d = b->dv [nv]
// Returns DM_OK; DM_CUT_SHORT where the deadline is over, DM_NO_MEMORY, or the program's failure. Cost:
// one Hessian and one factorization at a strict minimum; some twenty elsewhere. All but the iterate is
// lost, derivatives, too.
dm_status oc_reduced_hessian_measure(oc_barrier *b, oc_inertia *out, double *curvature);
#endif
