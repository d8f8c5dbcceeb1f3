#include "lib/mechanics/hyperdual.h"

// the point (q, v) in the caller's scratch, without infinitesimals
static dm_hyperdual *place_point(const dm_hyperdual_lagrangian *c, void *scratch, const double *q,
                                 const double *v) {
  dm_hyperdual *x = scratch;
  for (int i = 0; i < c->nq; i++) {
    x[i] = dm_hyperdual_number(q[i]);
    x[c->nq + i] = dm_hyperdual_number(v[i]);
  }
  return x;
}

// L with e1 along variable i and e2 along variable j
static dm_hyperdual eval_pair(const dm_hyperdual_lagrangian *c, dm_hyperdual *x, int i, int j) {
  x[i].x[1] = 1;
  x[j].x[2] = 1;
  const dm_hyperdual y = c->L(c->self, x, x + c->nq);
  x[i].x[1] = 0;
  x[j].x[2] = 0;
  return y;
}

// the entry of variables i <= j in the blocks of a Hessian
static void put_entry(int n, int i, int j, double h, dm_jet *out) {
  if (j < n) out->L_qq[i * n + j] = out->L_qq[j * n + i] = h;
  if (i < n && j >= n) out->L_qv[i * n + j - n] = h;
  if (i >= n) out->L_vv[(i - n) * n + j - n] = out->L_vv[(j - n) * n + i - n] = h;
}

static dm_status eval_dual(const void *self, void *scratch, int order, const double *q,
                           const double *v, dm_jet *out) {
  const dm_hyperdual_lagrangian *c = self;
  const int n = c->nq;
  dm_hyperdual *x = place_point(c, scratch, q, v);
  for (int i = 0; i < 2 * n; i++)
    for (int j = order > 1 ? i : 2 * n - 1; j < 2 * n; j++) {
      const dm_hyperdual y = eval_pair(c, x, i, j);
      out->L = y.x[0];
      *(i < n ? &out->L_q[i] : &out->L_v[i - n]) = y.x[1];
      if (order > 1) put_entry(n, i, j, y.x[3], out);
    }
  return isfinite(out->L) ? DM_OK : DM_NOT_FINITE;
}

static dm_status contract_dual(const void *self, void *scratch, const double *q, const double *v,
                               const double *a_q, const double *a_v, dm_jet *out) {
  const dm_hyperdual_lagrangian *c = self;
  const int n = c->nq;
  dm_hyperdual *x = place_point(c, scratch, q, v);
  for (int i = 0; i < n; i++) {
    x[i].x[4] = a_q[i];
    x[n + i].x[4] = a_v[i];
  }
  for (int i = 0; i < 2 * n; i++)
    for (int j = i; j < 2 * n; j++) put_entry(n, i, j, eval_pair(c, x, i, j).x[7], out);
  return DM_OK;
}

dm_lagrangian dm_hyperdual_lagrangian_functions(const dm_hyperdual_lagrangian *c) {
  return (dm_lagrangian){.nq = c->nq,
                         .self = c,
                         .scratch = (2 * (size_t)c->nq * sizeof(dm_hyperdual) + 63) & ~(size_t)63,
                         .eval = eval_dual,
                         .contract = contract_dual};
}
