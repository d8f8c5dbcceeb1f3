// lib/multibody/inverse_dynamics.h: inverse dynamics of a tree and its derivatives: the forces tau
// for given accelerations a, by recursions over the joints.
//
//   tau(q,v,a) = L_vv a + L_vq v - L_q
//
// Spatial vectors are in the world frame, as in lib/multibody/tree_lagrangian.h. For bodies b with
// motion V and momentum h_b = I_b V_b:
//
//   A_i = A_p(i) + S_i a_i + Sd_i v_i, A_0 = -g    Sdd_i = [A_i,S_i] + [V_i,Sd_i]
//   F_b = I_b A_b + V_b x* h_b                     J_b = V_b x*(I_b .) - I_b [V_b,.]
//
// J_b has the form of an inertia. Symbols without a body index are composites over the subtree of
// i; tau_i = S_i.F. With
//
//   a = I S_i    b = J S_i - S_i x* h    c = 2 I Sd_i + J S_i + S_i x* h
//   d = I Sdd_i + J Sd_i + Sd_i x* h + S_i x* F
//
// each pair j <= i (j is i or an ancestor of i) is a dot product with j's own vectors:
//
//   dtau_i/dq_j = Sdd_j.a + Sd_j.b    dtau_i/dv_j = 2 Sd_j.a + S_j.b    dtau_i/da_j = S_j.a
//   dtau_j/dq_i = S_j.d               dtau_j/dv_i = S_j.c
//
// The contraction mu.tau has the same structure along the virtual motion W_i = W_p(i) + S_i mu_i.
// With Sw_i = [W_i,S_i], N_b = I_b W_b, P_b = J_b W_b - W_b x* h_b, and K_b, the J of W_b,
//
//   (mu.tau)_q,i = Sdd_i.N + Sd_i.P + Sw_i.F    (mu.tau)_v,i = 2 Sd_i.N + S_i.P
//   (mu.tau)_a,i = S_i.N
//
// and, with e = S_i x* N - K S_i, f = S_i x* N + I Sw_i, and
// g = Sd_i x* N + S_i x* P - K Sd_i + J Sw_i - Sw_i x* h,
//
//   d2/dq_i dq_j = Sdd_j.f + Sd_j.g + Sw_j.d    d2/dq_i dv_j = 2 Sd_j.f + S_j.g
//   d2/dv_i dq_j = Sd_j.e + Sw_j.c              d2/dv_i dv_j = S_j.e
//   d2/dq_i da_j = S_j.f                        d2/da_i dq_j = Sw_j.a
//
// The armature of a ball joint is ignored: robots with ball joints compute torques from L.
//
// Cost: O(n depth) for each set of matrices, O(n) for the vectors. Only _new allocates.
// Source: section 12 of docs/theory.md.
#ifndef DM_MULTIBODY_INVERSE_DYNAMICS_H
#define DM_MULTIBODY_INVERSE_DYNAMICS_H
#include "lib/multibody/model.h"
#include "lib/multibody/spring.h"

DM_BEGIN_C

// Derivatives of mu.tau. The Hessian blocks by (v,a) and (a,a) are zero.
typedef struct dm_inverse_pair {
  double *q, *v, *a;         // [n] the gradient
  double *qq, *qv, *vv, *qa; // [n x n] qa[i n + j] = d2 / dq_i da_j
} dm_inverse_pair;

typedef struct dm_inverse {
  int n;
  const dm_model *m;
  dm_potential V; // V.eval NULL: none
  // results of the last dm_inverse_eval
  double *tau;                   // [n] N or N m
  double *tau_q, *tau_v, *tau_a; // [n x n] tau_q[i n + j] = dtau_i / dq_j; tau_a is the mass matrix
  // results of the last dm_inverse_contract
  dm_inverse_pair mu;
  struct dm_inverse_sweep *s;
} dm_inverse;

// Create a workspace for the tree m with an additional potential V (NULL: none), whose gradient V_q
// is added to tau. V is copied; m and the data of V must outlive the workspace. tau does not
// include damping and inputs. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_inverse_new(dm_inverse **out, const dm_model *m, const dm_potential *V);
void dm_inverse_free(dm_inverse *w);

// Evaluate tau at (q,v,a), each [n]; order 1 also computes the first derivatives, order 0 does not
// write them. Returns DM_OK, DM_NOT_FINITE, or the status of V.
dm_status dm_inverse_eval(dm_inverse *w, int order, const double *q, const double *v,
                          const double *a);

// Compute the gradient of mu.tau, mu [n], and with order 2 also its Hessian, at the point of the
// last dm_inverse_eval. Order 2 requires that this evaluation had order 1. Returns DM_OK;
// DM_UNAVAILABLE for the Hessian if V has no third derivatives; or the status of V.
dm_status dm_inverse_contract(dm_inverse *w, int order, const double *mu);

DM_END_C
#endif
