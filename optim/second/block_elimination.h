// optim/second/block_elimination.h: the least of a quadratic over a chain of knots, by eliminating
// them from the last to the first: the Riccati recursion where every knot may depart from the one
// before.
//
//   minimize  sum_k  g_k'(w_k,y_k) + (w_k,y_k)'H_k(w_k,y_k)/2,   k = 0..N-1,   over y_0..y_N,
//   y_k+1 = Phi y_k + w_k,   Phi_rs = h^(s-r)/(s-r)! in each coordinate,
//
// where given entries of y_0 and y_N are 0.
//
// What follows a knot costs p'y + y'Py/2. A stage eliminates w from
//
//   [H_ww + P   H_wy + P Phi     ]   [g_w + p     ]
//   [   .       H_yy + Phi'P Phi ]   [g_y + Phi'p ]
//
// and what remains of y is the next P, p. Its pivots are the D of L D L' of the Hessian by
// y_0..y_N, knots taken from the last: their signs are those of its eigenvalues. But neighbours,
// which differ by little, are not subtracted in numbers: P is accurate on grids however fine.
//
// Source: docs/theory.md section 14.
#ifndef OC_SECOND_BLOCK_ELIMINATION_H
#define OC_SECOND_BLOCK_ELIMINATION_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct oc_block_elimination {
  int N;          // stages that there is room for
  int n, k, size; // coordinates, orders of a knot; size = k n
  bool *fixed[2]; // [size] of y_0, y_N
  // set by the caller, of each stage
  double *H; // H_ww, H_yw = H_wy', H_yy, each whole and row-major [3 x size x size]
  double *g; // g_w, g_y [2 x size]
  // set by the caller, of all stages (zero after _new): what a shift of 1 adds to each H_ww
  // [size x size], and to the diagonal of each H_yy [size]
  double *S_ww, *S_yy;
  // of the last oc_block_elimination_factor
  double *K;                // w_k = -K (y_k,1), but of what is given of y_N      [size x (size+1)]
  double *y0;               // y_0 [size]
  double *G, *T, *diagonal; // scratch [2 size x (2 size + 1)], [size x (size + 1)], [size]
} oc_block_elimination;

// Room for N stages of k n unknowns. Returns DM_OK or DM_NO_MEMORY. Memory: of size^2 numbers a
// stage four.
dm_status oc_block_elimination_new(oc_block_elimination **out, int N, int n, int k);
void oc_block_elimination_free(oc_block_elimination *w);

// Eliminate N stages, at most those of _new, of steps h, with the shift s: s S_ww and s S_yy are
// added to each stage.
//   negative  out: pivots below zero; NULL: stop at the first that is not above rounding
//   fall      out: by how much the least lies below zero
// Returns DM_OK; DM_NOT_DEFINITE where a pivot is not above rounding; DM_NOT_FINITE.
// Does not allocate. Cost: some 7/6 size^3 multiplications a stage, and as many for K.
dm_status oc_block_elimination_factor(oc_block_elimination *w, int N, double h, double s,
                                      int *negative, double *fall);

// y [(N+1) x size] of the least; after a count, of what is stationary.
void oc_block_elimination_solve(const oc_block_elimination *w, int N, double h, double *y);

// sum_k w_k'S_ww w_k + y_k'S_yy y_k of y [(N+1) x size]: twice what a shift of 1 costs there.
double oc_block_elimination_shift_cost(const oc_block_elimination *w, int N, double h,
                                       const double *y);
#endif
