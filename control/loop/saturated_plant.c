#include "control/loop/saturated_plant.h"

#include "lib/base/block.h"

#include <string.h>

typedef struct saturated {
  fb_plant inner;
  const dm_drive_limits *d;
  double *start, *u; // [2n] the state before the step, [nu] the input in this round
  double *scratch;   // [2 nu + n]
  double *x, h;      // of the step
} saturated;

static void lay_out_saturated(void *self, dm_block *b) {
  saturated *w = self;
  const size_t n = (size_t)w->inner.n, nu = (size_t)w->inner.nu;
  w->start = dm_block_alloc(b, 2 * n, sizeof(double));
  w->u = dm_block_alloc(b, nu, sizeof(double));
  w->scratch = dm_block_alloc(b, 2 * nu + n, sizeof(double));
}

// a step under u
static dm_status try_input(void *self, const double *u, double *speed) {
  saturated *w = self;
  const int n = w->inner.n;
  memcpy(w->x, w->start, 2 * (size_t)n * sizeof *w->x);
  DM_TRY(w->inner.step(w->inner.self, w->x, u, w->h));
  for (int i = 0; i < n; i++) speed[i] = (w->x[i] - w->start[i]) / w->h;
  return DM_OK;
}

static dm_status step_saturated(void *self, double *x, const double *u, double h) {
  saturated *w = self;
  const size_t size = 2 * (size_t)w->inner.n * sizeof *x;
  memcpy(w->start, x, size);
  w->x = x, w->h = h;
  const dm_status s = dm_drive_limits_solve(w->d, u, w->u, w->scratch, try_input, w);
  if (s != DM_OK) memcpy(x, w->start, size);
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
