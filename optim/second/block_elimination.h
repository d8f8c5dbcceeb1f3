// optim/second/block_elimination.h: minimizes a quadratic over a chain of knots by eliminating them
// from the last to the first: a Riccati recursion in which each knot may depart from the previous
// one.
//
//   minimize  sum_k  g_k'(w_k,y_k) + (w_k,y_k)'H_k(w_k,y_k)/2,   k = 0..N-1,   over y_0..y_N,
//   y_k+1 = Phi y_k + w_k,   Phi_rs = h^(s-r)/(s-r)! in each coordinate,
//
// where given entries of y_0 and y_N are 0.
//
// The cost of the knots after y is p'y + y'Py/2. A stage eliminates w from
//
//   [H_ww + P   H_wy + P Phi     ]   [g_w + p     ]
//   [   .       H_yy + Phi'P Phi ]   [g_y + Phi'p ]
//
// and the rest in y is the next P, p. Its pivots are D of L D L' of the Hessian by y_0..y_N with
// the last knot first: they have the signs of the eigenvalues. Adjacent knots, which differ by
// little, are not subtracted numerically: P is accurate on arbitrarily fine grids.
//
// Source: docs/theory.md section 14.
#ifndef OC_SECOND_BLOCK_ELIMINATION_H
#define OC_SECOND_BLOCK_ELIMINATION_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc_block_elimination {
  int N;          // largest number of stages
  int n, k, size; // coordinates, order of a knot; size = k n
  bool *fixed[2]; // [size] of y_0, y_N
  // set by the caller, for each stage
  double *H; // H_ww, H_yw = H_wy', H_yy, full and row-major [3 x size x size]
  double *g; // g_w, g_y [2 x size]
  // set by the caller, for all stages (initially zero): contribution of a unit shift to each H_ww
  // [size x size], and to the diagonal of each H_yy [size]
  double *S_ww, *S_yy;
  // results of the last oc_block_elimination_factor
  double *K;                // w_k = -K (y_k,1), except given entries of y_N      [size x (size+1)]
  double *y0;               // y_0 [size]
  double *G, *T, *diagonal; // scratch [2 size x (2 size + 1)], [size x (size + 1)], [size]
} oc_block_elimination;

// Allocate for N stages with k n unknowns each. Returns DM_OK or DM_NO_MEMORY. Memory: about 4
// size^2 numbers per stage.
dm_status oc_block_elimination_new(oc_block_elimination **out, int N, int n, int k);
void oc_block_elimination_free(oc_block_elimination *w);

// Eliminate N stages, at most the allocated number, with step h and shift s: s S_ww and s S_yy are
// added to each stage.
//   negative  out: number of negative pivots; NULL: stop at the first pivot that is not above
//             rounding
//   fall      out: distance of the minimum below zero
// Returns DM_OK; DM_NOT_DEFINITE if a pivot is not above rounding; DM_NOT_FINITE. Does not
// allocate. Cost: about 7/6 size^3 multiplications per stage, and the same for K.
dm_status oc_block_elimination_factor(oc_block_elimination *w, int N, double h, double s,
                                      int *negative, double *fall);

// The minimizer y [(N+1) x size]; after a factorization with `negative`, the stationary point.
void oc_block_elimination_solve(const oc_block_elimination *w, int N, double h, double *y);

// sum_k w_k'S_ww w_k + y_k'S_yy y_k for y [(N+1) x size]: twice the cost of a unit shift.
double oc_block_elimination_shift_cost(const oc_block_elimination *w, int N, double h,
                                       const double *y);
#endif
