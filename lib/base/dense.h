// lib/base/dense.h: the dense linear algebra of small square systems, row-major.
//
// Products are BLAS's. Factorizations of matrices smaller than DM_DENSE_LAPACK are plain C with
// vectors, which is faster there than LAPACK (docs/benchmarks.md).
#ifndef DM_BASE_DENSE_H
#define DM_BASE_DENSE_H
#include "lib/base/status.h"

#include <stddef.h>

enum { DM_DENSE_LAPACK = 80 };

// Row k of x, rows of n entries each: of a matrix, or of the knots of a motion. Counts and indices
// of any integer type; x stays const where it is.
#define dm_row(x, k, n) ((x) + (size_t)(k) * (size_t)(n))

// Factor A [n x n] in place with partial pivoting, for dm_lu_solve; piv [n] the exchanges.
// Returns DM_OK; DM_SINGULAR where a pivot is below n eps times the largest entry; DM_NOT_FINITE.
dm_status dm_lu_factor(int n, double *A, int *piv);

// Solve A X = B in place: B [n x nrhs].
void dm_lu_solve(int n, const double *LU, const int *piv, int nrhs, double *B);

// Solve A' X = B in place: B [n x nrhs].
void dm_lu_solve_transposed(int n, const double *LU, const int *piv, int nrhs, double *B);

// The largest entry of A^-1 b for a fixed b of entries in [1, 1.5]: times the largest entry of A an
// estimate of its condition number, from below but for factors of n. x [n] scratch.
double dm_lu_growth(int n, const double *LU, const int *piv, double *x);

// a.b of vectors [n]; to <- to + t from.
static inline double dm_inner(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
static inline void dm_add_to(int n, double t, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] += t * from[i];
}

// The largest |x_i| of x [n].
double dm_largest(int n, const double *x);

// C [m x n] = beta C + alpha A [m x k] B [k x n]
void dm_gemm(int m, int n, int k, double alpha, const double *A, const double *B, double beta,
             double *C);

// The same with distances lda, ldb, ldc from row to row
void dm_gemm_strided(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                     int ldb, double beta, double *C, int ldc);

// C [m x n] = beta C + alpha A' B, A [k x m], B [k x n], with distances as above
void dm_gemm_transposed(int m, int n, int k, double alpha, const double *A, int lda,
                        const double *B, int ldb, double beta, double *C, int ldc);
#endif
