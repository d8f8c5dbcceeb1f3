// lib/second/torque_cost.h: the cost of the joint forces of a fully actuated tree, as a Lagrangian
// of second order.
//
//   C(q,v,a) = sum_i W_i u_i^2 / 2,      u = tau(q,v,a) + damping v - f(q,v)
//
// with the exact Hessian: J'WJ plus the Hessian of mu.tau for constant mu = W u
// (lib/multibody/inverse_dynamics.h), J the first derivatives of u. u are forces on coordinates: an
// input with gear g is u_i/g, so the weight of its square is g^2 times smaller in W.
//
// Source: docs/theory.md sections 12 and 13; paper 003, section 5.1.
#ifndef DM_SECOND_TORQUE_COST_H
#define DM_SECOND_TORQUE_COST_H
#include "lib/mechanics/system.h"
#include "lib/multibody/inverse_dynamics.h"
#include "lib/second/second_order.h"

DM_BEGIN_C

typedef struct dm_torque_cost {
  int n;
  dm_inverse *inverse;
  dm_lagrangian L;       // of dm_torque_cost_of; L.eval NULL: inverse dynamics of a tree
  dm_inverse own;        // its results, instead of inverse
  double *L_v, *L_vv;    // [n], [n x n] not used
  dm_forces force;       // force.count 0: none
  const double *W;       // [n]
  const double *damping; // [n]
  double *u;             // [n] last evaluation: forces on coordinates  N or N m
  double *J;             // [n x 3n] last evaluation of order 2: du/d(q,v,a)
  // scratch
  double *mu, *WJ; // [n], [n x 3n]
  dm_force_jet f;
  dm_force_hessian mf;
  double *inputs; // [force.nu] of the general forces; 0, unless the caller sets them
  void *scratch;
  double *zero;                  // [n]
  void *sweep;                   // scratch of L
  struct dm_torque_lanes *lanes; // evaluation at several points at once; NULL: not available
} dm_torque_cost;

// Create a workspace for the tree m with weights W [n], per (N^2 s) or (N m)^2 s, an additional
// potential V and additional general forces f (NULL: none), whose inputs are w->inputs. Damping is
// that of the model. V and f are copied; m, W, and the data of V and f must outlive it. Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_torque_cost_new(dm_torque_cost **out, const dm_model *m, const dm_potential *V,
                             const dm_forces *f, const double *W);
void dm_torque_cost_free(dm_torque_cost *w);

// The same for any system, without its momenta: tau = -L_q(q,v) does not depend on a. Its forces are those
// of dm_torque_cost_forces; it has no Lagrangian C. s is copied; its data must outlive it.
dm_status dm_torque_cost_of(dm_torque_cost **out, const dm_system *s, const double *W);

// u at x = (q,v,a) [3n] into w->u with its derivatives in w->J (order 1), and also the Hessian of
// mu.u, mu [n], into H [3n x 3n] (order 2), for limits on u; otherwise mu may be NULL. Derivatives of
// the general forces by their inputs are then in w->f.f_u and w->mf.qu, vu, uu. Status as
// for dm_inverse_eval and dm_inverse_contract. Does not allocate.
dm_status dm_torque_cost_forces(dm_torque_cost *w, int order, const double *x, const double *mu,
                                double *H);

// C as a dm_second_order_lagrangian; evaluations do not allocate. Order 2 returns DM_UNAVAILABLE if
// V has no third derivatives or f no second ones.
dm_second_order_lagrangian dm_torque_cost_lagrangian(dm_torque_cost *w);

DM_END_C
#endif
