#include "control/loop/saturated_plant.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 60 };

typedef struct saturated {
  fb_plant inner;
  const dm_drive_limits *d;
  double *start, *u;  // [2n] the state before the step, [nu] the input in this round
  double *speed;      // [n] mean speed of the step
  double *r, *before; // [nu] residual, cut input minus input, of this round and the one before
} saturated;

static void lay_out_saturated(void *self, dm_block *b) {
  saturated *w = self;
  const size_t n = (size_t)w->inner.n, nu = (size_t)w->inner.nu;
  w->start = dm_block_alloc(b, 2 * n, sizeof(double));
  w->speed = dm_block_alloc(b, n, sizeof(double));
  w->u = dm_block_alloc(b, nu, sizeof(double));
  w->r = dm_block_alloc(b, nu, sizeof(double));
  w->before = dm_block_alloc(b, nu, sizeof(double));
}

// a step under w->u, and the residual of the lines there; returns its size relative to the stall torques
static dm_status try_input(saturated *w, const double *wanted, double h, double *x, double *size) {
  const int n = w->inner.n, nu = w->inner.nu;
  memcpy(x, w->start, 2 * (size_t)n * sizeof *x);
  DM_TRY(w->inner.step(w->inner.self, x, w->u, h));
  for (int i = 0; i < n; i++) w->speed[i] = (x[i] - w->start[i]) / h;
  memcpy(w->r, wanted, (size_t)nu * sizeof *w->r);
  dm_drive_limits_cut(w->d, w->speed, w->r);
  *size = 0;
  for (int i = 0; i < nu; i++) {
    w->r[i] -= w->u[i];
    if (w->r[i] != 0) *size = fmax(*size, fabs(w->r[i]) / w->d->stall[i]);
  }
  return DM_OK;
}

static dm_status step_saturated(void *self, double *x, const double *u, double h) {
  saturated *w = self;
  const size_t nu = (size_t)w->inner.nu;
  double size, share = 1;
  memcpy(w->start, x, 2 * (size_t)w->inner.n * sizeof *x);
  memcpy(w->u, u, nu * sizeof *u);
  dm_status s = try_input(w, u, h, x, &size);

  // u <- u + share r, with the share at which the last two residuals would vanish
  for (int round = 0; s == DM_OK && size > 1e-12 && round < MOST_ROUNDS; round++) {
    memcpy(w->before, w->r, nu * sizeof *w->r);
    for (size_t i = 0; i < nu; i++) w->u[i] += share * w->r[i];
    s = try_input(w, u, h, x, &size);
    double along = 0, change = 0;
    for (size_t i = 0; i < nu; i++) {
      const double d = w->r[i] - w->before[i];
      along += w->before[i] * d;
      change += d * d;
    }
    if (change > 0) share = fmin(1, fmax(0.01, -share * along / change));
  }
  if (s == DM_OK && !(size <= 1e-9)) s = DM_MAX_ITER;
  if (s != DM_OK) memcpy(x, w->start, 2 * (size_t)w->inner.n * sizeof *x);
  return s;
}

static void free_saturated(void *self) {
  saturated *w = self;
  fb_plant_free(&w->inner);
  dm_block_free(w);
}

dm_status fb_plant_saturate(fb_plant *plant, const dm_drive_limits *d) {
  if (!dm_drive_limits_lines(d)) return DM_OK;
  saturated sizes = {.inner = *plant, .d = d};
  saturated *w = dm_block_make(&sizes, sizeof sizes, lay_out_saturated);
  if (!w) return DM_NO_MEMORY;
  *plant = (fb_plant){.n = w->inner.n,
                      .nu = w->inner.nu,
                      .self = w,
                      .step = step_saturated,
                      .free = free_saturated,
                      .u_min = w->inner.u_min,
                      .u_max = w->inner.u_max};
  return DM_OK;
}
