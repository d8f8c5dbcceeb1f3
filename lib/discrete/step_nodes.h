// lib/discrete/step_nodes.h: the forced action of one step as a function of the nodes of its
// polynomial: y_0 = q0, y_1 = q1, and the inner nodes y_2 .. of the rule, if it has any:
//
//   q(t) = sum_j P_j(t/h) y_j       Ld = h sum_s weight_s L(q(at_s h), q'(at_s h))
//   g_j  = dLd/dy_j + F_j           F_j = h sum_s weight_s S_j(at_s) f(q, q', u)
//
// with Lagrange polynomials P_j, and S_j the fraction of a force that acts at node j: `left` and 1
// - left on a straight line, P_j otherwise. lib/discrete/interval.h uses this sum: for a straight
// line, g_0 and g_1 are its D1 and D2; otherwise it eliminates the inner nodes
// (lib/discrete/inner_nodes.h).
//
// Source: docs/theory.md sections 1 and 2; [marsden-west-2001], section 2.2.6.
#ifndef DM_DISCRETE_STEP_NODES_H
#define DM_DISCRETE_STEP_NODES_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

enum { DM_MAX_LANES = 8, DM_MAX_NODES = 2 + DM_MAX_INNER };

// A quadrature point, with P_j, h P_j' and S_j of each node.
typedef struct dm_step_point {
  double weight;
  double P[DM_MAX_NODES], R[DM_MAX_NODES], S[DM_MAX_NODES];
} dm_step_point;

// Blocks are named by node; arrays of several lanes are laid out as in dm_interval.
typedef struct dm_step_nodes {
  dm_system s;
  int n, nu;
  int nodes;              // of the polynomial: 2 plus the inner nodes
  int active;             // L and the general forces depend on the first `active` coordinates only
  int lanes;              // number of steps evaluated at once
  bool by_step;           // true: order 2 includes the derivatives by h
  int points, velocities; // of the rule; number of points with different q': 1 for a straight line
  dm_step_point point[DM_MAX_POINTS];
  double share[DM_MAX_NODES]; // of a force that is equal at all points
  double Ld, energy;          // sum over the lanes: action; sum weight (v.L_v - L)     J s, J
  double *g[DM_MAX_NODES], *g_h[DM_MAX_NODES]; // [n]; by h
  double *G[DM_MAX_NODES][DM_MAX_NODES];       // [n x n] dg_j/dy_k
  double *g_u[DM_MAX_NODES];                   // [nz] by inputs, entries as in dm_interval
  int nj, nz;
  int *row, *col; // [nz]
  // Hessian of sum_j mu_j.g_j, by dm_step_nodes_contract
  double *H[DM_MAX_NODES][DM_MAX_NODES];         // [n x n] rows by y_j, columns by y_k, for j <= k
  double *H_h[DM_MAX_NODES], *H_u[DM_MAX_NODES]; // [n], [nz]
  double *Huu, *Huh, *Hhh; // [nf x nf] of the general forces' nf = nu - nj inputs, [nu], [1]
  // scratch
  double *qm, *v, *a_q, *a_v; // [n]
  double *L_vq;               // [n] one row
  dm_jet jet, T;
  void *L_scratch;         // of the Lagrangian
  struct {                 // general forces at one point of one lane
    double *q, *v, *u, *m; // [n], [n], [nf], [n] sum_j S_j mu_j
    dm_force_jet jet;
    dm_force_hessian mf; // second derivatives of m.f
    void *scratch;
  } force;
} dm_step_nodes;

// Allocate a workspace for a system; s is copied. `lanes` is 1, or that of the Lagrangian if s.L
// contains the functions for several lanes. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_step_nodes_new(dm_step_nodes **out, const dm_system *s, int lanes);
void dm_step_nodes_free(dm_step_nodes *w); // accepts NULL

// Evaluate at the nodes y_j [n] with inputs u [nu] and step h, not 0 [s]: Ld, energy, g (order 1),
// and also G, g_h, g_u (order 2). Returns DM_OK or the status of the Lagrangian. No allocation.
dm_status dm_step_nodes_eval(dm_step_nodes *w, int order, const double *const y[], const double *u,
                             double h);

// q = sum_j P_j y_j and v = sum_j P_j' y_j / h [n] at quadrature point s.
void dm_step_nodes_place(const dm_step_nodes *w, int s, const double *const y[], double h,
                         double *q, double *v);

// The Hessian of sum_j mu_j.g_j by (y,u,h), mu_j [n]; derivatives by h only if with_h (otherwise
// not written). Returns DM_OK, DM_UNAVAILABLE for a Lagrangian without third derivatives, or the
// status of the Lagrangian. No allocation. Cost: one evaluation of T(a) per point.
dm_status dm_step_nodes_contract(dm_step_nodes *w, bool with_h, const double *const y[],
                                 const double *u, double h, const double *const mu[]);

DM_END_C
#endif
