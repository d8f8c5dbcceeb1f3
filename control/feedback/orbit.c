#include "control/feedback/orbit.h"

#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

void fb_orbit_gains(const fb_tvlqr *f, double *K) {
  const int nx = f->nx, nu = f->nu;
  memcpy(K, f->K, (size_t)f->N * (size_t)(nu * nx) * sizeof *K);
  for (int k = 0; k < f->N; k++)
    for (int i = 0; i < nu; i++)
      for (int j = 0; j < nx; j++)
        K[(k * nu + i) * nx + j] -= f->slope_u[k * nu + i] * f->section[k * nx + j];
}

struct fb_orbit {
  int nx;
  int *turns; // none: the errors of verify count whole turns, as its travel does
  double *travel;
  fb_onboard *board;
};

static void lay_out_orbit(void *self, dm_block *b) {
  fb_orbit *w = self;
  w->turns = dm_block_alloc(b, (size_t)w->nx, sizeof *w->turns);
  w->travel = dm_block_alloc(b, (size_t)w->nx, sizeof *w->travel);
}

dm_status fb_orbit_new(fb_orbit **out, const fb_tvlqr *f) {
  fb_orbit sizes = {.nx = f->nx};
  fb_orbit *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_orbit);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < f->nx; i++) w->travel[i] = dm_row(f->x, f->N, f->nx)[i] - f->x[i];
  const tables T = {.steps = f->N,
                    .nq = f->nx / 2,
                    .ny = f->nx,
                    .h = f->h,
                    .rate = 1 / f->h,
                    .y_d = {f->x, f->N + 1, f->nx},
                    .turns = w->turns,
                    .follows = f->nx,
                    .near = f->path,
                    .orbits = f->nx,
                    .y_s = {f->slope, f->N + 1, f->nx},
                    .section = {f->section, f->N + 1, f->nx},
                    .travel = w->travel};
  w->board = fb_precision_double.make(&T);
  if (w->board) return DM_OK;
  fb_orbit_free(w);
  *out = NULL;
  return DM_NO_MEMORY;
}

void fb_orbit_free(fb_orbit *w) {
  if (!w) return;
  dm_block_free(w->board);
  dm_block_free(w);
}

void fb_orbit_begin(fb_orbit *w) {
  w->board->by->begin(w->board);
}

double fb_orbit_find(fb_orbit *w, const double *x, double *x_d) {
  return w->board->by->phase(w->board, x, x_d);
}
