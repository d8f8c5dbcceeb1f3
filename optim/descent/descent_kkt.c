#include "optim/descent/descent_kkt.h"

#include "lib/base/block.h"
#include "optim/nlp/cholmod.h"
#include "optim/nlp/triplets.h"

#include <math.h>
#include <string.h>

struct oc_kkt {
  int N, nx, nu, n, nnz;
  oc_cholmod *K;
  double *val, *b; // [nnz], [n]
  int *row, *col;  // [nnz]
};

// where the unknowns of stage k stand: z_k, y_k (k > 0), v_k (k < N)
static int z_of(const oc_kkt *w, int k) {
  return (w->N - k) * (2 * w->nx + w->nu);
}
static int y_of(const oc_kkt *w, int k) {
  return z_of(w, k) + w->nx;
}
static int v_of(const oc_kkt *w, int k) {
  return z_of(w, k) - w->nu;
}

static void put(oc_triplets *s, int i, int j, double value) {
  if (i >= j)
    oc_put(s, i, j, value);
  else
    oc_put(s, j, i, value);
}

// entry (i,j) of a stage's matrix M [rows of m] and its second-order part
static double entry(const double *M, const double *dM, double t, int ij) {
  return M ? dM ? M[ij] + t * dM[ij] : M[ij] : 0;
}

// the lower triangle; lq NULL: the pattern alone
static void walk(const oc_kkt *w, const fb_lq *lq, double rho, oc_triplets *s) {
  int N = w->N, nx = w->nx, nu = w->nu, m = lq ? lq->nx : 0;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j <= i; j++) put(s, z_of(w, N) + i, z_of(w, N) + j, lq ? lq->Qf[i * m + j] : 0);
  for (int k = N - 1; k >= 0; k--) {
    size_t at = (size_t)k;
    const double *A = lq ? lq->A + at * lq->A_stride : NULL,
                 *B = lq ? lq->B + at * lq->B_stride : NULL;
    const double *Q = lq ? lq->Q + at * lq->Q_stride : NULL,
                 *R = lq ? lq->R + at * lq->R_stride : NULL;
    const double *S = lq && lq->S ? lq->S + at * lq->S_stride : NULL;
    const double *dQ = lq && lq->dQ ? lq->dQ + at * lq->Q_stride : NULL;
    const double *dR = lq && lq->dQ ? lq->dR + at * lq->R_stride : NULL;
    const double *dS = lq && lq->dQ ? lq->dS + at * lq->S_stride : NULL;
    double t = lq && lq->share ? lq->share[k] : 1;
    int z = z_of(w, k), v = v_of(w, k), z1 = z_of(w, k + 1), y1 = y_of(w, k + 1);
    int states = k > 0 ? nx : 0; // z_0 = 0 is no unknown
    // rho (A z + B v - z1)^2 and y1'(A z + B v - z1)
    for (int i = 0; i < nx; i++) {
      put(s, z1 + i, z1 + i, rho);
      put(s, y1 + i, z1 + i, -1);
      for (int j = 0; j < nu; j++) {
        double b = lq ? B[i * nu + j] : 0;
        put(s, v + j, z1 + i, -rho * b);
        put(s, v + j, y1 + i, b);
      }
      for (int j = 0; j < states; j++) {
        double a = lq ? A[i * m + j] : 0;
        put(s, z + j, z1 + i, -rho * a);
        put(s, z + j, y1 + i, a);
      }
    }
    for (int i = 0; i < nu; i++)
      for (int j = 0; j <= i; j++) {
        double sum = entry(R, dR, t, i * nu + j);
        for (int r = 0; lq && r < nx; r++) sum += rho * B[r * nu + i] * B[r * nu + j];
        put(s, v + i, v + j, sum);
      }
    for (int i = 0; i < states; i++) {
      for (int j = 0; j < nu; j++) {
        double sum = entry(S, dS, t, i * nu + j);
        for (int r = 0; lq && r < nx; r++) sum += rho * A[r * m + i] * B[r * nu + j];
        put(s, z + i, v + j, sum);
      }
      for (int j = 0; j <= i; j++) {
        double sum = entry(Q, dQ, t, i * m + j);
        for (int r = 0; lq && r < nx; r++) sum += rho * A[r * m + i] * A[r * m + j];
        put(s, z + i, z + j, sum);
      }
    }
  }
}

static void lay_out(oc_kkt *w, dm_block *b) {
  size_t nnz = (size_t)w->nnz;
  w->val = dm_take(b, nnz, sizeof *w->val);
  w->b = dm_take(b, (size_t)w->n, sizeof *w->b);
  w->row = dm_take(b, nnz, sizeof *w->row);
  w->col = dm_take(b, nnz, sizeof *w->col);
}

dm_status oc_kkt_new(oc_kkt **out, int N, int nx, int nu) {
  oc_kkt sizes = {.N = N, .nx = nx, .nu = nu};
  sizes.n = N * (2 * nx + nu);
  oc_triplets count = {0};
  walk(&sizes, NULL, 0, &count);
  sizes.nnz = count.n;
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  *out = NULL;
  DM_TRY(dm_block_new(&block));
  oc_kkt *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  oc_triplets pattern = {.row = w->row, .col = w->col};
  walk(w, NULL, 0, &pattern);
  dm_status s = oc_cholmod_new(&w->K, w->n, w->nnz, w->row, w->col);
  if (s != DM_OK) {
    dm_block_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}

void oc_kkt_free(oc_kkt *w) {
  if (w) oc_cholmod_free(w->K);
  dm_block_free(w);
}

// of the size of the value matrices: the largest weight
static double size_of(const oc_kkt *w, const fb_lq *lq) {
  int nx = w->nx, m = lq->nx;
  double most = 0;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < nx; i++) {
      const double *Q = k < w->N ? lq->Q + (size_t)k * lq->Q_stride : lq->Qf;
      most = fmax(most, fabs(Q[i * m + i]));
    }
  return most > 0 ? most : 1;
}

dm_status oc_kkt_solve(oc_kkt *w, const fb_lq *lq, double *z, double *v) {
  int N = w->N, nx = w->nx, nu = w->nu, m = lq->nx, negative;
  oc_triplets values = {.val = w->val};
  walk(w, lq, size_of(w, lq), &values);
  DM_TRY(oc_cholmod_factor(w->K, w->val, &negative));
  if (negative != N * nx) return DM_NOT_DEFINITE;
  memset(w->b, 0, (size_t)w->n * sizeof *w->b);
  for (int k = 1; k <= N; k++) {
    const double *Q = k < N ? lq->Q + (size_t)k * lq->Q_stride : lq->Qf;
    for (int i = 0; i < nx; i++) w->b[z_of(w, k) + i] = -Q[i * m + m - 1];
  }
  for (int k = 0; k < N && lq->S; k++)
    for (int j = 0; j < nu; j++)
      w->b[v_of(w, k) + j] = -(lq->S + (size_t)k * lq->S_stride)[(m - 1) * nu + j];
  DM_TRY(oc_cholmod_solve(w->K, w->b));
  memset(z, 0, (size_t)nx * sizeof *z);
  for (int k = 1; k <= N; k++) memcpy(z + k * nx, w->b + z_of(w, k), (size_t)nx * sizeof *z);
  for (int k = 0; k < N; k++) memcpy(v + k * nu, w->b + v_of(w, k), (size_t)nu * sizeof *v);
  return DM_OK;
}
