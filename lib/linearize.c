#include "lib/linearize.h"

#include "lib/block.h"
#include "lib/dense.h"

#include <string.h>

static void lay_out(dm_linearize *w, dm_block *b, size_t n) {
  double **matrices[] = {&w->LU, &w->Minv, &w->Q, &w->P};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_take(b, n * n, sizeof(double));
  w->piv = dm_take(b, n, sizeof *w->piv);
}

dm_status dm_linearize_new(dm_linearize **out, const dm_system *s) {
  dm_linearize sizes = {0};
  size_t n = (size_t)s->L.nq;
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block, n);
  DM_TRY(dm_block_new(&block));
  dm_linearize *w = dm_take(&block, 1, sizeof *w);
  lay_out(w, &block, n);
  dm_status status = dm_discrete_new(&w->d, s);
  if (status != DM_OK) {
    dm_linearize_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_linearize_free(dm_linearize *w) {
  if (w) dm_discrete_free(w->d);
  dm_block_free(w);
}

dm_status dm_linearize_step(dm_linearize *w, const double *q0, const double *q1, const double *u,
                            double h, double *A, double *B) {
  dm_discrete *d = w->d;
  int n = d->n, nu = d->nu;
  size_t row = (size_t)n * sizeof(double);
  DM_TRY(dm_discrete_eval(d, 2, q0, q1, u, h));

  // q1_p = -D12^-1
  memcpy(w->LU, d->D12, row * (size_t)n);
  DM_TRY(dm_lu_factor(n, w->LU, w->piv));
  memset(w->Minv, 0, row * (size_t)n);
  for (int i = 0; i < n; i++) w->Minv[i * n + i] = -1;
  dm_lu_solve(n, w->LU, w->piv, n, w->Minv);

  // q1_q = q1_p D11, p1_q = D22 q1_q + D21
  dm_gemm(n, n, n, 1, w->Minv, d->D11, 0, w->Q);
  memcpy(w->P, d->D21, row * (size_t)n);
  dm_gemm(n, n, n, 1, d->D22, w->Q, 1, w->P);
  for (int i = 0; i < n; i++) {
    memcpy(A + 2 * i * n, w->Q + i * n, row);
    memcpy(A + (2 * i + 1) * n, w->Minv + i * n, row);
    memcpy(A + 2 * (n + i) * n, w->P + i * n, row);
  }

  // p1_p = D22 q1_p
  dm_gemm(n, n, n, 1, d->D22, w->Minv, 0, w->P);
  for (int i = 0; i < n; i++) memcpy(A + (2 * (n + i) + 1) * n, w->P + i * n, row);

  // an input's column has one entry: q1_u = q1_p D1u, p1_u = p1_p D1u + D2u
  for (int c = 0; c < nu; c++) {
    int at = d->s.input_coord[c];
    for (int i = 0; i < n; i++) {
      B[i * nu + c] = w->Minv[i * n + at] * d->D1u[c];
      B[(n + i) * nu + c] = w->P[i * n + at] * d->D1u[c] + (i == at ? d->D2u[c] : 0);
    }
  }
  return DM_OK;
}
