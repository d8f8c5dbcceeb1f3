#include "lib/discrete/middle_rows.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <string.h>

static void lay_out_middle(void *self, dm_block *b) {
  dm_middle_rows *w = self;
  const size_t n = (size_t)w->n, nc = (size_t)w->nc, nv = (size_t)w->nv;
  const struct {
    double **at;
    size_t count;
  } arrays[] = {{&w->g, nv},       {&w->g_0, nv * n}, {&w->g_1, nv * n}, {&w->g_h, nv},
                {&w->H_00, n * n}, {&w->H_01, n * n}, {&w->H_11, n * n}, {&w->H_h, n},
                {&w->qm, n},       {&w->x, n},        {&w->rows, nc},    {&w->A, nc * n},
                {&w->J, nc * n},   {&w->b_q, nv * n}, {&w->G, n * n},    {&w->S, n * n},
                {&w->nu, nc}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = dm_block_alloc(b, arrays[i].count, sizeof(double));
  w->scratch = dm_block_alloc(b, w->hol.scratch, 1);
}

dm_status dm_middle_rows_new(dm_middle_rows **out, const dm_holonomic *hol, int n) {
  dm_middle_rows sizes = {.hol = *hol, .n = n, .nc = hol->nc, .nv = hol->nv};
  sizes.nh = hol->nc - hol->nv;
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_middle);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_middle_rows_free(dm_middle_rows *w) {
  dm_block_free(w);
}

static void place_middle(dm_middle_rows *w, const double *q0, const double *q1) {
  for (int i = 0; i < w->n; i++) {
    w->qm[i] = (q0[i] + q1[i]) / 2;
    w->x[i] = q1[i] - q0[i];
  }
}

dm_status dm_middle_rows_eval(dm_middle_rows *w, const double *q0, const double *q1, double h) {
  const dm_holonomic *hol = &w->hol;
  const int n = w->n;
  place_middle(w, q0, q1);
  DM_TRY(hol->eval(hol->self, w->scratch, w->qm, w->rows, w->A));
  DM_TRY(hol->directional(hol->self, w->scratch, w->qm, w->x, NULL, w->J, NULL));
  if (hol->drift) DM_TRY(hol->drift(hol->self, w->scratch, w->qm, NULL, w->g_h, w->b_q, NULL));

  // g = A x + h b; the derivatives by q1 and q0 differ by the sign of A
  for (int r = 0; r < w->nv; r++) {
    const double *A = w->A + (w->nh + r) * n, *J = w->J + (w->nh + r) * n, *b_q = w->b_q + r * n;
    w->g[r] = dm_inner(n, A, w->x) + h * w->g_h[r];
    for (int i = 0; i < n; i++) {
      w->g_1[r * n + i] = (J[i] + h * b_q[i]) / 2 + A[i];
      w->g_0[r * n + i] = (J[i] + h * b_q[i]) / 2 - A[i];
    }
  }
  return DM_OK;
}

dm_status dm_middle_rows_contract(dm_middle_rows *w, const double *q0, const double *q1, double h,
                                  const double *nu) {
  const dm_holonomic *hol = &w->hol;
  const int n = w->n;
  const size_t size = (size_t)(n * n) * sizeof(double);
  place_middle(w, q0, q1);
  memset(w->nu, 0, (size_t)w->nh * sizeof *w->nu);
  memcpy(w->nu + w->nh, nu, (size_t)w->nv * sizeof *nu);
  memset(w->G, 0, size);
  memset(w->S, 0, size);
  memset(w->H_h, 0, (size_t)n * sizeof *w->H_h);

  // h S of b first, then S of A x; G of A'nu
  if (hol->drift) {
    DM_TRY(hol->drift(hol->self, w->scratch, w->qm, nu, w->g_h, w->b_q, w->S));
    for (int i = 0; i < n * n; i++) w->S[i] *= h;
    for (int r = 0; r < w->nv; r++) dm_add_to(n, nu[r] / 2, w->b_q + r * n, w->H_h);
  }
  DM_TRY(hol->directional(hol->self, w->scratch, w->qm, w->x, w->nu, w->J, w->S));
  DM_TRY(hol->contract(hol->self, w->scratch, w->qm, w->nu, w->G));

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double S = w->S[i * n + j] / 4, G = w->G[i * n + j] / 2, Gt = w->G[j * n + i] / 2;
      w->H_00[i * n + j] = S - (G + Gt);
      w->H_01[i * n + j] = S + (Gt - G);
      w->H_11[i * n + j] = S + (G + Gt);
    }
  return DM_OK;
}
