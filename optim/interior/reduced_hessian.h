// optim/interior/reduced_hessian.h: second-order optimality of an iterate of the interior point method:
// the inertia of Z'(W + Sigma)Z, J Z = 0, by that of its own unshifted system,
//
//   inertia [ W + Sigma - eps D   J' ]  =  inertia(Z'(W + Sigma - eps D)Z) + (m, m, 0)
//           [        J            0  ]
//
// Sigma = z/s of each limit, s its distance, is next to nothing where a limit is not active and far
// beyond all curvature where it is, which makes an equation of it. D is the Hessian's own diagonal, so
// that neither the unit of the objective nor those of the variables decide what eps is small against.
//
// One factorization shows a strict minimum. Where it does not, the direction d of least curvature is
// found by inverse iteration, and its curvature compared with what it is known to: the rounding of its
// terms, what d leaves of J d = 0, and what one more Newton step changes in it.
//
// Source: docs/theory.md section 5; [nocedal-wright-2006], theorem 16.3, in docs/sources.md.
#ifndef OC_INTERIOR_REDUCED_HESSIAN_H
#define OC_INTERIOR_REDUCED_HESSIAN_H
#include "optim/interior/barrier.h"
#include "optim/nlp/inertia.h"

// Measure the iterate b.v, y, z_l, z_u, whose Jacobian is there.
//   out        its kind stays unknown where the system cannot be factored
//   curvature  out: at a saddle d'(W + Sigma)d < 0 of the direction d = b->dv [nv]
// Returns DM_OK; DM_CUT_SHORT where
// the deadline is over, DM_NO_MEMORY, or the program's failure. Cost: one Hessian and one factorization
// at a strict minimum; some twenty elsewhere. Steps, trial points and right sides are lost.
dm_status oc_reduced_hessian_measure(oc_barrier *b, oc_inertia *out, double *curvature);
#endif
