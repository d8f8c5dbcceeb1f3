// lib/base/nnls.h: non-negative least squares: the impulses that take off what approaches.
//
//   0 <= lambda,   y = b + G W G'lambda >= 0,   lambda_i y_i = 0
//
// With b = G v, v = W p, these lambda make the kinetic energy 1/2 |p + G'lambda|^2 in the metric W
// least: an impact's impulses. With another b they are the multipliers of the same least squares
// from another point. By an active set, in steps:
//
//   1  the row whose y is the most negative joins the set
//   2  z: the minimum over the set without signs, G W G' z = -b there, by factors L D L'
//   3  while z has an entry that is not above 0: lambda goes towards z until the first entry is
//      zero, whose row leaves the set
//   4  lambda = z; on to 1 until no y is negative
//
// The value falls with each row added, so that no set comes twice; the count is bounded all the
// same.
//
// Source: [lawson-hanson-1974] in docs/sources.md.
#ifndef DM_BASE_NNLS_H
#define DM_BASE_NNLS_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_nnls {
  int n, max_rows; // columns; the most rows that can be given
  int k;           // rows in the set
  int *set;        // [n] their numbers, in the order of L
  bool *in_set;    // [max_rows] rows that are in the set, or depend on it
  double *L;       // [n x n] factors L D L' = G W G' of the set, by rows, D on the diagonal
  double *z;       // [n] the minimum over the set
  double *lambda;  // [n] of the set
  double *r;       // [n] W G'lambda
  int iterations;  // of the last solution: rows added
} dm_nnls;

// A workspace for up to max_rows rows of length n. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_nnls_new(dm_nnls **out, int n, int max_rows);
void dm_nnls_free(dm_nnls *w);

// Solve for m rows of G, which [m] of them (NULL: the first m).
//   G, WG   rows and W times these                  [.. x n]
//   b       of these rows                           [m]
//   tol     y_i >= -tol |G_i| passes for y_i >= 0, |G_i| in the metric W
//   lambda  out                                     [m]
// Rows that depend on others do no harm. Returns DM_OK; DM_MAX_ITER after 4 m + 10 rows added,
// lambda >= 0 the last iterate; DM_NOT_FINITE, lambda zero. Does not allocate.
// Cost: O(m n) for each row added, O(k^2 n) for each that leaves, k rows in the set.
dm_status dm_nnls_solve(dm_nnls *w, int m, const int *which, const double *G, const double *WG,
                        const double *b, double tol, double *lambda);

DM_END_C
#endif
