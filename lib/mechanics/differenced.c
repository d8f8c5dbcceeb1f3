#include "lib/mechanics/differenced.h"

#include "lib/base/block.h"

#include <float.h>
#include <math.h>

// eps^(1/5)
static const double STEP = 7.4e-4;

typedef struct work {
  void *own;         // scratch of L
  double *x, *slope; // [2n]
  double *H;         // [3 n^2]
} work;

static work open_work(const dm_differenced *c, dm_block *b) {
  const size_t n = (size_t)c->L.nq;
  work w = {.own = dm_block_alloc(b, c->L.scratch, 1)};
  w.x = dm_block_alloc(b, 2 * n, sizeof(double));
  w.slope = dm_block_alloc(b, 2 * n, sizeof(double));
  w.H = dm_block_alloc(b, 3 * n * n, sizeof(double));
  return w;
}

static dm_jet place_hessian(int n, double *H) {
  const int nn = n * n;
  return (dm_jet){.L_qq = H, .L_qv = H + nn, .L_vv = H + 2 * nn};
}

// T += factor H(x + e a)
static dm_status add_hessian(const dm_differenced *c, work *w, const double *q, const double *v,
                             const double *a_q, const double *a_v, double e, double factor,
                             dm_jet *T) {
  const int n = c->L.nq, nn = n * n;
  dm_jet at = place_hessian(n, w->H);
  at.L_q = w->slope;
  at.L_v = w->slope + n;
  for (int i = 0; i < n; i++) {
    w->x[i] = q[i] + e * a_q[i];
    w->x[n + i] = v[i] + e * a_v[i];
  }
  DM_TRY(c->L.eval(c->L.self, w->own, 2, w->x, w->x + n, &at));
  for (int i = 0; i < nn; i++) {
    T->L_qq[i] += factor * at.L_qq[i];
    T->L_qv[i] += factor * at.L_qv[i];
    T->L_vv[i] += factor * at.L_vv[i];
  }
  return DM_OK;
}

// the step; 0: the direction is zero
static double find_step(const dm_differenced *c, const double *a_q, const double *a_v) {
  const int n = c->L.nq;
  double most = 0;
  for (int i = 0; i < 2 * n; i++) {
    const double a = fabs(i < n ? a_q[i] : a_v[i - n]) / (c->size ? c->size[i] : 1);
    if (a > most) most = a;
  }
  return most > 0 ? STEP / most : 0;
}

// T(a) with the step `times` e
static dm_status difference(const dm_differenced *c, void *scratch, const double *q,
                            const double *v, const double *a_q, const double *a_v, double times,
                            dm_jet *T) {
  const int nn = c->L.nq * c->L.nq;
  const double e = times * find_step(c, a_q, a_v);
  const double at[] = {e, -e, 2 * e, -2 * e}, factor[] = {8, -8, -1, 1};
  dm_block b = {.base = scratch};
  work w = open_work(c, &b);
  memset(T->L_qq, 0, (size_t)nn * sizeof(double));
  memset(T->L_qv, 0, (size_t)nn * sizeof(double));
  memset(T->L_vv, 0, (size_t)nn * sizeof(double));
  for (int i = 0; i < 4 && e > 0; i++)
    DM_TRY(add_hessian(c, &w, q, v, a_q, a_v, at[i], factor[i] / (12 * e), T));
  return DM_OK;
}

static dm_status eval_differenced(const void *self, void *scratch, int order, const double *q,
                                  const double *v, dm_jet *out) {
  const dm_differenced *c = self;
  return c->L.eval(c->L.self, scratch, order, q, v, out);
}

static dm_status contract_differenced(const void *self, void *scratch, const double *q,
                                      const double *v, const double *a_q, const double *a_v,
                                      dm_jet *out) {
  return difference(self, scratch, q, v, a_q, a_v, 1, out);
}

dm_lagrangian dm_differenced_lagrangian(const dm_differenced *c) {
  dm_lagrangian L = c->L;
  dm_block b = {0};
  open_work(c, &b);
  L.self = c;
  L.scratch = (b.used + 63) & ~(size_t)63;
  L.eval = eval_differenced;
  L.contract = contract_differenced;
  L.lanes = 0;
  return L;
}

bool dm_lagrangian_is_differenced(const dm_lagrangian *L) {
  return L->contract == contract_differenced;
}

dm_status dm_differenced_error(const dm_lagrangian *L, void *room, const double *q, const double *v,
                               const double *a_q, const double *a_v, double *error, double *order) {
  const dm_differenced *c = L->self;
  const int n = L->nq, size = 3 * n * n;
  double *const first = (double *)(void *)((char *)room + L->scratch), *const other = first + size;
  double far[4] = {0}, most = 0;
  const double times[] = {1, 2, 16, 32};
  for (int k = 0; k < 4; k++) {
    dm_jet at = place_hessian(n, k ? other : first);
    DM_TRY(difference(c, room, q, v, a_q, a_v, times[k], &at));
    for (int i = 0; i < size; i++) {
      if (fabs(first[i]) > most) most = fabs(first[i]);
      if (k && fabs(other[i] - first[i]) > far[k]) far[k] = fabs(other[i] - first[i]);
    }
  }
  *error = most > 0 ? far[1] / most : far[1];
  *order = far[2] > 100 * far[1] ? log2(far[3] / far[2]) : NAN;
  return DM_OK;
}
