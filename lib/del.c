#include "lib/del.h"

#include "lib/block.h"
#include "lib/dense.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void lay_out(dm_del *w, dm_block *b, size_t n) {
  w->r = dm_take(b, n, sizeof *w->r);
  w->dq = dm_take(b, n, sizeof *w->dq);
  w->q = dm_take(b, n, sizeof *w->q);
  w->LU = dm_take(b, n * n, sizeof *w->LU);
  w->piv = dm_take(b, n, sizeof *w->piv);
}

dm_status dm_del_new(dm_del **out, const dm_system *s, const dm_del_settings *set) {
  dm_del sizes = {.set = set ? *set : (dm_del_settings){.max_iter = 50, .tol = 1e-13}};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block, (size_t)s->L.nq);
  DM_TRY(dm_block_new(&block));
  dm_del *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block, (size_t)s->L.nq);
  dm_status status = dm_discrete_new(&w->d, s);
  if (status != DM_OK) {
    dm_del_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_del_free(dm_del *w) {
  if (w) dm_discrete_free(w->d);
  dm_block_free(w);
}

// evaluate r = p0 + D1 at w->q: its largest entry (NAN where it cannot be evaluated) and the size
// of the terms that cancel in it
static double residual(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                       double *size, int *worst) {
  dm_discrete *d = w->d;
  if (dm_discrete_eval(d, 2, q0, w->q, u, h) != DM_OK) return NAN;
  double most = -1, sum = 0;
  *size = 0;
  for (int i = 0; i < d->n; i++) {
    w->r[i] = p0[i] + d->D1[i];
    sum += w->r[i];
    if (fabs(w->r[i]) > most) most = fabs(w->r[i]), *worst = i;
    *size = fmax(*size, fmax(fabs(p0[i]), fmax(fabs(d->jet.L_v[i]), h * fabs(d->jet.L_q[i]))));
  }
  return isfinite(sum) ? most : NAN;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

dm_status dm_del_step(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                      double *q1, double *p1, dm_del_info *info) {
  enum { HALVINGS = 12 };
  int n = w->d->n;
  size_t bytes = (size_t)n * sizeof(double);
  double size;
  memcpy(w->q, q1, bytes);
  *info = (dm_del_info){.worst = -1};
  info->residual = residual(w, q0, p0, u, h, &size, &info->worst);
  dm_status status = isnan(info->residual) ? DM_NOT_FINITE : DM_MAX_ITER;
  while (status == DM_MAX_ITER) {
    if (info->residual <= w->set.tol * size) {
      status = DM_OK;
      break;
    }
    if (info->iterations == w->set.max_iter) break;
    info->iterations++;

    // Newton's step from M1 = D12
    memcpy(w->LU, w->d->D12, bytes * (size_t)n);
    status = dm_lu_factor(n, w->LU, w->piv);
    if (status != DM_OK) {
      if (status == DM_SINGULAR) info->condition = dm_lu_condition(n, w->LU, &info->worst);
      break;
    }
    memcpy(w->dq, w->r, bytes);
    dm_lu_solve(n, w->LU, w->piv, 1, w->dq);

    // along it, halving until the residual falls
    double before = info->residual, after, t = 1;
    bool tiny = largest(n, w->dq) <= 4 * DBL_EPSILON * largest(n, w->q);
    int worst = info->worst;
    for (int k = 1;; k++, t /= 2) {
      for (int i = 0; i < n; i++) w->q[i] -= (k == 1 ? t : -t) * w->dq[i];
      after = residual(w, q0, p0, u, h, &size, &worst);
      if (after < before || tiny || k == HALVINGS) break;
    }
    status = DM_MAX_ITER;
    if (!(after < before)) {
      // rounding level or a true stop: back to where the step began
      for (int i = 0; i < n; i++) w->q[i] += t * w->dq[i];
      info->residual = residual(w, q0, p0, u, h, &size, &info->worst);
      if (tiny || info->residual <= 1e4 * w->set.tol * size) status = DM_OK;
      break;
    }
    info->residual = after;
    info->worst = worst;
  }
  if (status < 0) return status;
  memcpy(q1, w->q, bytes);
  memcpy(p1, w->d->D2, bytes);
  return status;
}

void dm_del_explain(dm_message *msg, dm_status s, const dm_del_info *info, int k,
                    const char *const *name) {
  const char *who = name && info->worst >= 0 ? name[info->worst] : "?";
  if (s == DM_SINGULAR)
    dm_fail(msg, s, "no step from knot %d: M1 = D2 D1 Ld is singular (condition above %.1e) in %s",
            k, info->condition, who);
  else if (s == DM_MAX_ITER)
    dm_fail(msg, s,
            "no step from knot %d: Newton left a residual of %.3g in %s after %d iterations", k,
            info->residual, who, info->iterations);
  else
    dm_fail(msg, s, "no step from knot %d: %s", k, dm_status_text(s));
}
