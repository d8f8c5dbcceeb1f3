#include "control/delay.h"

#include "control/steady.h"
#include "lib/block.h"

#include <string.h>

typedef struct work {
  int nx, nu, nz;
  double *A, *P, *K;    // [N x nz x nz], [(N+1) x nz x nz], [N x nu x nz]
  double *B;            // [nz x nu]
  double *Q, *Qf, *A_f; // [nz x nz]
} work;

static void lay_out(work *w, dm_block *b, size_t N) {
  size_t nz = (size_t)w->nz, nu = (size_t)w->nu, size = sizeof(double);
  w->A = dm_take(b, N * nz * nz, size);
  w->P = dm_take(b, (N + 1) * nz * nz, size);
  w->K = dm_take(b, N * nu * nz, size);
  w->B = dm_take(b, nz * nu, size);
  w->Q = dm_take(b, nz * nz, size);
  w->Qf = dm_take(b, nz * nz, size);
  w->A_f = dm_take(b, nz * nz, size);
}

// rows x cols of X, rows ldx apart, into Y
static void copy(int rows, int cols, const double *X, int ldx, double *Y, int ldy) {
  for (int i = 0; i < rows; i++)
    memcpy(Y + (size_t)i * (size_t)ldy, X + (size_t)i * (size_t)ldx, (size_t)cols * sizeof *X);
}

// [A B; 0 0] into Az, which is zero
static void augment(const work *w, const double *A, const double *B, double *Az) {
  copy(w->nx, w->nx, A, w->nx, Az, w->nz);
  copy(w->nx, w->nu, B, w->nu, Az + w->nx, w->nz);
}

static dm_status sweep(work *w, const fb_lq *lq, const double *A, const double *B, int *failed) {
  size_t square = (size_t)w->nz * (size_t)w->nz;
  for (int k = 0; k < lq->N; k++)
    augment(w, lq->A + (size_t)k * lq->A_stride, lq->B + (size_t)k * lq->B_stride,
            w->A + (size_t)k * square);
  for (int i = 0; i < w->nu; i++) w->B[(w->nx + i) * w->nu + i] = 1;
  copy(w->nx, w->nx, lq->Q, w->nx, w->Q, w->nz);
  if (A) {
    augment(w, A, B, w->A_f);
    *failed = lq->N;
    dm_status s = fb_steady_solve(w->nz, w->nu, w->A_f, w->B, w->Q, lq->R, w->Qf, w->K);
    if (s != DM_OK) return s;
  } else {
    copy(w->nx, w->nx, lq->Qf, w->nx, w->Qf, w->nz);
  }
  fb_riccati *riccati;
  *failed = -1;
  DM_TRY(fb_riccati_new(&riccati, w->nz, w->nu));
  fb_lq all = {.N = lq->N,
               .nx = w->nz,
               .nu = w->nu,
               .A = w->A,
               .B = w->B,
               .Q = w->Q,
               .R = lq->R,
               .Qf = w->Qf,
               .A_stride = square,
               .R_stride = lq->R_stride};
  dm_status s = fb_riccati_sweep(riccati, &all, w->K, w->P, failed);
  fb_riccati_free(riccati);
  return s;
}

dm_status fb_delay_sweep(const fb_lq *lq, const double *A, const double *B, double *K, double *W,
                         double *P, int *failed) {
  const int N = lq->N, nx = lq->nx, nu = lq->nu, nz = nx + nu;
  work w = {.nx = nx, .nu = nu, .nz = nz};
  dm_block block = {0};
  *failed = -1;
  lay_out(&w, &block, (size_t)N);
  DM_TRY(dm_block_new(&block));
  lay_out(&w, &block, (size_t)N);
  dm_status s = sweep(&w, lq, A, B, failed);
  for (int k = 0; s == DM_OK && k <= N; k++) {
    copy(nx, nx, w.P + (size_t)k * (size_t)(nz * nz), nz, P + (size_t)k * (size_t)(nx * nx), nx);
    if (k == N) break;
    const double *Kz = w.K + (size_t)k * (size_t)(nu * nz);
    copy(nu, nx, Kz, nz, K + (size_t)k * (size_t)(nu * nx), nx);
    copy(nu, nu, Kz + nx, nz, W + (size_t)k * (size_t)(nu * nu), nu);
  }
  dm_block_free(block.base);
  return s;
}
