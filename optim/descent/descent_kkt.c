#include "optim/descent/descent_kkt.h"

#include "lib/base/block.h"
#include "optim/nlp/cholmod.h"
#include "optim/nlp/triplets.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct oc_kkt {
  int N, nx, nu, n, nnz;
  oc_cholmod *K;
  double *val, *b; // [nnz], [n]
  int *row, *col;  // [nnz]
};

// index of the unknowns of stage k: z_k, y_k (k > 0), v_k (k < N)
static int z_of(const oc_kkt *w, int k) {
  return (w->N - k) * (2 * w->nx + w->nu);
}
static int y_of(const oc_kkt *w, int k) {
  return z_of(w, k) + w->nx;
}
static int v_of(const oc_kkt *w, int k) {
  return z_of(w, k) - w->nu;
}

static void put_lower_entry(oc_triplets *s, int i, int j, double value) {
  if (i >= j)
    oc_put(s, i, j, value);
  else
    oc_put(s, j, i, value);
}

// entry (i,j) of a stage's matrix M [rows of m] plus t times its second-order part
static double sum_entry(const double *M, const double *dM, double t, int ij) {
  if (!M) return 0;
  return dM ? M[ij] + t * dM[ij] : M[ij];
}

// matrices of a stage, NULL for the sparsity pattern only
typedef struct stage {
  const double *A, *B, *Q, *R, *S, *dQ, *dR, *dS;
  double share; // fraction of the second-order parts dQ, dR, dS
  int m;        // row length of A, Q: states including constant ones
} stage;

static stage find_stage(const fb_lq *lq, int k) {
  stage at = {.share = 1};
  if (!lq) return at; // pattern only
  size_t i = (size_t)k;
  at.m = lq->nx;
  at.A = lq->A + i * lq->A_stride;
  at.B = lq->B + i * lq->B_stride;
  at.Q = lq->Q + i * lq->Q_stride;
  at.R = lq->R + i * lq->R_stride;
  if (lq->S) at.S = lq->S + i * lq->S_stride;
  if (lq->dQ) {
    at.dQ = lq->dQ + i * lq->Q_stride;
    at.dR = lq->dR + i * lq->R_stride;
    at.dS = lq->dS + i * lq->S_stride;
  }
  if (lq->share) at.share = lq->share[k];
  return at;
}

// y1'(A z + B v - z1), and the terms with z1 of rho (A z + B v - z1)^2
static void put_dynamics(const oc_kkt *w, const stage *at, int k, double rho, oc_triplets *s) {
  int nx = w->nx, nu = w->nu, states = k > 0 ? nx : 0; // z_0 = 0 is not an unknown
  int z = z_of(w, k), v = v_of(w, k), z1 = z_of(w, k + 1), y1 = y_of(w, k + 1);
  for (int i = 0; i < nx; i++) {
    put_lower_entry(s, z1 + i, z1 + i, rho);
    put_lower_entry(s, y1 + i, z1 + i, -1); // y1'(.. - z1)
    for (int j = 0; j < nu; j++) {
      double b = at->B ? at->B[i * nu + j] : 0;
      put_lower_entry(s, v + j, z1 + i, -rho * b);
      put_lower_entry(s, v + j, y1 + i, b);
    }
    for (int j = 0; j < states; j++) {
      double a = at->A ? at->A[i * at->m + j] : 0;
      put_lower_entry(s, z + j, z1 + i, -rho * a);
      put_lower_entry(s, z + j, y1 + i, a);
    }
  }
}

// weights of (z,v), with their terms of the square
static void put_weights(const oc_kkt *w, const stage *at, int k, double rho, oc_triplets *s) {
  const double *A = at->A, *B = at->B;
  int nx = w->nx, nu = w->nu, m = at->m, states = k > 0 ? nx : 0;
  int z = z_of(w, k), v = v_of(w, k);

  // R + rho B'B
  for (int i = 0; i < nu; i++)
    for (int j = 0; j <= i; j++) {
      double sum = sum_entry(at->R, at->dR, at->share, i * nu + j);
      for (int r = 0; B && r < nx; r++) sum += rho * B[r * nu + i] * B[r * nu + j];
      put_lower_entry(s, v + i, v + j, sum);
    }

  // S + rho A'B, Q + rho A'A
  for (int i = 0; i < states; i++) {
    for (int j = 0; j < nu; j++) {
      double sum = sum_entry(at->S, at->dS, at->share, i * nu + j);
      for (int r = 0; A && r < nx; r++) sum += rho * A[r * m + i] * B[r * nu + j];
      put_lower_entry(s, z + i, v + j, sum);
    }
    for (int j = 0; j <= i; j++) {
      double sum = sum_entry(at->Q, at->dQ, at->share, i * m + j);
      for (int r = 0; A && r < nx; r++) sum += rho * A[r * m + i] * A[r * m + j];
      put_lower_entry(s, z + i, z + j, sum);
    }
  }
}

// lower triangle; lq NULL: pattern only
static void walk_kkt(const oc_kkt *w, const fb_lq *lq, double rho, oc_triplets *s) {
  int N = w->N, nx = w->nx;

  // weight of the last state, then the stages backwards
  for (int i = 0; i < nx; i++)
    for (int j = 0; j <= i; j++)
      put_lower_entry(s, z_of(w, N) + i, z_of(w, N) + j, lq ? lq->Qf[i * lq->nx + j] : 0);
  for (int k = N - 1; k >= 0; k--) {
    stage at = find_stage(lq, k);
    put_dynamics(w, &at, k, rho, s);
    put_weights(w, &at, k, rho, s);
  }
}

static void lay_out_kkt(void *self, dm_block *b) {
  oc_kkt *w = self;
  size_t nnz = (size_t)w->nnz;
  w->val = dm_block_alloc(b, nnz, sizeof *w->val);
  w->b = dm_block_alloc(b, (size_t)w->n, sizeof *w->b);
  w->row = dm_block_alloc(b, nnz, sizeof *w->row);
  w->col = dm_block_alloc(b, nnz, sizeof *w->col);
}

dm_status oc_kkt_new(oc_kkt **out, int N, int nx, int nu) {
  assert(out && N >= 1 && nx >= 1 && nu >= 1);
  oc_kkt sizes = {.N = N, .nx = nx, .nu = nu};
  sizes.n = N * (2 * nx + nu);
  oc_triplets count = {0};
  walk_kkt(&sizes, NULL, 0, &count); // counts
  sizes.nnz = count.n;

  // memory for the counted entries
  *out = NULL;
  oc_kkt *w = dm_block_make(&sizes, sizeof sizes, lay_out_kkt);
  if (!w) return DM_NO_MEMORY;

  // pattern, factored symbolically once
  oc_triplets pattern = {.row = w->row, .col = w->col};
  walk_kkt(w, NULL, 0, &pattern);
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

dm_status oc_kkt_solve(oc_kkt *w, const fb_lq *lq, double *z, double *v) {
  assert(w && lq && z && v);
  int N = w->N, nx = w->nx, nu = w->nu, m = lq->nx, negative;

  // factor; convex if only the multipliers have negative pivots
  oc_triplets values = {.val = w->val};

  // scale of the value matrices: the largest weight
  double largest = 0;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < nx; i++) {
      const double *Q = k < w->N ? lq->Q + (size_t)k * lq->Q_stride : lq->Qf;
      largest = fmax(largest, fabs(Q[i * m + i]));
    }
  walk_kkt(w, lq, largest > 0 ? largest : 1, &values);

  DM_TRY(oc_cholmod_factor(w->K, w->val, &negative));
  if (negative != N * nx) return DM_NOT_DEFINITE; // one per multiplier

  // right-hand side: -q for states, -r for inputs, from the constant state
  memset(w->b, 0, (size_t)w->n * sizeof *w->b);
  for (int k = 1; k <= N; k++) {
    const double *Q = k < N ? lq->Q + (size_t)k * lq->Q_stride : lq->Qf;
    for (int i = 0; i < nx; i++) w->b[z_of(w, k) + i] = -Q[i * m + m - 1];
  }
  for (int k = 0; k < N && lq->S; k++)
    for (int j = 0; j < nu; j++)
      w->b[v_of(w, k) + j] = -(lq->S + (size_t)k * lq->S_stride)[(m - 1) * nu + j];

  // z_0 = 0, then the unknowns by stages
  DM_TRY(oc_cholmod_solve(w->K, w->b));
  memset(z, 0, (size_t)nx * sizeof *z);
  for (int k = 1; k <= N; k++) memcpy(z + k * nx, w->b + z_of(w, k), (size_t)nx * sizeof *z);
  for (int k = 0; k < N; k++) memcpy(v + k * nu, w->b + v_of(w, k), (size_t)nu * sizeof *v);
  return DM_OK;
}
