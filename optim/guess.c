#include "optim/guess.h"

#include "lib/continuous.h"

#include <math.h>
#include <string.h>

static double or_else(double x, double y) {
  return isnan(x) ? isnan(y) ? 0 : y : x;
}

static double at(const double *x, int i) {
  return x ? x[i] : NAN;
}

void oc_guess_line(const oc_task *t, dm_trajectory *x) {
  x->h = t->T / t->N;
  for (int k = 0; k <= x->N; k++)
    for (int i = 0; i < x->n; i++) {
      double q0 = or_else(at(t->q_start, i), at(t->q_goal, i));
      double q1 = or_else(at(t->q_goal, i), q0), s = (double)k / x->N;
      double v = k == 0 ? at(t->v_start, i) : k == x->N ? at(t->v_goal, i) : NAN;
      x->q[k * x->n + i] = (1 - s) * q0 + s * q1;
      x->v[k * x->n + i] = or_else(v, (q1 - q0) / (x->N * x->h));
    }
}

dm_status oc_guess_roll(const oc_task *t, const double *u, dm_trajectory *x) {
  dm_del *del = NULL;
  dm_continuous *c = NULL;
  dm_del_info info;
  int failed = -1;
  size_t n = (size_t)x->n;
  oc_guess_line(t, x); // its first knot is the start
  for (int i = 0; i < x->n; i++) x->v[i] = or_else(at(t->v_start, i), 0);
  for (int k = 0; u && k < x->N; k++)
    memcpy(x->u + (size_t)k * (size_t)x->nu, u, (size_t)x->nu * sizeof *u);
  dm_status s = dm_del_new(&del, &t->system, NULL);
  if (s == DM_OK) s = dm_continuous_new(&c, &t->system);
  if (s == DM_OK) s = dm_momentum_of(c, x->q, x->v, x->p);
  if (s == DM_OK && dm_trajectory_roll(x, del, &info, &failed) != DM_OK)
    for (int k = failed + 1; k <= x->N; k++) {
      memcpy(x->q + (size_t)k * n, x->q + (size_t)failed * n, n * sizeof *x->q);
      memset(x->v + (size_t)k * n, 0, n * sizeof *x->v);
    }
  dm_continuous_free(c);
  dm_del_free(del);
  return s;
}

void oc_guess_resample(const dm_trajectory *y, dm_trajectory *x) {
  int n = x->n, nu = x->nu;
  for (int k = 0; k <= x->N; k++) {
    double s = (double)k * y->N / x->N;
    int j = s < y->N ? (int)s : y->N - 1;
    double w = s - j;
    for (int i = 0; i < n; i++) {
      x->q[k * n + i] = (1 - w) * y->q[j * n + i] + w * y->q[(j + 1) * n + i];
      x->v[k * n + i] = (1 - w) * y->v[j * n + i] + w * y->v[(j + 1) * n + i];
    }
    if (k < x->N) memcpy(x->u + k * nu, y->u + j * nu, (size_t)nu * sizeof *x->u);
  }
}
