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

// J'WJ + the Hessian of mu.tau
static void hessian(dm_effort *w, double *C_xx) {
  const dm_inverse *x = w->inverse;
  int n = x->n, wide = 3 * n;
  for (int i = 0; i < n; i++) {
    const double *const part[] = {x->tau_q, x->tau_v, x->tau_a};
    double *row = w->J + i * wide;
    for (int p = 0; p < 3; p++) memcpy(row + p * n, part[p] + i * n, (size_t)n * sizeof *row);
    row[n + i] += w->damping[i];
    for (int j = 0; j < wide; j++) w->WJ[i * wide + j] = w->W[i] * row[j];
  }
  dm_gemm_transposed(wide, wide, n, 1, w->J, wide, w->WJ, wide, 0, C_xx, wide);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      double *row = C_xx + i * wide + j;
      row[0] += x->mu.qq[ij], row[n] += x->mu.qv[ij], row[2 * n] += x->mu.qa[ij];
      row += n * wide;
      row[0] += x->mu.qv[ji], row[n] += x->mu.vv[ij];
      row[n * wide] += x->mu.qa[ji];
    }
}

static dm_status eval(const dm_second_lagrangian *C, int order, const double *x, double *value,
                      double *C_x, double *C_xx) {
  dm_effort *w = C->self;
  int n = C->n;
  const double *v = x + n;
  DM_TRY(dm_inverse_eval(w->inverse, order > 1, x, v, x + 2 * n));
  *value = 0;
  for (int i = 0; i < n; i++) {
    w->u[i] = w->inverse->tau[i] + w->damping[i] * v[i];
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
  if (order > 1) hessian(w, C_xx);
  return DM_OK;
}

dm_second_lagrangian dm_effort_lagrangian(dm_effort *w) {
  return (dm_second_lagrangian){.n = w->inverse->n, .k = 2, .self = w, .eval = eval};
}
