// lib/discrete/step_nodes.h: the forced action of one step as a function of the nodes of its
// polynomial, y_0 = q0, y_1 = q1 and, where the rule has some, y_2 .. within the step:
//
//   q(t) = sum_j P_j(t/h) y_j       Ld = h sum_s weight_s L(q(at_s h), q'(at_s h))
//   g_j  = dLd/dy_j + F_j           F_j = h sum_s weight_s S_j(at_s) f(q, q', u)
//
// with Lagrange's polynomials P_j, and of a force at a point the shares S_j that its nodes take: of
// the straight way left and 1 - left, of others P_j. It is the sum that lib/discrete/interval.h
// makes an interval of: of the straight way g_0 and g_1 are its D1 and D2; nodes within the step
// are eliminated there (lib/discrete/inner_nodes.h).
//
// Source: sections 1 and 2 of docs/theory.md; [marsden-west-2001], section 2.2.6.
#ifndef DM_DISCRETE_STEP_NODES_H
#define DM_DISCRETE_STEP_NODES_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

enum { DM_MAX_LANES = 8, DM_MAX_NODES = 2 + DM_MAX_INNER };

// A quadrature point: with P_j, P_j' and S_j of each node.
typedef struct dm_step_point {
  double weight;
  double P[DM_MAX_NODES], R[DM_MAX_NODES], S[DM_MAX_NODES];
} dm_step_point;

// Blocks are named by node; arrays of several lanes as those of dm_interval.
typedef struct dm_step_nodes {
  dm_system s;
  int n, nu;
  int nodes;              // of the polynomial: 2 and the rule's inner ones
  int active;             // coordinates that L and the general forces depend on: the first so many
  int lanes;              // steps at once
  bool by_step;           // whether order 2 has the derivatives by h
  int points, velocities; // of the rule; at how many of them q' differs: 1 of the straight way
  dm_step_point point[DM_MAX_POINTS];
  double share[DM_MAX_NODES]; // of a force that is the same at all points
  double Ld, energy;          // the sum over lanes: action; sum weight (v.L_v - L)     J s, J
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
  double *L_vq;               // [n] a row
  dm_jet jet, T;
  void *L_scratch;         // the Lagrangian's
  struct {                 // the general forces at one point of one lane
    double *q, *v, *u, *m; // [n], [n], [nf], [n] sum_j S_j mu_j
    dm_force_jet jet;
    dm_force_hessian mf; // second derivatives of m.f
    void *scratch;
  } force;
} dm_step_nodes;

// Allocate the workspace of a system; s is copied. `lanes` 1, or the Lagrangian's where s.L's
// functions are those for many. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_step_nodes_new(dm_step_nodes **out, const dm_system *s, int lanes);
void dm_step_nodes_free(dm_step_nodes *w); // accepts NULL

// Evaluate at the nodes y_j [n] under inputs u [nu] in a step h, not 0 [s]: Ld, energy, g (order 1),
// and also G, g_h, g_u (order 2). Returns DM_OK or what the Lagrangian returns. No allocation.
dm_status dm_step_nodes_eval(dm_step_nodes *w, int order, const double *const y[], const double *u,
                             double h);

// q = sum_j P_j y_j and v = sum_j P_j' y_j / h [n] at quadrature point s.
void dm_step_nodes_place(const dm_step_nodes *w, int s, const double *const y[], double h,
                         double *q, double *v);

// The Hessian of sum_j mu_j.g_j in (y,u,h), mu_j [n]; with_h says whether by h as well (else
// untouched). Returns DM_OK, DM_UNAVAILABLE for a Lagrangian without third derivatives, or what it
// returns. No allocation. Cost: one evaluation of T(a) for each point.
dm_status dm_step_nodes_contract(dm_step_nodes *w, bool with_h, const double *const y[],
                                 const double *u, double h, const double *const mu[]);

DM_END_C
#endif
