#include "lib/mechanics/mass_matrix.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static void lay_out_mass_matrix(void *self, dm_block *b) {
  dm_mass_matrix *w = self;
  size_t n = (size_t)w->n;
  double **vectors[] = {&w->q, &w->zero, &w->x, &w->y, &w->jet.L_q, &w->jet.L_v};
  double **matrices[] = {&w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv};
  for (int i = 0; i < 6; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 3; i++) *matrices[i] = dm_block_alloc(b, n * n, sizeof(double));
  w->scratch = dm_block_alloc(b, w->L.scratch, 1);
}

dm_status dm_mass_matrix_eval(dm_mass_matrix *w) {
  if (!w->evaluated) DM_TRY(w->L.eval(w->L.self, w->scratch, 2, w->q, w->zero, &w->jet));
  w->evaluated = true;
  return DM_OK;
}

// Returns true if M is equal at three positions; false if L is undefined at one of them.
static bool is_constant_matrix(dm_mass_matrix *w) {
  const size_t size = (size_t)(w->n * w->n) * sizeof(double);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < w->n; i++) w->q[i] = cos(1 + 3.7 * i + 11.3 * k) + k;
    w->evaluated = false;
    if (dm_mass_matrix_eval(w) != DM_OK) return false;

    // bitwise comparison: if M depends on q, at least the rounding differs
    if (k == 0) memcpy(w->M->LU, w->jet.L_vv, size);
    if (memcmp(w->M->LU, w->jet.L_vv, size) != 0) return false;
  }
  return true;
}

dm_status dm_mass_matrix_new(dm_mass_matrix **out, const dm_lagrangian *L) {
  dm_mass_matrix sizes = {.L = *L, .n = L->nq};
  dm_mass_matrix *w = dm_block_make(&sizes, sizeof sizes, lay_out_mass_matrix);
  if (!w) return DM_NO_MEMORY;
  if (dm_diagonal_blocks_new(&w->M, w->n) != DM_OK) {
    dm_block_free(w);
    return DM_NO_MEMORY;
  }
  w->constant = is_constant_matrix(w);
  w->evaluated = false;
  *out = w;
  return DM_OK;
}

void dm_mass_matrix_free(dm_mass_matrix *w) {
  if (w) dm_diagonal_blocks_free(w->M);
  dm_block_free(w);
}

void dm_mass_matrix_place(dm_mass_matrix *w, const double *q) {
  const size_t size = (size_t)w->n * sizeof *q;
  if (memcmp(w->q, q, size) == 0) return;
  memcpy(w->q, q, size);
  w->evaluated = false;
  if (!w->constant) w->factored = false;
}

static dm_status factor_matrix(dm_mass_matrix *w) {
  if (w->factored) return DM_OK;
  DM_TRY(dm_mass_matrix_eval(w));
  DM_TRY(dm_diagonal_blocks_factor(w->M, w->jet.L_vv));
  w->factored = true;
  return DM_OK;
}

dm_status dm_mass_matrix_velocity(dm_mass_matrix *w, int m, const double *B, double *out) {
  const int n = w->n;
  DM_TRY(factor_matrix(w));
  if (out != B) memcpy(out, B, (size_t)(m * n) * sizeof *B);
  for (int r = 0; r < m; r++) dm_diagonal_blocks_solve(w->M, dm_row(out, r, n));
  return DM_OK;
}

dm_status dm_mass_matrix_append(dm_mass_matrix *w, double t, const dm_sparse_rows *B, int i,
                                dm_sparse_rows *out) {
  DM_TRY(factor_matrix(w));
  dm_diagonal_blocks_append(w->M, t, B, i, out);
  return DM_OK;
}

// y = V_qq x
static void multiply_curvature(dm_mass_matrix *w) {
  dm_gemm(w->n, 1, w->n, -1, w->jet.L_qq, w->x, 0, w->y);
}

dm_status dm_mass_matrix_verlet(dm_mass_matrix *w, double h, int m, const double *B, double *out) {
  if (!w->constant) return DM_UNAVAILABLE;
  DM_TRY(dm_mass_matrix_eval(w));

  // for each row: x = M^-1 b, then x + h^2/6 M^-1 V_qq x
  for (int r = 0; r < m; r++) {
    DM_TRY(dm_mass_matrix_velocity(w, 1, B + r * w->n, w->x));
    multiply_curvature(w);
    DM_TRY(dm_mass_matrix_velocity(w, 1, w->y, w->y));
    for (int i = 0; i < w->n; i++) out[r * w->n + i] = w->x[i] + h * h / 6 * w->y[i];
  }
  return DM_OK;
}

dm_status dm_mass_matrix_energy(dm_mass_matrix *w, double h, const double *p, double *H) {
  if (h > 0 && !w->constant) return DM_UNAVAILABLE;
  DM_TRY(dm_mass_matrix_eval(w));

  // H = p.M^-1 p/2 + V, as L = -V at zero velocity
  DM_TRY(dm_mass_matrix_velocity(w, 1, p, w->x));
  *H = -w->jet.L;
  for (int i = 0; i < w->n; i++) *H += p[i] * w->x[i] / 2;

  if (h > 0) {
    // h^2/12 v.V_qq v, v = M^-1 p
    multiply_curvature(w);
    for (int i = 0; i < w->n; i++) *H += h * h / 12 * w->x[i] * w->y[i];

    // -h^2/24 V_q.M^-1 V_q
    DM_TRY(dm_mass_matrix_velocity(w, 1, w->jet.L_q, w->y));
    for (int i = 0; i < w->n; i++) *H -= h * h / 24 * w->jet.L_q[i] * w->y[i];
  }
  return isfinite(*H) ? DM_OK : DM_NOT_FINITE;
}
