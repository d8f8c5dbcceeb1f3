// optim/identification/knot_chain.h: normal equations of a least-squares problem over the knots of
// chains, with common unknowns as a border. Each row block couples three successive knots:
//
//   minimize  1/2 sum_k |A_k (x_k-1, x_k, x_k+1) + Y_k y + r_k|^2  +  terms of single knots
//
//   [H_0 .  .        B_0 ]                            knots are eliminated in order:
//   [ .  H_1 .  .    B_1 ]                            L L' = H_k,  X = L^-1 [H_k,k+1 H_k,k+2 B_k g_k]
//   [ .  .  H_2 .    B_2 ]                            the rest -= X' X
//   [         ..      :  ]
//   [B_0' ..          S  ]                            S and its right side g_y remain
//
// The caller walks along the chains twice: it adds rows and eliminates; then, with the solution y
// of the border, it adds A'(r + Y y) and gets x. The border's rows are not stored, so that memory
// is 3 n^2 + n numbers for each knot. Products of rows for S are collected, for BLAS.
#ifndef OC_IDENTIFICATION_KNOT_CHAIN_H
#define OC_IDENTIFICATION_KNOT_CHAIN_H
#include "lib/base/status.h"

typedef struct oc_knot_chain {
  int n, p, ld;         // unknowns of a knot, of the border; ld = 3 n + p + 1
  int knots, at;        // knots in all chains; the next one to be eliminated
  double *row;          // [n x ld] set by the caller before oc_knot_chain_add: A, Y, r
  double *window;       // [3 n x ld] three knots, border, right side
  double *S;            // [p+1 x p+1] upper triangle: the border and its right side
  double *raw;          // [p] diagonal of sum Y'Y
  double fall;          // sum of |L^-1 g|^2 / 2: by how much the knots reduce the sum
  double *plus, *minus; // [room x p+1] collected rows
  int nplus, nminus;
  double *L, *X, *g; // [knots x n x n], [knots x n x 2 n], [knots x n]
} oc_knot_chain;

// Allocate. shared: NULL, or a chain with the same n and p whose factors are used, with knots = 0: several
// threads then eliminate different knots. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_knot_chain_new(oc_knot_chain **out, int n, int p, int knots,
                            const oc_knot_chain *shared);
void oc_knot_chain_free(oc_knot_chain *w);

// -- first walk. None of these allocates.

void oc_knot_chain_begin(oc_knot_chain *w, int at); // at knot `at`; all sums are zero
// The rows in `row` join; the window begins at their first knot.
void oc_knot_chain_add(oc_knot_chain *w);
// Add weight/2 (a.x + b + y_c)^2, x the unknowns first .. first + count - 1 of the window's three knots;
// c < 0: without y.
void oc_knot_chain_add_square(oc_knot_chain *w, int first, int count, const double *a,
                              double weight, double b, int c);
// Eliminate the first knot of the window, which moves on. Returns DM_OK or DM_NOT_DEFINITE.
dm_status oc_knot_chain_eliminate(oc_knot_chain *w);
void oc_knot_chain_end(oc_knot_chain *w); // S is complete, with both triangles
// Add the sums of a chain that has ended to one that has not.
void oc_knot_chain_join(oc_knot_chain *w, const oc_knot_chain *part);

// -- second walk: right sides b [knots x n], by the caller, to x with H x = b in place.

void oc_knot_chain_solve(const oc_knot_chain *w, int first, int knots, double *b);
#endif
