// optim/descent/reduced_space.h: the merit of a descent as a function of the inputs of its
// projection. Near the motion (x,u) with gains K, a motion is given by c = (w, theta): changes w of
// the inputs of the closed loop, and of the free entries theta of the start,
//
//   z_0 = G theta,   v = w - K z,   z' = A z + B v
//
// c has N nu + nt entries and no constraint but bounds. Its gradient is that of one adjoint of the
// closed loop, and a product with the Hessian of the direction's problem takes a linear motion and
// an adjoint. The inverse metric M^-1 of a problem W is one solution of optim/descent/search_direction.h.
// An entry at a bound that its gradient would cross stays (Bertsekas, projected Newton methods, 1982).
//
// Source: docs/theory.md section 7.
#ifndef OC_DESCENT_REDUCED_SPACE_H
#define OC_DESCENT_REDUCED_SPACE_H
#include "optim/descent/search_direction.h"

DM_BEGIN_C

// After oc_search_direction_model: the gradient g [N nu + nt], and the entries that stay into
// `fixed` (their g is 0).
void oc_reduced_gradient(oc_search_direction *w, double *g, bool *fixed);

// c = M^-1 g for the metric of the model without its second-order parts; entries of `fixed` stay.
// Changes p->z, p->v. Returns the status of a sweep.
dm_status oc_reduced_precondition(oc_search_direction *w, const double *g, const bool *fixed,
                                  double *c);

// The linear motion of c, into p->z, p->v and p->start->step.
void oc_reduced_expand(oc_search_direction *w, const double *c);

// Hc = W c, all parts of W; entries of `fixed` become 0. Changes p->z, p->v. None of these functions
// allocates.
void oc_reduced_multiply(oc_search_direction *w, const double *c, const bool *fixed, double *Hc);

// The change of c from the motion x to y, whose inputs may have been clamped, with the gains K of x.
void oc_reduced_move(const oc_search_direction *w, const dm_trajectory *x, const dm_trajectory *y,
                     double *c);

DM_END_C
#endif
