// lib/second/torque_cost.h: what the forces of a fully actuated tree cost, as a Lagrangian of
// second order.
//
//   C(q,v,a) = sum_i W_i u_i^2 / 2,      u = tau(q,v,a) + damping v - f(q,v)
//
// with the exact Hessian J'WJ + the Hessian of mu.tau, mu = W u held
// (lib/multibody/inverse_dynamics.h), J the first derivatives of u. These are forces on
// coordinates: an input of gear g there is u_i/g, and its square weighs g^2 less.
//
// Source: docs/theory.md sections 12 and 13; paper 003, section 5.1.
#ifndef DM_SECOND_TORQUE_COST_H
#define DM_SECOND_TORQUE_COST_H
#include "lib/mechanics/force.h"
#include "lib/multibody/inverse_dynamics.h"
#include "lib/second/second_order.h"

DM_BEGIN_C

typedef struct dm_torque_cost {
  int n;
  dm_inverse *inverse;
  dm_forces force;       // force.count 0: none
  const double *W;       // [n]
  const double *damping; // [n]
  double *u;             // [n] of the last evaluation: the forces on coordinates  N or N m
  double *J;             // [n x 3n] of the last one of order 2: du/d(q,v,a)
  // scratch
  double *mu, *WJ; // [n], [n x 3n]
  dm_force_jet f;
  dm_force_hessian mf;
  double *zero; // [force.nu]
  void *scratch;
  struct dm_torque_lanes *lanes; // several points at once; NULL: one
} dm_torque_cost;

// A workspace for the tree m with the weights W [n], per (N^2 s) or (N m)^2 s, a potential V and a
// general forces f besides (NULL: none), whose own inputs are zero. Its damping is the model's. V
// and f are copied; m, W, and what V and f point at must outlive it.
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_torque_cost_new(dm_torque_cost **out, const dm_model *m, const dm_potential *V,
                             const dm_forces *f, const double *W);
void dm_torque_cost_free(dm_torque_cost *w);

// u at x = (q,v,a) [3n] into w->u with its derivatives into w->J (order 1), and the Hessian of
// mu.u, too, into H [3n x 3n] (order 2), for limits of u; mu [n] (else NULL). Returns as
// dm_inverse_eval and dm_inverse_contract. Does not allocate.
dm_status dm_torque_cost_forces(dm_torque_cost *w, int order, const double *x, const double *mu,
                                double *H);

// C, for whoever takes a dm_second_order_lagrangian; evaluations do not allocate. Of order 2 they
// return DM_UNAVAILABLE where V has no third derivatives or f no second ones.
dm_second_order_lagrangian dm_torque_cost_lagrangian(dm_torque_cost *w);

DM_END_C
#endif
