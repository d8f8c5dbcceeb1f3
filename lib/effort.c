#include "lib/effort.h"

#include "lib/block.h"
#include "lib/dense.h"

#include <string.h>

static void lay_out(dm_effort *w, dm_block *b, size_t n) {
  w->u = dm_take(b, n, sizeof *w->u);
  w->mu = dm_take(b, n, sizeof *w->mu);
  w->J = dm_take(b, 3 * n * n, sizeof *w->J);
  w->WJ = dm_take(b, 3 * n * n, sizeof *w->WJ);
}

dm_status dm_effort_new(dm_effort **out, const dm_model *m, const dm_potential *V,
                        const double *W) {
  dm_effort sizes = {.W = W, .damping = m->damping};
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  lay_out(&sizes, &b, (size_t)m->nq);
  DM_TRY(dm_inverse_new(&sizes.inverse, m, V));
  dm_status status = dm_block_new(&b);
  if (status != DM_OK) {
    dm_inverse_free(sizes.inverse);
    return status;
  }
  dm_effort *w = dm_take(&b, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &b, (size_t)m->nq);
  *out = w;
  return DM_OK;
}

void dm_effort_free(dm_effort *w) {
  if (w) dm_inverse_free(w->inverse);
  dm_block_free(w);
}

static dm_status forces(dm_effort *w, int order, const double *x) {
  const dm_inverse *t = w->inverse;
  int n = t->n, wide = 3 * n;
  DM_TRY(dm_inverse_eval(w->inverse, order, x, x + n, x + 2 * n));
  const double *const part[] = {t->tau_q, t->tau_v, t->tau_a};
  for (int i = 0; i < n; i++) {
    double *row = w->J + i * wide;
    w->u[i] = t->tau[i] + w->damping[i] * x[n + i];
    if (order < 1) continue;
    for (int p = 0; p < 3; p++) memcpy(row + p * n, part[p] + i * n, (size_t)n * sizeof *row);
    row[n + i] += w->damping[i];
  }
  return DM_OK;
}

// H += the Hessian of mu.tau
static void add_hessian(const dm_inverse *t, double *H) {
  int n = t->n, wide = 3 * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      double *q = H + i * wide + j, *v = q + n * wide, *a = v + n * wide;
      q[0] += t->mu.qq[ij], q[n] += t->mu.qv[ij], q[2 * n] += t->mu.qa[ij];
      v[0] += t->mu.qv[ji], v[n] += t->mu.vv[ij];
      a[0] += t->mu.qa[ji];
    }
}

dm_status dm_effort_forces(dm_effort *w, int order, const double *x, const double *mu, double *H) {
  int wide = 3 * w->inverse->n;
  DM_TRY(forces(w, 1, x));
  if (order < 2) return DM_OK;
  DM_TRY(dm_inverse_contract(w->inverse, 2, mu));
  memset(H, 0, (size_t)(wide * wide) * sizeof *H);
  add_hessian(w->inverse, H);
  return DM_OK;
}

static dm_status eval(const dm_second_lagrangian *C, int order, const double *x, double *value,
                      double *C_x, double *C_xx) {
  dm_effort *w = C->self;
  int n = C->n, wide = 3 * n;
  DM_TRY(forces(w, order > 1, x));
  *value = 0;
  for (int i = 0; i < n; i++) {
    w->mu[i] = w->W[i] * w->u[i];
    *value += 0.5 * w->mu[i] * w->u[i];
  }
  DM_TRY(dm_inverse_contract(w->inverse, order, w->mu));
  const dm_inverse_pair *g = &w->inverse->mu;
  for (int i = 0; i < n; i++) {
    C_x[i] = g->q[i];
    C_x[n + i] = g->v[i] + w->damping[i] * w->mu[i];
    C_x[2 * n + i] = g->a[i];
  }
  if (order < 2) return DM_OK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < wide; j++) w->WJ[i * wide + j] = w->W[i] * w->J[i * wide + j];
  dm_gemm_transposed(wide, wide, n, 1, w->J, wide, w->WJ, wide, 0, C_xx, wide);
  add_hessian(w->inverse, C_xx);
  return DM_OK;
}

dm_second_lagrangian dm_effort_lagrangian(dm_effort *w) {
  return (dm_second_lagrangian){.n = w->inverse->n, .k = 2, .self = w, .eval = eval};
}
