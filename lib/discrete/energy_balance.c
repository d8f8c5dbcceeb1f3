#include "lib/discrete/energy_balance.h"

#include <math.h>

// F-, or F+, of step k times its mean velocity: D1 or D2 with forces minus that without
static double find_power(const dm_trajectory *x, int k, const double *with, const double *without) {
  const double *q = x->q + k * x->n;
  double sum = 0;
  for (int i = 0; i < x->n; i++)
    sum += (with[i] - without[i]) * (q[x->n + i] - q[i]) / dm_trajectory_step(x, k);
  return sum;
}

static dm_status measure(const dm_trajectory *x, dm_interval *forced, dm_interval *free,
                         dm_energy_balance *out) {
  double before = 0, arrives = 0, low = INFINITY, high = -INFINITY;
  for (int k = 0; k < x->N; k++) {
    const double *q = x->q + k * x->n, h = dm_trajectory_step(x, k);
    DM_TRY(dm_interval_eval(forced, 1, q, q + x->n, x->u + k * x->nu, h));
    DM_TRY(dm_interval_eval(free, 1, q, q + x->n, NULL, h));
    const double E = free->energy, leaves = find_power(x, k, forced->D1, free->D1);
    low = fmin(low, E);
    high = fmax(high, E);
    if (k > 0) {
      const double r = E - before - arrives - leaves;
      out->sum += r;
      if (fabs(r) > out->most) {
        out->most = fabs(r);
        out->knot = k;
      }
    }
    before = E;
    arrives = find_power(x, k, forced->D2, free->D2);
  }
  out->size = high - low;
  return DM_OK;
}

dm_status dm_energy_balance_measure(const dm_trajectory *x, const dm_system *s,
                                    dm_energy_balance *out) {
  dm_interval *forced = NULL, *free = NULL;
  dm_system plain = *s;
  plain.nu = 0;
  plain.force.count = 0;
  plain.force.nu = 0;
  plain.damping = NULL;
  *out = (dm_energy_balance){0};
  dm_status status = dm_interval_new(&forced, s);
  if (status == DM_OK) status = dm_interval_new(&free, &plain);
  if (status == DM_OK) status = measure(x, forced, free, out);
  dm_interval_free(forced);
  dm_interval_free(free);
  return status;
}
