// Compiled once for each vector width; lib/meson.build sets LANES, KERNEL and the processor's
// options. Fused multiplications are disabled, so that every lane gives the same result as
// lib/second/torque_cost.c.
#include "lib/second/torque_lanes.h"

#include "lib/multibody/inverse_dynamics.inc"

static void lay_out_torque_lanes(void *self, dm_block *b) {
  dm_torque_lanes *w = self;
  size_t n = (size_t)w->n;
  w->u = dm_block_alloc(b, n, sizeof(REAL));
  w->mu = dm_block_alloc(b, n, sizeof(REAL));
  w->J = dm_block_alloc(b, 3 * n * n, sizeof(REAL));
}

static dm_status open_torque_lanes(dm_torque_lanes **out, const dm_model *m, const double *W) {
  dm_inverse tree = {.n = m->nq, .m = m};
  dm_torque_lanes sizes = {.n = m->nq, .W = W, .damping = m->damping};
  sizes.inverse = dm_block_make(&tree, sizeof tree, lay_out_inverse);
  if (!sizes.inverse) return DM_NO_MEMORY;
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_torque_lanes);
  if (!*out) dm_inverse_free(sizes.inverse);
  return *out ? DM_OK : DM_NO_MEMORY;
}

// C_xx = J'WJ + Hessian of mu.tau, which is linear in a, with M a function of q only
static void form_torque_hessian(const dm_torque_lanes *w, REAL *C_xx) {
  int n = w->n, wide = 3 * n;
  const REAL *J = (const REAL *)w->J;
  const dm_inverse_pair *t = &w->inverse->mu;
  const REAL *qq = (const REAL *)t->qq, *qv = (const REAL *)t->qv;
  const REAL *vv = (const REAL *)t->vv, *qa = (const REAL *)t->qa;

  // the upper triangle, then its mirror image
  for (int r = 0; r < wide; r++)
    for (int c = r; c < wide; c++) {
      REAL sum = real_of(0);
      for (int i = 0; i < n; i++) sum += J[i * wide + r] * (w->W[i] * J[i * wide + c]);
      C_xx[r * wide + c] = C_xx[c * wide + r] = sum;
    }

  // blocks by (q,v,a)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      REAL *q = C_xx + i * wide + j, *v = q + n * wide, *a = v + n * wide; // rows of q, v, a
      q[0] += qq[ij];
      q[n] += qv[ij];
      q[2 * n] += qa[ij];
      v[0] += qv[ji];
      v[n] += vv[ij];
      a[0] += qa[ji];
    }
}

// u = tau + damping v, mu = W u, C = mu.u/2, and J (order 2)
static dm_status eval_torques_at_lanes(dm_torque_lanes *w, int order, const REAL *x, REAL *value) {
  dm_inverse *t = w->inverse;
  int n = w->n, wide = 3 * n;
  REAL *u = (REAL *)w->u, *mu = (REAL *)w->mu, *J = (REAL *)w->J;
  const REAL *const part[] = {(REAL *)t->tau_q, (REAL *)t->tau_v, (REAL *)t->tau_a};
  DM_TRY(eval_inverse(t, order > 1, x, x + n, x + 2 * n));

  *value = real_of(0);
  for (int i = 0; i < n; i++) {
    u[i] = ((const REAL *)t->tau)[i] + w->damping[i] * x[n + i];
    mu[i] = w->W[i] * u[i];
    *value += 0.5 * mu[i] * u[i];
  }

  // row i of J = (tau_q | tau_v + damping | tau_a)
  for (int i = 0; order > 1 && i < n; i++) {
    for (int p = 0; p < 3; p++)
      for (int j = 0; j < n; j++) J[i * wide + p * n + j] = part[p][i * n + j];
    J[i * wide + n + i] += w->damping[i];
  }
  return DM_OK;
}

static dm_status eval_torque_lanes(dm_torque_lanes *w, int order, const double *x, double *value,
                                   double *C_x, double *C_xx) {
  int n = w->n;
  REAL *g = (REAL *)C_x;
  const REAL *mu = (const REAL *)w->mu;
  const dm_inverse_pair *t = &w->inverse->mu;
  DM_TRY(eval_torques_at_lanes(w, order, (const REAL *)x, (REAL *)value));

  // C_x = J'mu
  if (order < 1) return DM_OK;
  contract_inverse(w->inverse, order, mu);
  for (int i = 0; i < n; i++) {
    g[i] = ((const REAL *)t->q)[i];
    g[n + i] = ((const REAL *)t->v)[i] + w->damping[i] * mu[i];
    g[2 * n + i] = ((const REAL *)t->a)[i];
  }
  if (order > 1) form_torque_hessian(w, (REAL *)C_xx);
  return DM_OK;
}

const dm_torque_kernel KERNEL = {LANES, open_torque_lanes, eval_torque_lanes};
