#include "control/feedback/plan.h"

#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"

#include <string.h>

// of a step, what is rounding of a time
static const double ROUNDING = 1e-9;

int fb_plan_knot(int N, double h, double t, double *share) {
  double steps = t * (1 / h);
  if (!(steps > 0)) steps = 0;
  if (steps > N) steps = N;
  const int k = (int)(steps + ROUNDING);
  *share = steps - k;
  if (*share < ROUNDING) *share = 0;
  return k;
}

void fb_plan_cubic(int n, double h, double s, const double *q0, const double *v0, const double *q1,
                   const double *v1, double *q, double *v) {
  const double r = 1 - s, rate = 1 / h;
  for (int i = 0; i < n; i++) {
    // the line's rate, and by how much the ends' rates differ from it
    const double d = q1[i] - q0[i];
    const double a = h * v0[i] - d;
    const double b = d - h * v1[i];
    q[i] = q0[i] + s * (d + r * (r * a + s * b));
    // its derivative by s, over h
    v[i] = v0[i] + rate * s * ((r + r - s) * (b - a) - a - a);
  }
}

void fb_plan_line(const double *table, int rows, size_t len, int k, double s, double *x) {
  const double *from = table + (size_t)(k < rows ? k : rows - 1) * len;
  const double *to = table + (size_t)(k + 1 < rows ? k + 1 : rows - 1) * len;
  for (size_t i = 0; i < len; i++) x[i] = from[i] + s * (to[i] - from[i]);
}

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
  const int k = fb_plan_knot(f->N, f->h, t, &share), next = k < f->N ? k + 1 : k;
  const double *from = dm_row(f->x, k, f->nx), *to = dm_row(f->x, next, f->nx);

  // places by the cubic, momenta on the line
  fb_plan_cubic((int)n, f->h, share, from, dm_row(v, k, n), to, dm_row(v, next, n), x, rate);
  for (size_t i = n; i < 2 * n; i++) x[i] = from[i] + share * (to[i] - from[i]);
}
