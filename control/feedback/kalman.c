#include "control/feedback/kalman.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct covariances {
  double *P, *F, *T;  // [nx x nx] covariance; 1 - LC; a product
  double *Y, *LV, *S; // [nx x ny] P C'; L V; [ny x ny]
} covariances;

static void lay_out_covariances(covariances *w, dm_block *b, size_t nx, size_t ny) {
  double **square[] = {&w->P, &w->F, &w->T};
  double **slim[] = {&w->Y, &w->LV};
  for (int i = 0; i < 3; i++) *square[i] = dm_block_alloc(b, nx * nx, sizeof(double));
  for (int i = 0; i < 2; i++) *slim[i] = dm_block_alloc(b, nx * ny, sizeof(double));
  w->S = dm_block_alloc(b, ny * ny, sizeof(double));
}

// C [m x n] = beta C + X [m x k] Y', Y [n x k]
static void multiply_transposed(int m, int n, int k, const double *X, const double *Y, double beta,
                                double *C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      C[i * n + j] = (beta != 0 ? beta * C[i * n + j] : 0) + dm_inner(k, X + i * k, Y + j * k);
}

// P and its transpose are one
static void symmetrize_covariance(int n, double *P) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) P[i * n + j] = P[j * n + i] = (P[i * n + j] + P[j * n + i]) / 2;
}

// L at this knot, and P after its measurement
static dm_status update_by_measurement(covariances *w, const fb_kalman *m, double *L) {
  int nx = m->nx, ny = m->ny;
  double sum = 0;

  // Y = P C', S = C Y + V
  multiply_transposed(nx, ny, nx, w->P, m->C, 0, w->Y);
  memcpy(w->S, m->V, (size_t)(ny * ny) * sizeof *w->S);
  dm_gemm(ny, ny, nx, 1, m->C, w->Y, 1, w->S);
  for (int i = 0; i < ny * ny; i++) sum += w->S[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;

  // L = Y S^-1, solved as S L' = Y'.
  // S is symmetric: its storage order does not matter; Y row-major is Y' by columns
  if (dm_blas()->LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', ny, w->S, ny) != 0)
    return DM_NOT_DEFINITE;
  memcpy(L, w->Y, (size_t)(nx * ny) * sizeof *L);
  dm_blas()->LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', ny, nx, w->S, ny, L, ny);

  // F = 1 - L C
  memset(w->F, 0, (size_t)(nx * nx) * sizeof *w->F);
  for (int i = 0; i < nx; i++) w->F[i * nx + i] = 1;
  dm_gemm(nx, nx, ny, -1, L, m->C, 1, w->F);

  // P <- F P F' + L V L'
  dm_gemm(nx, nx, nx, 1, w->F, w->P, 0, w->T);
  multiply_transposed(nx, nx, nx, w->T, w->F, 0, w->P);
  dm_gemm(nx, ny, ny, 1, L, m->V, 0, w->LV);
  multiply_transposed(nx, nx, ny, w->LV, L, 1, w->P);
  symmetrize_covariance(nx, w->P);
  return DM_OK;
}

// P <- A P A' + W, at the next knot
static void predict_covariance(covariances *w, const fb_kalman *m, const double *A) {
  int nx = m->nx;
  dm_gemm(nx, nx, nx, 1, A, w->P, 0, w->T);
  memcpy(w->P, m->W, (size_t)(nx * nx) * sizeof *w->P);
  multiply_transposed(nx, nx, nx, w->T, A, 1, w->P);
  symmetrize_covariance(nx, w->P);
}

dm_status fb_kalman_sweep(const fb_kalman *m, double *L, double *P, int *failed) {
  size_t nx = (size_t)m->nx, ny = (size_t)m->ny;
  assert(L && failed);
  *failed = -1;
  if (m->N < 1 || m->nx < 1 || m->ny < 1) return DM_BAD_INPUT;

  // scratch for one knot
  dm_block block = {0};
  covariances w;
  lay_out_covariances(&w, &block, nx, ny);
  DM_TRY(dm_block_new(&block));
  lay_out_covariances(&w, &block, nx, ny);

  // from P_0 on: record P, measure, predict
  memcpy(w.P, m->P0, nx * nx * sizeof *w.P);
  dm_status s = DM_OK;
  for (size_t k = 0; k < (size_t)m->N; k++) {
    if (P) memcpy(P + k * nx * nx, w.P, nx * nx * sizeof *P);
    s = update_by_measurement(&w, m, L + k * nx * ny);
    if (s != DM_OK) {
      *failed = (int)k;
      break;
    }
    predict_covariance(&w, m, m->A + k * m->A_stride);
  }
  if (P && s == DM_OK) memcpy(dm_row(P, m->N, nx * nx), w.P, nx * nx * sizeof *P);
  dm_block_free(block.base);
  return s;
}
