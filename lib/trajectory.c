#include "lib/trajectory.h"

#include "lib/block.h"
#include "lib/continuous.h"

#include <math.h>
#include <string.h>

static void lay_out(dm_trajectory *x, dm_block *b) {
  size_t knots = (size_t)x->N + 1, n = (size_t)x->n;
  x->q = dm_take(b, knots * n, sizeof *x->q);
  x->p = dm_take(b, knots * n, sizeof *x->p);
  x->v = dm_take(b, knots * n, sizeof *x->v);
  x->u = dm_take(b, (size_t)x->N * (size_t)x->nu, sizeof *x->u);
}

dm_status dm_trajectory_new(dm_trajectory **out, int N, int n, int nu) {
  dm_trajectory sizes = {.N = N, .n = n, .nu = nu};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  dm_trajectory *x = dm_take(&block, 1, sizeof *x);
  *x = sizes;
  lay_out(x, &block);
  *out = x;
  return DM_OK;
}

void dm_trajectory_free(dm_trajectory *x) {
  dm_block_free(x);
}

// v at knots 0..last from q and p
static dm_status velocities(dm_trajectory *x, const dm_system *s, int last) {
  dm_continuous *c;
  DM_TRY(dm_continuous_new(&c, s));
  dm_status status = DM_OK;
  for (int k = 0; k <= last && status == DM_OK; k++)
    status = dm_velocity_of(c, x->q + k * x->n, x->p + k * x->n, x->v + k * x->n);
  dm_continuous_free(c);
  return status;
}

dm_status dm_trajectory_momenta(dm_trajectory *x, const dm_system *s) {
  dm_discrete *d;
  DM_TRY(dm_discrete_new(&d, s));
  dm_status status = DM_OK;
  int n = x->n;
  for (int k = 0; k < x->N && status == DM_OK; k++) {
    status = dm_discrete_eval(d, 1, x->q + k * n, x->q + (k + 1) * n, x->u + k * x->nu, x->h);
    for (int i = 0; i < n; i++) x->p[k * n + i] = -d->D1[i];
  }
  memcpy(x->p + x->N * n, d->D2, (size_t)n * sizeof(double));
  dm_discrete_free(d);
  return status == DM_OK ? velocities(x, s, x->N) : status;
}

dm_status dm_trajectory_roll(dm_trajectory *x, dm_del *w, dm_del_info *info, int *failed) {
  int n = x->n, k = 0;
  dm_status status = DM_OK;
  *failed = -1;
  for (; k < x->N; k++) {
    const double *q0 = x->q + k * n;
    double *q1 = x->q + (k + 1) * n;
    // the last step again is the guess
    for (int i = 0; i < n; i++) q1[i] = k > 0 ? 2 * q0[i] - q0[i - n] : q0[i];
    status = dm_del_step(w, q0, x->p + k * n, x->u + k * x->nu, x->h, q1, x->p + (k + 1) * n, info);
    if (status == DM_OK) continue;
    *failed = k;
    break;
  }
  dm_status filled = velocities(x, &w->d->s, k);
  return status != DM_OK ? status : filled;
}

dm_status dm_trajectory_certify(const dm_trajectory *x, dm_del *w, double *worst_gap, int *worst) {
  int n = x->n;
  dm_trajectory *step;
  DM_TRY(dm_trajectory_new(&step, 1, n, x->nu));
  *worst_gap = 0, *worst = 0;
  for (int k = 0; k < x->N; k++) {
    const double *q1 = x->q + (k + 1) * n, *p1 = x->p + (k + 1) * n;
    dm_del_info info;
    memcpy(step->q, q1, (size_t)n * sizeof(double));
    dm_status s =
        dm_del_step(w, x->q + k * n, x->p + k * n, x->u + k * x->nu, x->h, step->q, step->p, &info);
    double gap = s == DM_OK ? 0 : INFINITY;
    for (int i = 0; i < n && s == DM_OK; i++) {
      gap = fmax(gap, fabs(step->q[i] - q1[i]) / (1 + fabs(q1[i])));
      gap = fmax(gap, fabs(step->p[i] - p1[i]) / (1 + fabs(p1[i])));
    }
    if (gap > *worst_gap) *worst_gap = gap, *worst = k;
  }
  dm_trajectory_free(step);
  return DM_OK;
}
