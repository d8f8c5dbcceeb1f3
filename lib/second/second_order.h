// lib/second/second_order.h: discrete Lagrangians of second order, C(q,v,a), and of any order k up
// to three, C(x), x = (q, q', ..., q^(k)), for n coordinates each.
//
// A knot X [k n] contains q and its derivatives below the k-th: (q,v) for k = 2, (q,v,a) for k = 3,
// only q for k = 1. Over a step h from X0 to X1,
//
//   Ld(X0,X1) = h sum_s w_s C(x_s),      x_s^(d) = sum_e sum_r c_s[d][e][r] h^(r-d) X_e^(r)
//
// where every node is linear in the knots; a rule is the table of w and c
// (lib/second/second_order_rule.h). With D0, D1 the gradients of Ld by X0, X1, the discrete
// Legendre transforms are P0 = -D0, P1 = D1 (for k = 2 approximately (C_v - d/dt C_a, C_a) at the
// knots); the discrete Euler-Lagrange equations D1(k-1) + D0(k) = 0 connect steps; the flow (X0,P0)
// -> (X1,P1) solves P0 + D0(X0,X1) = 0 for X1.
//
// Source: docs/theory.md section 13; paper 003, section 3 and eq. 12.
#ifndef DM_SECOND_SECOND_ORDER_H
#define DM_SECOND_SECOND_ORDER_H
#include "lib/second/second_order_rule.h"

DM_BEGIN_C

// A Lagrangian of order k.
typedef struct dm_second_order_lagrangian dm_second_order_lagrangian;
struct dm_second_order_lagrangian {
  int n, k;
  void *self; // argument of eval; belongs to one thread
  // C at x [(k+1) n] (order 0), with its gradient C_x [(k+1) n] (order 1), and its full Hessian
  // C_xx [(k+1)n x (k+1)n] (order 2; otherwise not written). Returns DM_OK or a negative status.
  dm_status (*eval)(const dm_second_order_lagrangian *C, int order, const double *x, double *value,
                    double *C_x, double *C_xx);
  // The same at `lanes` points at once: entry i of point l at i lanes + l. lanes 0: not available.
  int lanes;
  dm_status (*eval_lanes)(const dm_second_order_lagrangian *C, int order, const double *x,
                          double *value, double *C_x, double *C_xx);
};

// Splines: C = |q^(k)|^2 / 2 for n coordinates.
dm_second_order_lagrangian dm_second_order_spline(int n, int k);

typedef struct dm_second_order {
  dm_second_order_lagrangian C;
  dm_second_order_rule rule;
  int n, k, size; // size = k n
  // results of the last dm_second_order_eval, with D01[i size + j] = d2Ld / dX0_i dX1_j
  double Ld;
  double *D0, *D1;         // [size]
  double *D00, *D01, *D11; // [size x size]
  double condition;        // estimate for the last factored matrix, equilibrated
  // scratch
  double *x, *C_x, *C_xx;    // at a node: [(k+1) n], its square
  double *half;              // [n x (k+1) n]
  double *M, *row, *col;     // [size x size], [size]: equilibrated matrix, its scales
  double *r, *dX, *X, *grow; // [size]
  int *piv;
  struct dm_second_order_batch *batch; // for C.lanes steps
  // coefficients of the rule for step h: by both knots, and by a knot and a departure
  double h, f[2][DM_SECOND_NODES][2][DM_SECOND_MAX_ORDER][DM_SECOND_MAX_ORDER + 1];
} dm_second_order;

// Create a workspace for C, discretized by rule; both are copied. Returns DM_OK; DM_BAD_INPUT if
// their k differ; DM_NO_MEMORY.
dm_status dm_second_order_new(dm_second_order **out, const dm_second_order_lagrangian *C,
                              const dm_second_order_rule *rule, dm_message *msg);
void dm_second_order_free(dm_second_order *w);

// Ld at (X0,X1,h) (order 0) with its gradient (order 1) and its Hessian (order 2), exact if those
// of C are. Returns DM_OK, or the status of C. Does not allocate. Cost: one C per node, and for
// order 2 about 2 k (k+1)^2 (2k+1) n^2 products per node.
dm_status dm_second_order_eval(dm_second_order *w, int order, const double *X0, const double *X1,
                               double h);

// The energy of the step, E = -dLd/dh for fixed ends: for hermite rules an approximation of the
// energy of C, which for k = 2 is P^(0).v + P^(1).a - C. Returns DM_OK, or the status of C. Does
// not allocate. Cost: a gradient of C per node.
dm_status dm_second_order_energy(dm_second_order *w, const double *X0, const double *X1, double h,
                                 double *E);

// The same with derivatives by X0 and by the departure Y of X1 from the Taylor expansion of X0,
//   X1 = Phi X0 + Y,   Phi_rs = h^(s-r)/(s-r)!
// The k-th derivatives at nodes depend on Y only, so that no entry is a difference of terms 1/h^k
// times as large: D0, D00 have size h.
dm_status dm_second_order_eval_departure(dm_second_order *w, int order, const double *X0,
                                         const double *X1, double h);

// The steps of a chain X [(count+1) x size], several at once if C supports it, with the derivatives
// of dm_second_order_eval_departure: Ld [count], and by (Y,X0) the gradient g [count x 2 size], D1
// and D0 (order 1), and the Hessian H [count x 3 x size x size], D11, D01 and D00 (order 2). Same
// status.
dm_status dm_second_order_eval_chain(dm_second_order *w, int order, int count, const double *X,
                                     double h, double *Ld, double *g, double *H);

// Node s of the rule between X0 and X1: x [(k+1) n].
void dm_second_order_node_at(dm_second_order *w, int s, const double *X0, const double *X1,
                             double h, double *x);

// Transform the gradient g [(k+1) n] and the Hessian H [(k+1)n x (k+1)n] of a function of node s to
// the knots: add weight times them to D0, D1 and to D00, D01, D11; skip NULL arguments.
// dm_second_order_eval uses this for C, and programs use it for limits at nodes.
void dm_second_order_add_node(dm_second_order *w, int s, double h, double weight, const double *g,
                              const double *H);

// E [k x k], row-major: Y'EY is the rule's integral over a step h of the square of the k-th
// derivative due to a departure Y, for each coordinate: h sum_s w_s f_s f_s'. Positive definite
// unless the rule is degenerate.
void dm_second_order_top_square(dm_second_order *w, double h, double *E);

// Check that a step from X0 to X1 is possible. Returns DM_OK; or DM_SINGULAR with the first
// applicable reason in msg: the rule is degenerate; C is singular at a node (its Hessian by q^(k));
// D01 is singular.
dm_status dm_second_order_check(dm_second_order *w, const double *X0, const double *X1, double h,
                                dm_message *msg);

typedef struct dm_second_order_info {
  int iterations;
  double step;      // last Newton step, derivatives of order r times h^r, relative to X1
  double condition; // of D01, equilibrated: an estimate
} dm_second_order_info;

// One step of the flow, by Newton's method.
//   X0, P0  [size] a knot and its momenta
//   h       step, > 0                           s
//   X1      out [size]; on entry the guess
//   P1      out [size]
// Returns DM_OK; DM_MAX_ITER with the last iterate; DM_SINGULAR, DM_NOT_FINITE or the status of C
// with X1, P1 untouched. Does not allocate.
dm_status dm_second_order_step(dm_second_order *w, const double *X0, const double *P0, double h,
                               double *X1, double *P1, dm_second_order_info *info);

DM_END_C
#endif
