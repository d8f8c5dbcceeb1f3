// lib/base/dense.h: dense linear algebra for small square systems, row-major.
//
// A step of dmoc factors and solves matrices of about 2 to 80 rows, many times per second. Products
// use BLAS, very small ones plain loops. Matrices smaller than DM_DENSE_LAPACK are factored by
// vectorized plain C, which is faster than LAPACK at this size (docs/benchmarks.md).
//
//   dm_lu_factor        A = P L U, in place
//   dm_lu_solve         A X = B;    dm_lu_solve_transposed   A' X = B
//   dm_gemm             C = beta C + alpha A B; _strided with row lengths; _transposed  A' B
//
// No function here allocates.
#ifndef DM_BASE_DENSE_H
#define DM_BASE_DENSE_H
#include "lib/base/status.h"

#include <stddef.h>

enum { DM_DENSE_LAPACK = 80 };

// Row k of x with n entries per row, of a matrix or of the knots of a motion. k and n may have any
// integer type; the result is const if x is.
#define dm_row(x, k, n) ((x) + (size_t)(k) * (size_t)(n))

// Factor A = P L U with partial pivoting.
//   A    in: the matrix; out: L below the diagonal, U on it and above     [n x n]
//   piv  out: the row that was exchanged with row k                        [n]
// Returns DM_OK; DM_SINGULAR if a pivot is below n eps times the largest entry of A, with the
// factors written nevertheless; DM_NOT_FINITE with A untouched. Cost: 2/3 n^3.
dm_status dm_lu_factor(int n, double *A, int *piv);

// Solve A X = B in place with the factors of dm_lu_factor: B [n x nrhs]. Cost: 2 n^2 nrhs.
void dm_lu_solve(int n, const double *LU, const int *piv, int nrhs, double *B);

// Solve A' X = B in place with the same factors: B [n x nrhs].
void dm_lu_solve_transposed(int n, const double *LU, const int *piv, int nrhs, double *B);

// The largest entry of A^-1 b for a fixed b with entries in [1, 1.5]. Times the largest entry of A
// it is a lower estimate of the condition number, up to factors of n. x [n] scratch.
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

// The larger of two numbers; a NaN in b is ignored as by fmax, but this is inline.
static inline double dm_larger(double a, double b) {
  return b > a ? b : a;
}

// b [n] -= sum_k l_k B_k over `count` rows of B with row length ld, in order.
void dm_subtract_rows(int count, const double *l, int n, const double *B, int ld, double *b);

// The largest |x_i| of x [n], ignoring NaN.
double dm_largest(int n, const double *x);

// C [m x n] = beta C + alpha A [m x k] B [k x n]
void dm_gemm(int m, int n, int k, double alpha, const double *A, const double *B, double beta,
             double *C);

// The same with row lengths lda, ldb, ldc
void dm_gemm_strided(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                     int ldb, double beta, double *C, int ldc);

// C [m x n] = beta C + alpha A' B, A [k x m], B [k x n], with row lengths as above
void dm_gemm_transposed(int m, int n, int k, double alpha, const double *A, int lda,
                        const double *B, int ldb, double beta, double *C, int ldc);
#endif
