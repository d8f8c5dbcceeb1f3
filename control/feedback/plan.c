#include "control/feedback/plan.h"

#include "control/onboard/onboard.h"
#include "lib/base/dense.h"

#include <string.h>

dm_status fb_plan_speeds(const fb_tvlqr *f, const dm_system *s, double *v, int *knot) {
  const size_t n = (size_t)s->L.nq;
  dm_continuous *m;
  DM_TRY(dm_continuous_new(&m, s));

  // v = M(q)^-1 p, along the constraints
  dm_status status = DM_OK;
  memset(v, 0, ((size_t)f->N + 1) * n * sizeof *v);
  for (int k = 0; k <= f->N && status == DM_OK; k++) {
    const double *x = dm_row(f->x, k, f->nx);
    status = dm_velocity_of(m, x, x + n, dm_row(v, k, n));
    if (status == DM_OK && s->hol.nc) status = dm_velocity_restrict(m, x, dm_row(v, k, n));
    *knot = k;
  }
  dm_continuous_free(m);
  return status;
}

void fb_plan_state(const fb_tvlqr *f, const double *v, double t, double *x, double *rate) {
  const size_t n = (size_t)f->nx / 2;
  double share;
  const int k = fb_onboard_knot(f->N, f->h, t, &share), next = k < f->N ? k + 1 : k;
  const double *from = dm_row(f->x, k, f->nx), *to = dm_row(f->x, next, f->nx);

  // positions by the cubic, momenta linearly
  fb_onboard_cubic((int)n, f->h, share, from, dm_row(v, k, n), to, dm_row(v, next, n), x, rate);
  for (size_t i = n; i < 2 * n; i++) x[i] = from[i] + share * (to[i] - from[i]);
}

// (q,v)' = (v, a(q,v,u)) into rate [2n], at y + share of `along` [2n] (NULL: at y)
static dm_status find_motion_rate(dm_continuous *m, int n, const double *y, double share,
                                  const double *along, const double *u, double *at, double *rate) {
  for (int i = 0; i < 2 * n; i++) at[i] = y[i] + (along ? share * along[i] : 0);
  memcpy(rate, at + n, (size_t)n * sizeof *rate);
  return dm_acceleration(m, at, at + n, u, rate + n);
}

dm_status fb_plan_before(dm_continuous *m, int n, double h, const double *q, const double *v,
                         const double *u, double *scratch, double *before) {
  enum { PARTS = 8 };
  const double step = -h / PARTS;
  double *y = scratch, *at = y + 2 * n, *k1 = at + 2 * n, *k2 = k1 + 2 * n, *k3 = k2 + 2 * n;
  double *k4 = k3 + 2 * n;
  memcpy(y, q, (size_t)n * sizeof *y);
  memcpy(y + n, v, (size_t)n * sizeof *y);

  // the fourth-order Runge-Kutta method, backwards
  for (int part = 0; part < PARTS; part++) {
    DM_TRY(find_motion_rate(m, n, y, 0, NULL, u, at, k1));
    DM_TRY(find_motion_rate(m, n, y, step / 2, k1, u, at, k2));
    DM_TRY(find_motion_rate(m, n, y, step / 2, k2, u, at, k3));
    DM_TRY(find_motion_rate(m, n, y, step, k3, u, at, k4));
    for (int i = 0; i < 2 * n; i++) y[i] += step / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  memcpy(before, y, (size_t)n * sizeof *before);
  return DM_OK;
}
