#include "lib/dense.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

// A = P L U by rows, plain C
static dm_status factor_plain(int n, double *A, int *piv) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    piv[k] = p;
    if (p != k)
      for (int j = 0; j < n; j++) {
        double t = A[k * n + j];
        A[k * n + j] = A[p * n + j], A[p * n + j] = t;
      }
    if (A[k * n + k] == 0) continue;
    double inv = 1 / A[k * n + k], *row = A + k * n;
    for (int i = k + 1; i < n; i++) {
      double l = A[i * n + k] *= inv, *Ai = A + i * n;
      if (l != 0)
        for (int j = k + 1; j < n; j++) Ai[j] -= l * row[j];
    }
  }
  return DM_OK;
}

dm_status dm_lu_factor(int n, double *A, int *piv) {
  double size = 0;
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
  // fmax drops NaN, a sum keeps it
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += A[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;
  // LAPACK sees the transpose: its factors of A' serve the same solves with the other flag
  if (n < DM_DENSE_LAPACK)
    factor_plain(n, A, piv);
  else
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, piv);
  for (int i = 0; i < n; i++)
    if (!(fabs(A[i * n + i]) > n * DBL_EPSILON * size)) return DM_SINGULAR;
  return DM_OK;
}

void dm_lu_solve(int n, const double *LU, const int *piv, int nrhs, double *B) {
  if (n >= DM_DENSE_LAPACK) {
    // column-major factors of A' = P L U, so A = U' L' P'; B row-major is B' column-major, and
    // A X = B reads X' = B' A'^-1: triangular solves from the right, then columns exchanged
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, nrhs, n, 1, LU,
                n, B, nrhs);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasUnit, nrhs, n, 1, LU, n,
                B, nrhs);
    for (int k = n - 1; k >= 0; k--)
      if (piv[k] - 1 != k) cblas_dswap(nrhs, B + k * nrhs, 1, B + (piv[k] - 1) * nrhs, 1);
    return;
  }
  for (int k = 0; k < n; k++)
    if (piv[k] != k)
      for (int j = 0; j < nrhs; j++) {
        double t = B[k * nrhs + j];
        B[k * nrhs + j] = B[piv[k] * nrhs + j], B[piv[k] * nrhs + j] = t;
      }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      double l = LU[i * n + k];
      for (int j = 0; j < nrhs; j++) B[i * nrhs + j] -= l * B[k * nrhs + j];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) {
      double u = LU[i * n + k];
      for (int j = 0; j < nrhs; j++) B[i * nrhs + j] -= u * B[k * nrhs + j];
    }
    double inv = 1 / LU[i * n + i];
    for (int j = 0; j < nrhs; j++) B[i * nrhs + j] *= inv;
  }
}

static void exchange_rows(int n, double *a, double *b) {
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j], b[j] = t;
  }
}

void dm_lu_solve_transposed(int n, const double *LU, const int *piv, int nrhs, double *B) {
  if (n >= DM_DENSE_LAPACK) {
    for (int k = 0; k < n; k++)
      if (piv[k] - 1 != k) cblas_dswap(nrhs, B + k * nrhs, 1, B + (piv[k] - 1) * nrhs, 1);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, nrhs, n, 1, LU, n, B,
                nrhs);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, nrhs, n, 1, LU, n,
                B, nrhs);
    return;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      for (int j = 0; j < nrhs; j++) B[i * nrhs + j] -= LU[k * n + i] * B[k * nrhs + j];
    double inv = 1 / LU[i * n + i];
    for (int j = 0; j < nrhs; j++) B[i * nrhs + j] *= inv;
  }
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++)
      for (int j = 0; j < nrhs; j++) B[i * nrhs + j] -= LU[k * n + i] * B[k * nrhs + j];
  for (int k = n - 1; k >= 0; k--)
    if (piv[k] != k) exchange_rows(nrhs, B + k * nrhs, B + piv[k] * nrhs);
}

double dm_lu_condition(int n, const double *LU, int *dominant) {
  double small = INFINITY, large = 0;
  int k = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(LU[i * n + i]);
    large = fmax(large, d);
    if (d < small) small = d, k = i;
  }
  if (dominant) *dominant = k;
  return small > 0 ? large / small : INFINITY;
}

void dm_gemm(int m, int n, int k, double alpha, const double *A, const double *B, double beta,
             double *C) {
  if (k >= DM_DENSE_LAPACK) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, k, B, n, beta, C, n);
    return;
  }
  for (int i = 0; i < m; i++) {
    double *Ci = C + i * n;
    for (int j = 0; j < n; j++) Ci[j] = beta == 0 ? 0 : beta * Ci[j];
    for (int l = 0; l < k; l++) {
      double a = alpha * A[i * k + l];
      for (int j = 0; j < n; j++) Ci[j] += a * B[l * n + j];
    }
  }
}

void dm_gemm_strided(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                     double *C, int ldc) {
  if (k >= DM_DENSE_LAPACK) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A, lda, B, ldb, 0, C, ldc);
    return;
  }
  for (int i = 0; i < m; i++) {
    double *Ci = C + i * ldc;
    for (int j = 0; j < n; j++) Ci[j] = 0;
    for (int l = 0; l < k; l++) {
      double a = A[i * lda + l];
      for (int j = 0; j < n; j++) Ci[j] += a * B[l * ldb + j];
    }
  }
}

void dm_gemm_transposed(int m, int n, int k, const double *A, const double *B, double *C) {
  if (k >= DM_DENSE_LAPACK) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1, A, m, B, n, 0, C, n);
    return;
  }
  for (int i = 0; i < m * n; i++) C[i] = 0;
  for (int l = 0; l < k; l++)
    for (int i = 0; i < m; i++) {
      double a = A[l * m + i];
      for (int j = 0; j < n; j++) C[i * n + j] += a * B[l * n + j];
    }
}
