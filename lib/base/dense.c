#include "lib/base/dense.h"

#include "lib/base/blas.h"
#include "lib/base/width.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { SMALL = 8 }; // below this, calling BLAS costs more than it saves

static void exchange_rows(int n, double *a, double *b) {
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

// A = P L U by rows; the pivot of the next column is found during elimination
DM_EACH_WIDTH static void factor_plain(int n, double *A, int *piv) {
  // p: the row of the next pivot, the largest entry of the first column
  int p = 0;
  for (int i = 1; i < n; i++)
    if (fabs(A[i * n]) > fabs(A[p * n])) p = i;

  for (int k = 0; k < n; k++) {
    // exchange the pivot's row
    piv[k] = p;
    if (p != k) exchange_rows(n, A + k * n, A + p * n);

    // a zero pivot leaves its column unchanged; dm_lu_factor finds it on the diagonal
    const double *restrict row = A + k * n;
    double inv = row[k] != 0 ? 1 / row[k] : 0;
    double largest = -1;

    // eliminate column k below the diagonal, and find the largest entry of column k + 1
    for (int i = k + 1; i < n; i++) {
      double *restrict Ai = A + i * n;
      double l = Ai[k] *= inv;
      for (int j = k + 1; j < n; j++) Ai[j] -= l * row[j];
      if (fabs(Ai[k + 1]) > largest) {
        largest = fabs(Ai[k + 1]);
        p = i;
      }
    }
  }
}

// four rows of B for each read and write of b
DM_EACH_WIDTH static void subtract_rows(int count, const double *l, int n, const double *restrict B,
                                        size_t ld, double *restrict b) {
  int k = 0;
  for (; k + 3 < count; k += 4) {
    const double *restrict B0 = B + (size_t)k * ld;
    const double *restrict B1 = B0 + ld;
    const double *restrict B2 = B1 + ld;
    const double *restrict B3 = B2 + ld;
    double l0 = l[k], l1 = l[k + 1], l2 = l[k + 2], l3 = l[k + 3];
    for (int j = 0; j < n; j++) b[j] = b[j] - l0 * B0[j] - l1 * B1[j] - l2 * B2[j] - l3 * B3[j];
  }

  // remaining rows
  for (; k < count; k++)
    for (int j = 0; j < n; j++) b[j] -= l[k] * B[(size_t)k * ld + j];
}

void dm_subtract_rows(int count, const double *l, int n, const double *B, int ld, double *b) {
  subtract_rows(count, l, n, B, (size_t)ld, b);
}

double dm_largest(int n, const double *x) {
  if (n >= SMALL * SMALL) return fabs(x[dm_blas()->cblas_idamax(n, x, 1)]);
  double largest = 0;
  for (int i = 0; i < n; i++) largest = dm_larger(largest, fabs(x[i]));
  return largest;
}

// returns true if all of x are finite: comparisons ignore NaN, a sum keeps it
static bool are_finite(int n, const double *x) {
  if (n >= SMALL * SMALL) return isfinite(dm_blas()->cblas_dasum(n, x, 1));
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return isfinite(sum);
}

dm_status dm_lu_factor(int n, double *A, int *piv) {
  double size = dm_largest(n * n, A);
  if (!are_finite(n * n, A)) return DM_NOT_FINITE;

  // LAPACK sees the transpose: its factors of A' serve the same solves with the other flag
  if (n < DM_DENSE_LAPACK)
    factor_plain(n, A, piv);
  else
    dm_blas()->LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, piv);

  // a pivot at rounding level, or NaN, is singular
  for (int i = 0; i < n; i++)
    if (!(fabs(A[i * n + i]) > n * DBL_EPSILON * size)) return DM_SINGULAR;
  return DM_OK;
}

void dm_lu_solve(int n, const double *LU, const int *piv, int nrhs, double *B) {
  if (n >= DM_DENSE_LAPACK) {
    // Column-major factors of A' = P L U, so A = U' L' P'. A row-major B is a column-major B', and A X
    // = B reads X' = B' A'^-1: triangular solves from the right, then column exchanges.
    dm_blas()->cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, nrhs,
                           n, 1, LU, n, B, nrhs);
    dm_blas()->cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasUnit, nrhs, n,
                           1, LU, n, B, nrhs);
    for (int k = n - 1; k >= 0; k--)
      if (piv[k] - 1 != k) exchange_rows(nrhs, B + k * nrhs, B + (piv[k] - 1) * nrhs);

    return;
  }

  // B <- P' B, in the order of the exchanges
  for (int k = 0; k < n; k++)
    if (piv[k] != k) exchange_rows(nrhs, B + k * nrhs, B + piv[k] * nrhs);

  // one right-hand side: use BLAS
  if (nrhs == 1 && n >= SMALL) {
    dm_blas()->cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasUnit, n, LU, n, B, 1);
    dm_blas()->cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, LU, n, B, 1);
    return;
  }
  if (nrhs == 1) {
    // one right-hand side of a small system, with the order of terms of dm_subtract_rows
    for (int i = 1; i < n; i++)
      for (int k = 0; k < i; k++) B[i] -= LU[i * n + k] * B[k];
    for (int i = n - 1; i >= 0; i--) {
      const double *row = LU + i * n;
      for (int k = i + 1; k < n; k++) B[i] -= row[k] * B[k];
      B[i] *= 1 / row[i];
    }

    return;
  }

  // L Y = B, forward
  for (int i = 0; i < n; i++) dm_subtract_rows(i, LU + i * n, nrhs, B, nrhs, B + i * nrhs);

  // U X = Y, backward
  for (int i = n - 1; i >= 0; i--) {
    double *Bi = B + i * nrhs;
    double inv = 1 / LU[i * n + i];
    dm_subtract_rows(n - 1 - i, LU + i * n + i + 1, nrhs, Bi + nrhs, nrhs, Bi);
    for (int j = 0; j < nrhs; j++) Bi[j] *= inv;
  }
}

void dm_lu_solve_transposed(int n, const double *LU, const int *piv, int nrhs, double *B) {
  // the factors are LAPACK's A' = P L U: exchange rows, then L, then U
  if (n >= DM_DENSE_LAPACK) {
    for (int k = 0; k < n; k++)
      if (piv[k] - 1 != k) exchange_rows(nrhs, B + k * nrhs, B + (piv[k] - 1) * nrhs);
    dm_blas()->cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, nrhs, n, 1,
                           LU, n, B, nrhs);
    dm_blas()->cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, nrhs, n,
                           1, LU, n, B, nrhs);
    return;
  }

  // A' = U' L' P': U' first, then L', then the exchanges in reverse order
  dm_blas()->cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, nrhs, 1,
                         LU, n, B, nrhs);
  dm_blas()->cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, n, nrhs, 1,
                         LU, n, B, nrhs);
  for (int k = n - 1; k >= 0; k--)
    if (piv[k] != k) exchange_rows(nrhs, B + k * nrhs, B + piv[k] * nrhs);
}

double dm_lu_growth(int n, const double *LU, const int *piv, double *x) {
  // distinct entries, so that few directions are missed
  for (int i = 0; i < n; i++) {
    double part = i * 0.6180339887498949;
    x[i] = 1 + 0.5 * (part - (int)part);
  }
  dm_lu_solve(n, LU, piv, 1, x);
  return dm_largest(n, x);
}

// C = beta C + alpha op(A) B, op(A) [m x k]
static void multiply_matrices(CBLAS_TRANSPOSE op, int m, int n, int k, double alpha,
                              const double *A, int lda, const double *B, int ldb, double beta,
                              double *C, int ldc) {
  if ((size_t)m * (size_t)n * (size_t)k >= SMALL * SMALL * SMALL) {
    dm_blas()->cblas_dgemm(CblasRowMajor, op, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C,
                           ldc);
    return;
  }

  // strides in A between rows and between columns of op(A)
  int row = op == CblasNoTrans ? lda : 1;
  int col = op == CblasNoTrans ? 1 : lda;

  // C_i = beta C_i + sum_l alpha op(A)_il B_l, by rows; with beta = 0, C may hold NaN
  for (int i = 0; i < m; i++) {
    double *Ci = C + i * ldc;
    for (int j = 0; j < n; j++) Ci[j] = beta == 0 ? 0 : beta * Ci[j];
    for (int l = 0; l < k; l++) {
      double a = alpha * A[i * row + l * col];
      for (int j = 0; j < n; j++) Ci[j] += a * B[l * ldb + j];
    }
  }
}

void dm_gemm(int m, int n, int k, double alpha, const double *A, const double *B, double beta,
             double *C) {
  multiply_matrices(CblasNoTrans, m, n, k, alpha, A, k, B, n, beta, C, n);
}

void dm_gemm_strided(int m, int n, int k, double alpha, const double *A, int lda, const double *B,
                     int ldb, double beta, double *C, int ldc) {
  multiply_matrices(CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void dm_gemm_transposed(int m, int n, int k, double alpha, const double *A, int lda,
                        const double *B, int ldb, double beta, double *C, int ldc) {
  multiply_matrices(CblasTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
