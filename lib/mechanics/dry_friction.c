#include "lib/mechanics/dry_friction.h"

#include <math.h>

static const double slope = 100; // of v, s/m or s/rad

static dm_status add_dry_friction(const void *self, void *scratch, int order, const double *q,
                                  const double *v, const double *u, dm_force_jet *out) {
  const dm_dry_friction *d = self;
  (void)scratch;
  (void)q;
  (void)u;
  for (int i = 0; i < d->n; i++) {
    const double x = slope * v[i];
    out->f[i] -= d->size[i] * atan(x);
    if (order == 2) out->f_v[i * d->n + i] -= d->size[i] * slope / (1 + x * x);
  }
  return DM_OK;
}

// d2 atan(c v) / dv2 = -2 c^2 x / (1 + x^2)^2,  x = c v
static dm_status contract_dry_friction(const void *self, void *scratch, const double *q,
                                       const double *v, const double *u, const double *mu,
                                       dm_force_hessian *out) {
  const dm_dry_friction *d = self;
  (void)scratch;
  (void)q;
  (void)u;
  for (int i = 0; i < d->n; i++) {
    const double x = slope * v[i], square = 1 + x * x;
    out->vv[i * d->n + i] += mu[i] * d->size[i] * 2 * slope * slope * x / (square * square);
  }
  return DM_OK;
}

dm_force dm_dry_friction_force(const dm_dry_friction *d) {
  return (dm_force){.self = d, .eval = add_dry_friction, .contract = contract_dry_friction};
}
