// lib/discrete/inner_nodes.h: eliminates the inner nodes of a step.
//
// The inner configurations Q_i and, with constraints, their impulses there satisfy
//
//   E = 0:   g_i(q0,Q,q1,u,h) - Dh(Q_i)'lambda_i = 0      h(Q_i) = 0
//
// with g of lib/discrete/step_nodes.h. Newton's method solves for them, starting from the straight
// line. Then z = (Q,lambda) is a function of x = (q0,q1,u,h), and D1 = g_0, D2 = g_1 are functions
// of x alone:
//
//   z_x = -E_z^-1 E_x                        D_x = g_x + g_z z_x
//
// For the Hessian, contracted with mu0 and mu1, adjoin E with multipliers m,
//
//   E_z' m = -(g_0z' mu0 + g_1z' mu1)        Sigma = mu0.g_0 + mu1.g_1 + m.E
//   Sigma'' transformed by (1, z_x), with one contraction T(a) of Sigma per quadrature point
//
// because (mu0, m, mu1) is one more discrete curve. No derivatives beyond those of a straight step
// are needed. Kinematic coordinates move along a straight line: (1 - c) q0 + c q1 at position c.
//
// Source: [marsden-west-2001], section 2.2.6; [jay-1996] for constraints; theory section 1 in
// docs/theory.md.
#ifndef DM_DISCRETE_INNER_NODES_H
#define DM_DISCRETE_INNER_NODES_H
#include "lib/discrete/step_nodes.h"

DM_BEGIN_C

typedef struct dm_inner_nodes {
  dm_step_nodes *g;                           // borrowed
  int n, nd, nk, nc;                          // coordinates: all, dynamic, kinematic; constraints
  int count;                                  // number of inner nodes
  int size, nx;                               // length of z, count (nd + nc); length of x, 2n + nu
                                              // + 1
  int *dyn, *kin;                             // [nd], [nk]
  double *q[DM_MAX_INNER], *mu[DM_MAX_INNER]; // [n] Q_i; part of m
  double *lambda[DM_MAX_INNER], *nu[DM_MAX_INNER]; // [nc] impulses; part of m
  double *h[DM_MAX_INNER], *Dh[DM_MAX_INNER];      // [nc], [nc x n] constraints at Q_i
  double *E;                                       // [size]
  double *E_z, *LU; // [size x size] with scaled constraints; its factors
  double scale;
  double *extent; // [2n] scales of coordinates (dm_system_motion_sizes)
  int *piv;       // [size]
  double *E_x;    // [size x nx] with scaled constraints; its residual
  double *z_x;    // [size x nx]
  double *Y;      // [count n x nx] derivative of all node coordinates by x
  // results for dm_interval: rows of D1, then of D2, by x; the Hessian
  double *D_x, *H_xx;            // [2n x nx], [nx x nx]
  double *H_qq, *H_qx, *product; // [count n x count n], [count n x nx] twice
  double *T, *J;                 // [n x n], [nc x n]
  double *x;                     // [nx] point of the last factorization of E_z
  bool factored;
  void *scratch; // of the constraints
} dm_inner_nodes;

// Allocate for a sum whose rule has inner nodes; g must outlive it. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_inner_nodes_new(dm_inner_nodes **out, dm_step_nodes *g);
void dm_inner_nodes_free(dm_inner_nodes *w); // accepts NULL

// Find the inner nodes of a step from q0 to q1 [n] with u [nu] and h, and leave the sum evaluated
// there: Ld, g (order 1); and D_x (order 2). Returns DM_OK; DM_SINGULAR if E_z is singular;
// DM_NOT_FINITE if Newton's method diverges; or the status of the Lagrangian or the constraints. No
// allocation. Cost: per iteration, typically three, an evaluation of order 2 and an LU of length
// `size`.
dm_status dm_inner_nodes_eval(dm_inner_nodes *w, int order, const double *q0, const double *q1,
                              const double *u, double h);

// The Hessian of mu0.D1 + mu1.D2 by x into H_xx, mu [n]; with_h and the status as in
// dm_step_nodes_contract. After an evaluation of order 2 of the same step, that evaluation is not
// repeated.
dm_status dm_inner_nodes_contract(dm_inner_nodes *w, bool with_h, const double *q0,
                                  const double *q1, const double *u, double h, const double *mu0,
                                  const double *mu1);

DM_END_C
#endif
