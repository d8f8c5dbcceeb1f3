// lib/effort.h: what the forces of a fully actuated tree cost, as a Lagrangian of second order.
//
//   C(q,v,a) = sum_i W_i u_i^2 / 2,      u = tau(q,v,a) + damping v
//
// with the exact Hessian J'WJ + the Hessian of mu.tau, mu = W u held (lib/inverse.h), J the first
// derivatives of u.
//
// Source: docs/theory.md sections 12 and 13; paper 003, section 5.1.
#ifndef DM_LIB_EFFORT_H
#define DM_LIB_EFFORT_H
#include "lib/inverse.h"
#include "lib/second.h"

typedef struct dm_effort {
  dm_inverse *inverse;
  const double *W;       // [n]
  const double *damping; // [n]
  double *u, *mu;        // [n] of the last evaluation: the forces, and W u
  double *J, *WJ;        // [n x 3n]
} dm_effort;

// A workspace for the tree m with a potential V besides (NULL: none) and the weights W [n], per
// (N^2 s) or (N m)^2 s; m, what V points at, and W must outlive it. Its damping is the model's.
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_effort_new(dm_effort **out, const dm_model *m, const dm_potential *V, const double *W);
void dm_effort_free(dm_effort *w);

// C, for whoever takes a dm_second_lagrangian; evaluations do not allocate. Of order 2 they return
// DM_UNAVAILABLE where V has no third derivatives.
dm_second_lagrangian dm_effort_lagrangian(dm_effort *w);
#endif
