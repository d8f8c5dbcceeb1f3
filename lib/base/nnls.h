// lib/base/nnls.h: nonnegative least squares for the impulses of inelastic impacts.
//
//   0 <= lambda,   y = b + G W G'lambda >= 0,   lambda_i y_i = 0
//
// With b = G v, v = W p, these lambda minimize the kinetic energy 1/2 |p + G'lambda|^2 in the
// metric W: they are the impulses of an impact. For another b they are the multipliers of the same
// problem from another point. Active-set method:
//
//   1  add the row with the most negative y to the set
//   2  z: the minimum over the set without sign constraints, G W G' z = -b, by factors L D L'
//   3  while z has an entry <= 0: move lambda towards z until the first entry is zero, and remove
//      its row from the set
//   4  lambda = z; repeat from 1 until no y is negative
//
// The objective decreases with each added row, so that no set repeats; the number of iterations is
// limited nevertheless.
//
// Source: [lawson-hanson-1974] in docs/sources.md.
#ifndef DM_BASE_NNLS_H
#define DM_BASE_NNLS_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_nnls {
  int n, max_rows; // columns; largest number of rows
  int k;           // number of rows in the set
  int *set;        // [n] their indices, in the order of L
  bool *in_set;    // [max_rows] rows in the set, or dependent on it
  double *L;       // [n x n] factors L D L' = G W G' of the set, by rows, with D on the diagonal
  double *z;       // [n] the minimum over the set
  double *lambda;  // [n] of the set
  double *r;       // [n] W G'lambda
  int iterations;  // rows added in the last solution
} dm_nnls;

// Create a workspace for up to max_rows rows of length n. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_nnls_new(dm_nnls **out, int n, int max_rows);
void dm_nnls_free(dm_nnls *w);

// Solve for m rows of G with indices which [m] (NULL: the first m).
//   G, WG   rows, and W times the rows              [.. x n]
//   b       of the selected rows                    [m]
//   tol     y_i >= -tol |G_i| is accepted as y_i >= 0, |G_i| in the metric W
//   lambda  out                                     [m]
// Dependent rows are allowed. Returns DM_OK; DM_MAX_ITER after 4 m + 10 added rows, with the last
// iterate lambda >= 0; DM_NOT_FINITE with lambda zero. Does not allocate. Cost: O(m n) for each row
// added, O(k^2 n) for each removed, with k rows in the set.
dm_status dm_nnls_solve(dm_nnls *w, int m, const int *which, const double *G, const double *WG,
                        const double *b, double tol, double *lambda);

DM_END_C
#endif
