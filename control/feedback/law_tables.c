#include "control/feedback/law_tables.h"

#include "control/feedback/across.h"

#include <math.h>
#include <string.h>

const char *const fb_form_names[] = {"state", "velocity", "positions", "difference", NULL};

size_t fb_law_packed(int n) {
  return (size_t)n * ((size_t)n + 1) / 2;
}

void fb_law_lay_out(void *self, dm_block *b) {
  fb_output_feedback *w = self;
  size_t N = (size_t)w->N, nu = (size_t)w->f.nu, ny = (size_t)w->ny, n = (size_t)w->n;

  // the tables of the law, then the state of a run; c [nc] and c D2h only with constraints
  w->y_d = dm_block_alloc(b, (N + 1) * ny, sizeof(double));
  w->G = dm_block_alloc(b, N * nu * ny, sizeof(double));
  w->c = dm_block_alloc(b, N * nu, sizeof(double));
  w->P = dm_block_alloc(b, N * fb_law_packed(w->nm), sizeof(double));
  w->PJ = dm_block_alloc(b, 2 * (size_t)w->nm * (size_t)w->nm, sizeof(double));
  w->y = dm_block_alloc(b, ny, sizeof(double));
  w->q = dm_block_alloc(b, n, sizeof(double));
  w->v = dm_block_alloc(b, n, sizeof(double));
  w->decided = dm_block_alloc(b, nu, sizeof(double));
  w->turns = dm_block_alloc(b, ny, sizeof *w->turns);
  w->u_step = dm_block_alloc(b, w->f.rate_limit ? nu : 0, sizeof(double));
  w->unlimited = dm_block_alloc(b, 2 * nu, sizeof(double));
  w->limits = dm_block_alloc(b, 2 * nu, sizeof(double));
  w->then = dm_block_alloc(b, ny, sizeof(double));
  w->mean = dm_block_alloc(b, nu, sizeof(double));
  w->mass = dm_block_alloc(b, w->compensates ? N * nu : 0, sizeof(double));
  w->ahead = dm_block_alloc(b, w->compensates ? N * nu : 0, sizeof(double));
  const bool looks_back = w->form == FB_POSITIONS;
  w->earlier = dm_block_alloc(b, looks_back ? 2 * n : 0, sizeof(double));
  w->acted = dm_block_alloc(b, looks_back ? N * (size_t)w->nf : 0, sizeof(double));
  w->since = dm_block_alloc(b, looks_back ? N : 0, sizeof(double));
  w->force = dm_block_alloc(b, looks_back ? (size_t)w->nf : 0, sizeof(double));
  w->before = dm_block_alloc(b, looks_back ? n : 0, sizeof(double));
  w->v_d = dm_block_alloc(b, w->has_speeds ? (N + 1) * n : 0, sizeof(double));
  w->near = w->f.path ? dm_block_alloc(b, 2 * n, sizeof(double)) : NULL;
  const size_t rows = (size_t)w->f.sections; // on an orbit
  w->slope = dm_block_alloc(b, rows * ny, sizeof(double));
  w->section = dm_block_alloc(b, rows * ny, sizeof(double));
  w->slope_u = dm_block_alloc(b, rows ? N * nu : 0, sizeof(double));
  w->travel = dm_block_alloc(b, rows ? ny : 0, sizeof(double));
  w->z = dm_block_alloc(b, (size_t)w->kept, sizeof(double));
  w->impulse = dm_block_alloc(b, N * (size_t)w->nc, sizeof(double));
  w->r = dm_block_alloc(b, n, sizeof(double));
  w->back = dm_block_alloc(b, w->form == FB_POSITIONS ? 12 * n : 0, sizeof(double));
  w->H = dm_block_alloc(b, w->nc ? n * n : 0, sizeof(double));
}

void fb_law_orbit(fb_output_feedback *w) {
  const int N = w->N, ny = w->ny, nu = w->f.nu;
  const size_t row = (size_t)ny * sizeof *w->section;

  // 1. slopes, and the travel of entries that are not taken modulo 2 pi
  fb_orbit_slopes(N, ny, w->y_d, true, w->slope);
  fb_orbit_slopes(N, nu, w->c, false, w->slope_u);
  for (int j = 0; j < ny; j++) w->travel[j] = w->turns[j] ? 0 : w->y_d[N * ny + j] - w->y_d[j];

  // 2. sections of these slopes, and gains that do not see deviations along them
  memcpy(w->section + N * ny, w->section, row);
  for (int k = 0; k <= N; k++) {
    double *section = w->section + k * ny;
    fb_orbit_scale(ny, w->slope + k * ny, section);
    if (k < N) fb_orbit_rows(nu, ny, w->slope + k * ny, section, w->G + k * nu * ny);
  }
}

tables fb_law_tables(const fb_output_feedback *w) {
  const fb_tvlqr *f = &w->f;
  const fb_envelope *e = f->envelope;
  const int nu = f->nu, N = w->N, packed = (int)fb_law_packed(w->nm);
  const bool measures_speed = w->form == FB_VELOCITY || w->form == FB_DIFFERENCE;
  const dm_drive_limits *lines = measures_speed ? f->drives : NULL;
  tables T = {.steps = N,
              .nq = w->n,
              .nu = nu,
              .ny = w->ny,
              .nf = w->form == FB_POSITIONS && !w->exact ? w->nf : 0,
              .late = f->late,
              .h = f->h,
              .rate = 1 / f->h,
              .u_d = {w->c, N, nu},
              .y_d = {w->y_d, N + 1, w->ny},
              .v_d = {w->v_d, w->has_speeds ? N + 1 : 0, w->n},
              .G = {w->G, N, nu * w->ny},
              .u_min = w->unlimited,
              .u_max = w->unlimited + nu,
              .turns = w->turns,
              .rubs = w->compensates ? nu : 0,
              .friction = w->compensates ? f->friction->force : NULL,
              .rubbing = w->compensates ? f->friction->along : NULL,
              .mass = {w->mass, w->compensates ? N : 0, nu},
              .ahead = {w->ahead, w->compensates ? N : 0, nu},
              .lines = lines ? lines->n : 0,
              .stall = lines ? lines->stall : NULL,
              .slope = lines ? lines->slope : NULL,
              .moved = lines ? lines->coord : NULL,
              .speeds = lines && !w->exact ? w->n : 0,
              .slews = f->rate_limit ? nu : 0,
              .u_step = w->u_step,
              .nm = e ? w->nm : 0,
              .P = {w->P, e && w->nm ? N : 0, packed},
              .ni = f->ni,
              .integral = f->integral,
              .nl = f->nl,
              .lagging = f->lagging,
              .share = f->share,
              .follows = w->near ? 2 * w->n : 0,
              .near = w->near,
              .orbits = f->sections ? w->ny : 0,
              .y_s = {w->slope, f->sections, w->ny},
              .u_s = {w->slope_u, f->sections ? N : 0, nu},
              .section = {w->section, f->sections, w->ny},
              .travel = w->travel,
              .tree = w->exact ? f->tree : NULL,
              .continuous = w->continuous};

  // the parts of an envelope that are set
  if (!e) return T;
  T.bound = e->bound;
  T.cost = &e->cost;
  T.damping = e->damping;
  T.along = e->along;
  for (int i = 0; i < w->n; i++)
    if (isfinite(e->bound[i])) T.bounds = w->n;
  for (int i = 0; i < nu; i++)
    if (e->damping[i] != 0) T.brakes = nu;
  return T;
}
