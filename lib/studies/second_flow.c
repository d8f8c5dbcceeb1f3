#include "lib/studies/second_flow.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <string.h>

typedef struct second_flow {
  dm_discrete_flow flow;
  dm_second_order *L;
  double h;
  double *X0, *X1, *parity; // [m], [m] ends of the last step, [2m]
  double *M;                // factors of D01 [m x m]
  double *Y;                // dX1 by (dX0,dP0) [m x 2m]
  int *piv;                 // [m]
} second_flow;

static void lay_out_second(void *self, dm_block *b) {
  second_flow *w = self;
  const size_t m = (size_t)w->flow.m;
  w->X0 = dm_block_alloc(b, m, sizeof *w->X0);
  w->X1 = dm_block_alloc(b, m, sizeof *w->X1);
  w->parity = dm_block_alloc(b, 2 * m, sizeof *w->parity);
  w->M = dm_block_alloc(b, m * m, sizeof *w->M);
  w->Y = dm_block_alloc(b, 2 * m * m, sizeof *w->Y);
  w->piv = dm_block_alloc(b, m, sizeof *w->piv);
}

static dm_status step_second(dm_discrete_flow *flow, const double *x0, const double *p0, double h,
                             double *x1, double *p1, double *S) {
  second_flow *w = (second_flow *)flow;
  const size_t bytes = (size_t)flow->m * sizeof *x0;
  dm_second_order_info info;
  memcpy(w->X0, x0, bytes);
  DM_TRY(dm_second_order_step(w->L, x0, p0, h, x1, p1, &info));
  memcpy(w->X1, x1, bytes);
  w->h = h;
  DM_TRY(dm_second_order_eval(w->L, 0, w->X0, w->X1, h));
  *S = w->L->Ld;
  return DM_OK;
}

// dP0 + D00 dX0 + D01 dX1 = 0,   dP1 = D01' dX0 + D11 dX1
static dm_status differentiate_second(dm_discrete_flow *flow, double *A, double *K) {
  second_flow *w = (second_flow *)flow;
  const int m = flow->m;
  dm_second_order *L = w->L;
  DM_TRY(dm_second_order_eval(L, 2, w->X0, w->X1, w->h));
  memcpy(w->M, L->D01, (size_t)(m * m) * sizeof *w->M);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      w->Y[i * 2 * m + j] = -L->D00[i * m + j];
      w->Y[i * 2 * m + m + j] = i == j ? -1 : 0;
    }
  const dm_status s = dm_lu_factor(m, w->M, w->piv);
  if (s != DM_OK) return s;
  dm_lu_solve(m, w->M, w->piv, 2 * m, w->Y);
  memcpy(A, w->Y, (size_t)(2 * m * m) * sizeof *A);
  double *P = A + 2 * m * m;
  dm_gemm(m, 2 * m, m, 1, L->D11, w->Y, 0, P);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) P[i * 2 * m + j] += L->D01[j * m + i];
  memset(K, 0, (size_t)(4 * m * m) * sizeof *K); // no forces
  return DM_OK;
}

static dm_status settle_second(dm_discrete_flow *flow, const double *x, double *p) {
  (void)flow, (void)x, (void)p;
  return DM_OK;
}

static void free_second(dm_discrete_flow *flow) {
  dm_block_free(flow);
}

dm_status dm_second_flow_new(dm_discrete_flow **out, dm_second_order *L) {
  assert(out && L);
  second_flow sizes = {.flow = {.m = L->size,
                                .n = L->n,
                                .rounding = L->k > 2 ? 1e-8 : 1e-10,
                                .levels = 3,
                                .step = step_second,
                                .tangent = differentiate_second,
                                .settle = settle_second,
                                .restrict_tangent = settle_second,
                                .free = free_second},
                       .L = L};
  second_flow *w = dm_block_make(&sizes, sizeof sizes, lay_out_second);
  if (!w) return DM_NO_MEMORY;

  // q^(d) has parity (-1)^d; its momentum, with the k-1-d further time derivatives of a Lagrangian that is even, the
  // opposite
  for (int d = 0; d < L->k; d++)
    for (int i = 0; i < L->n; i++) {
      w->parity[d * L->n + i] = d % 2 ? -1 : 1;
      w->parity[L->size + d * L->n + i] = d % 2 ? 1 : -1;
    }
  w->flow.parity = w->parity;
  *out = &w->flow;
  return DM_OK;
}
