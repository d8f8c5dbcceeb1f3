#include "optim/transcription/family.h"

#include "optim/transcription/periodic_rows.h"

#include <math.h>

void oc_family_variables(const oc_transcription *t, oc_family f[OC_VARIABLE_FAMILIES]) {
  const int n = t->n, N = t->N, stage = n + t->nu + t->nc, speed = n + t->nc;
  const double h = 1.0 / N;
  f[OC_POSITIONS] = (oc_family){0, stage, n, N + 1, 0, 1, 0, 1};
  f[OC_INPUTS] = (oc_family){n, stage, t->nu, N, h / 2, 1 - h / 2, 0, 1};
  f[OC_IMPULSES] = (oc_family){n + t->nu, stage, t->nc, N, 0, 1 - h, 1, 0};
  f[OC_LAST_IMPULSE] = (oc_family){oc_transcription_lambda(t, N), 1, t->nc, 1, 1, 1, 1, 0};
  f[OC_START_VELOCITY] = (oc_family){t->v[0], 1, n, 1, 0, 0, 0, 0};
  f[OC_GOAL_VELOCITY] = (oc_family){t->v[1], 1, n, 1, 1, 1, 0, 0};
  f[OC_VELOCITIES] =
      (oc_family){oc_transcription_velocity(t, 1), speed, speed, t->moving, h, 1 - h, 0, 1};
  f[OC_STEP] = (oc_family){t->h < 0 ? 0 : t->h, 1, 1, t->h >= 0, 0, 0, 1, -1};
  f[OC_CURVE_PLACES] = (oc_family){t->s < 0 ? 0 : t->s, 1, 1, t->s < 0 ? 0 : N + 1, 0, 1, 0, 1};
}

void oc_family_rows(const oc_transcription *t, oc_family f[OC_ROW_FAMILIES]) {
  const int n = t->n, nc = t->nc, N = t->N, sides = t->h < 0 ? 1 : 2;
  const int limits = t->nlim * sides, rates = t->nrate * sides, speed = n + nc;
  const int paths = t->task.npaths, m = t->s < 0 ? 0 : t->task.outputs.follow.curve->m;
  const int ends = oc_periodic_rows_count(&t->task);
  const double h = 1.0 / N, mid = 1 - h / 2;
  f[OC_MOTION_ROWS] = (oc_family){0, n, n, N + 1, 0, 1, 0, 0};
  f[OC_CONSTRAINT_ROWS] = (oc_family){oc_transcription_constraint(t, 0), nc, nc, N + 1, 0, 1, 0, 1};
  f[OC_CONSTRAINT_RATE_ROWS] =
      (oc_family){oc_transcription_constraint_rate(t, 0), nc, nc, 2, 0, 1, 0, 0};
  f[OC_SPEED_ROWS] = (oc_family){oc_transcription_limits(t), limits, limits, N, h / 2, mid, 0, 0};
  f[OC_RATE_ROWS] =
      (oc_family){oc_transcription_rates(t), rates, rates, t->nchange, h, t->nchange * h, 0, 0};
  f[OC_VELOCITY_ROWS] =
      (oc_family){oc_transcription_velocity_row(t, 1), speed, speed, t->moving, h, 1 - h, 0, 1};
  f[OC_PATH_ROWS] = (oc_family){oc_transcription_path_row(t, 0), paths, paths, N, 0, 1 - h, 0, 1};
  f[OC_PERIODIC_ROWS] = (oc_family){oc_transcription_periodic_row(t), 1, ends, 1, 1, 1, 0, 0};
  f[OC_CURVE_ROWS] = (oc_family){oc_transcription_curve_row(t, 0), m, m, N + 1, 0, 1, 0, 1};
  f[OC_ORDER_ROWS] = (oc_family){oc_transcription_order_row(t), 1, m > 0, N, h / 2, mid, 0, 0};
}

oc_family oc_family_output(const oc_transcription *t, int i) {
  const oc_placed_limit *l = &t->out_limit[i];
  const double N = t->N;
  return (oc_family){l->row,       1,           1, l->last - l->first + 1,
                     l->first / N, l->last / N, 0, l->last > l->first};
}

// Where time t is among the groups of a, from 0.
static double find_place(const oc_family *a, double t, bool hold) {
  const int last = a->count - 1;
  const double s = last ? (t - a->first) / (a->last - a->first) * last : 0;
  return hold ? fmin(fmax(s, 0), last) : s;
}

void oc_family_interpolate(const oc_family *a, const double *from, const oc_family *b, double *to,
                           double scale, int points, bool hold) {
  enum { MOST = 8 };
  int p = points < a->count ? points : a->count;
  if (p > MOST) p = MOST;
  for (int k = 0; k < b->count && a->count > 0; k++) {
    // the p groups about its place
    const double s = find_place(a, oc_family_time(b, k), hold);
    int j = (int)floor(s) - (p - 1) / 2;
    if (j < 0) j = 0;
    if (j > a->count - p) j = a->count - p;

    // Lagrange's weights
    double w[MOST];
    for (int c = 0; c < p; c++) {
      w[c] = scale;
      for (int d = 0; d < p; d++)
        if (d != c) w[c] *= (s - (j + d)) / (c - d);
    }
    const double *x = from + a->at + (size_t)j * (size_t)a->stride;
    double *y = to + b->at + (size_t)k * (size_t)b->stride;
    for (int i = 0; i < a->size; i++) {
      y[i] = 0;
      for (int c = 0; c < p; c++) y[i] += w[c] * x[c * a->stride + i];
    }
  }
}
