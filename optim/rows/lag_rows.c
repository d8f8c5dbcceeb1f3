#include "optim/rows/lag_rows.h"

#include "lib/multibody/drive_limits.h"

#include <math.h>

// A command as the sum of c_a x_a over one to three inputs: u_k, which is multiplied by h / h_0, and its
// neighbours.
typedef struct command {
  int n, x[3];
  double c[3]; // of the difference; of u_k it is in addition to the factor of h
  double low, high;
} command;

static double first_step(const oc_transcription *t) {
  return t->task.time.T / t->N;
}

// add c to the coefficient of an unknown
static void add_term(command *r, int x, double c) {
  int i = 0;
  while (i < r->n && r->x[i] != x) i++;
  if (i == r->n) {
    r->x[r->n] = x;
    r->c[r->n++] = 0;
  }
  r->c[i] += c;
}

// the command of force l of those with a lag in step k; x[0] is u_k
static command find_command(const oc_transcription *t, int k, int l) {
  const int j = t->lagged[l];
  const double *grid = t->task.time.grid;
  int at[2];
  double apart = dm_drive_neighbours(t->N, k, t->task.periodic, at);
  if (grid) apart = dm_grid_time(grid, t->N, at[1] + 0.5) - dm_grid_time(grid, t->N, at[0] + 0.5);
  const double slope = apart != 0 ? t->task.lag[j] / (apart * first_step(t)) : 0;
  command r = {.low = oc_low(&t->task, OC_U, j), .high = oc_high(&t->task, OC_U, j)};
  add_term(&r, oc_transcription_u(t, k) + j, 0);
  add_term(&r, oc_transcription_u(t, at[1]) + j, slope);
  add_term(&r, oc_transcription_u(t, at[0]) + j, -slope);
  return r;
}

void oc_lag_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; t->nlag && k < t->N; k++)
    for (int l = 0; l < t->nlag; l++) {
      const command r = find_command(t, k, l);
      t->g_min[row] = t->h < 0 ? r.low : -INFINITY;
      t->g_max[row++] = t->h < 0 || isinf(r.high) ? r.high : 0;
      if (t->h < 0) continue;
      t->g_min[row] = isinf(r.low) ? r.low : 0;
      t->g_max[row++] = INFINITY;
    }
}

// a limit, or 0 if it is infinite
static double finite_limit(double limit) {
  return isfinite(limit) ? limit : 0;
}

void oc_lag_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                          double *g) {
  const double stretch = t->h < 0 ? 1 : x[t->h] / first_step(t);
  g += oc_rows_at(t, kind, 0);
  for (int k = 0; t->nlag && k < t->N; k++)
    for (int l = 0; l < t->nlag; l++) {
      const command r = find_command(t, k, l);
      double sum = stretch * x[r.x[0]];
      for (int i = 0; i < r.n; i++) sum += r.c[i] * x[r.x[i]];
      if (t->h < 0) {
        *g++ = sum;
        continue;
      }
      *g++ = sum - stretch * finite_limit(r.high);
      *g++ = sum - stretch * finite_limit(r.low);
    }
}

dm_status oc_lag_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s) {
  const int sides = t->h < 0 ? 1 : 2;
  const bool values = s->val != NULL;
  const double stretch = values && t->h >= 0 ? x[t->h] / first_step(t) : 1;
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; t->nlag && k < t->N; k++)
    for (int l = 0; l < t->nlag; l++) {
      const command r = find_command(t, k, l);
      for (int side = 0; side < sides; side++, row++) {
        for (int i = 0; i < r.n; i++) oc_put(s, row, r.x[i], r.c[i] + (i == 0 ? stretch : 0));
        if (sides == 1) continue;
        const double limit = finite_limit(side ? r.low : r.high);
        oc_put(s, row, t->h, values ? (x[r.x[0]] - limit) / first_step(t) : 0);
      }
    }
  return DM_OK;
}

dm_status oc_lag_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                  double sigma, const double *lambda, oc_triplets *s) {
  (void)x;
  (void)sigma;
  if (t->h < 0) return DM_OK;
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; t->nlag && k < t->N; k++)
    for (int l = 0; l < t->nlag; l++, row += 2) {
      // h follows all inputs, so that the entry is in the lower triangle
      const double both = s->val ? lambda[row] + lambda[row + 1] : 0;
      oc_put(s, t->h, oc_transcription_u(t, k) + t->lagged[l], both / first_step(t));
    }
  return DM_OK;
}
