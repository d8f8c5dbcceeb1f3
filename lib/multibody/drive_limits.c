#include "lib/multibody/drive_limits.h"

#include <math.h>
#include <string.h>

bool dm_drive_limits_cut(const dm_drive_limits *d, const double *v, double *u) {
  bool cut = false;
  for (int i = 0; i < d->n; i++) {
    if (!(d->slope[i] > 0)) continue;
    const double back = d->slope[i] * v[d->coord[i]];
    const double high = d->stall[i] - back, low = -d->stall[i] - back;
    cut = cut || u[i] > high || u[i] < low;
    if (u[i] > high) u[i] = high;
    if (u[i] < low) u[i] = low;
  }
  return cut;
}

double dm_drive_limits_move(const dm_drive_limits *d, int i, double c, double time, double *m) {
  const double start = *m, lag = d->lag[i], rate = d->rate[i];
  const double to = fmin(fmax(c, d->low[i]), d->high[i]), off = to - start;

  if (lag == 0 && isinf(rate)) return *m = to;

  // at its rate until lag |m'| = |to - m| allows less
  const double far = isfinite(rate) ? fmax(fabs(off) - rate * lag, 0) : 0;
  const double ramp = far > 0 ? fmin(far / rate, time) : 0, rest = time - ramp;
  const double slope = copysign(far > 0 ? rate : 0, off), then = start + slope * ramp;
  double area = ramp * (start + 0.5 * slope * ramp);

  // then by the lag
  const double share = lag > 0 ? -expm1(-rest / lag) : rest > 0 || ramp == 0;
  *m = then + share * (to - then);
  area += rest * to + (then - to) * lag * (lag > 0 ? share : 0);
  return area / time;
}

enum { MOST_ROUNDS = 60 };

dm_status dm_drive_limits_solve(const dm_drive_limits *d, const double *wanted, double *u,
                                double *scratch, dm_drive_trial trial, void *self) {
  double *r = scratch, *before = scratch + d->n, *v = before + d->n, size = 0, share = 1;
  memcpy(u, wanted, (size_t)d->n * sizeof *u);
  memset(before, 0, (size_t)d->n * sizeof *before);
  for (int round = 0; round <= MOST_ROUNDS; round++) {
    DM_TRY(trial(self, u, v));

    // the residual of the lines there, relative to the stall torques
    memcpy(r, wanted, (size_t)d->n * sizeof *r);
    dm_drive_limits_cut(d, v, r);
    double along = 0, change = 0;
    size = 0;
    for (int i = 0; i < d->n; i++) {
      r[i] -= u[i];
      if (r[i] != 0) size = fmax(size, fabs(r[i]) / d->stall[i]);
      const double difference = r[i] - before[i];
      along += before[i] * difference;
      change += difference * difference;
    }
    if (size <= 1e-12 || round == MOST_ROUNDS) break;

    // u <- u + share r, with the share at which the last two residuals would vanish
    if (round > 0 && change > 0) share = fmin(1, fmax(0.01, -share * along / change));
    for (int i = 0; i < d->n; i++) {
      before[i] = r[i];
      u[i] += share * r[i];
    }
  }
  return size <= 1e-9 ? DM_OK : DM_MAX_ITER;
}

bool dm_drive_limits_lines(const dm_drive_limits *d) {
  for (int i = 0; i < d->n; i++)
    if (d->slope[i] > 0) return true;
  return false;
}

bool dm_drive_limits_lags(const dm_drive_limits *d) {
  for (int i = 0; i < d->n; i++)
    if (d->lag[i] > 0) return true;
  return false;
}

// -- lags

int dm_drive_neighbours(int N, int k, bool circular, int at[2]) {
  const bool first = k == 0, last = k == N - 1, wraps = circular && N > 2;
  at[0] = first ? (wraps ? N - 1 : 0) : k - 1;
  at[1] = last ? (wraps ? 0 : k) : k + 1;
  return wraps || (!first && !last) ? 2 : N > 1;
}

double dm_drive_command(int N, const double *u, int stride, int k, bool circular, double lag,
                        double h) {
  int at[2];
  const int apart = dm_drive_neighbours(N, k, circular, at);
  if (apart == 0) return u[k * stride];
  return u[k * stride] + lag * (u[at[1] * stride] - u[at[0] * stride]) / (apart * h);
}

double dm_drive_torque_at(int N, const double *u, int stride, int k) {
  if (N == 1) return u[0];
  if (k == 0) return u[0] - (u[stride] - u[0]) / 2;
  if (k == N) return u[(N - 1) * stride] + (u[(N - 1) * stride] - u[(N - 2) * stride]) / 2;
  return (u[(k - 1) * stride] + u[k * stride]) / 2;
}

// -- u + slope v as a function

static dm_status eval_lines(const void *self, void *scratch, const double *x, double *y,
                            double *y_x) {
  const dm_drive_limits *d = self;
  const size_t nx = (size_t)d->nq + (size_t)d->n;
  (void)scratch;
  if (y_x) memset(y_x, 0, (size_t)d->n * nx * sizeof *y_x);
  for (int i = 0; i < d->n; i++) {
    y[i] = x[d->nq + i];
    if (y_x) y_x[(size_t)i * nx + (size_t)(d->nq + i)] = 1;
    if (!(d->slope[i] > 0)) continue;
    y[i] += d->slope[i] * x[d->coord[i]];
    if (y_x) y_x[(size_t)i * nx + (size_t)d->coord[i]] = d->slope[i];
  }
  return DM_OK;
}

static bool moves_line(const void *self, int row, int a) {
  const dm_drive_limits *d = self;
  return a == d->nq + row || (d->slope[row] > 0 && a == d->coord[row]);
}

static bool couples_nothing(const void *self, int row, int a, int b) {
  (void)self, (void)row, (void)a, (void)b;
  return false;
}

static const char *name_line(const void *self, int row) {
  return ((const dm_drive_limits *)self)->name[row];
}

dm_function dm_drive_limits_function(const dm_drive_limits *d) {
  return (dm_function){.ny = d->n,
                       .size = {[DM_V] = d->nq, [DM_U] = d->n},
                       .self = d,
                       .eval = eval_lines,
                       .moves = moves_line,
                       .couples = couples_nothing,
                       .row_name = name_line};
}
