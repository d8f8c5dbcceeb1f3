// The on-board code in double precision: it reads the caller's tables.
#include "control/onboard/horizon_arrays.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"

#include <math.h>
#include <stddef.h>

#define real     double
#define TABLES   tables
#define TREE     tree_tables
#define COSTS    horizon_tables
#define ROUNDING 1e-9
#ifdef HAS_BALLS
#define PRECISION fb_precision_double_balls
#else
#define PRECISION fb_precision_double
#define BALLS     fb_precision_double_balls
#endif

static tables sizes_of(const tables *T) {
  return *T;
}

static void lay_out_tables(tables *T, dm_block *b) {
  (void)T, (void)b;
}

static void fill_tables(const tables *from, tables *T) {
  *T = *from;
}

static void lay_out_tree(const tree_tables *from, tree_tables *M, dm_block *b) {
  (void)from, (void)M, (void)b;
}

static void fill_tree(const tree_tables *from, tree_tables *M) {
  *M = *from;
}

static horizon_tables costs_of(const horizon_tables *T) {
  return *T;
}

static void lay_out_costs(int nu, horizon_tables *T, dm_block *b) {
  (void)nu, (void)T, (void)b;
}

static void fill_costs(int nu, const horizon_tables *from, horizon_tables *T) {
  (void)nu;
  *T = *from;
}

#include "control/onboard/library.inc"

static dm_status linearize_of(const tree_tables *M, const double *q0, const double *p0,
                              const double *q1, const double *u, double *A, double *B, double *c,
                              double *p1) {
  interval_scratch sizes = {.n = M->n, .balls = M->balls, .joints = M->joints, .inputs = M->inputs};
  interval_scratch *w = dm_block_make(&sizes, sizeof sizes, lay_out_interval);
  if (!w) return DM_NO_MEMORY;
  linearize(M, q0, p0, q1, u, &w->room, A, B, c, p1);
  dm_block_free(w);
  return DM_OK;
}

#ifdef HAS_BALLS
const fb_ball_code fb_balls = {.linearize = linearize_of,
                               .impulses = impulses,
                               .outputs = track_outputs,
                               .take = take_position,
                               .take_rates = take_rates};
#else
dm_status fb_onboard_linearize(const tree_tables *M, const double *q0, const double *p0,
                               const double *q1, const double *u, double *A, double *B, double *c,
                               double *p1) {
  return (M->balls ? fb_balls.linearize : linearize_of)(M, q0, p0, q1, u, A, B, c, p1);
}

dm_status fb_onboard_reference(const tree_tables *M, int count, const double *q, double *y,
                               double *u) {
  interval_scratch sizes = {.n = M->n, .joints = M->joints, .inputs = M->inputs};
  interval_scratch *w = dm_block_make(&sizes, sizeof sizes, lay_out_interval);
  if (!w) return DM_NO_MEMORY;
  follow_positions(M, count, q, w->room.bodies, y, u);
  dm_block_free(w);
  return DM_OK;
}

void fb_onboard_outputs(const tree_tables *M, const track_tables *Y, const double *q, double *room,
                        double *y, double *D) {
  (M->balls ? fb_balls.outputs : track_outputs)(M, Y, q, room, y, D);
}

int fb_onboard_knot(int N, double h, double t, double *share) {
  const tables T = {.steps = N, .rate = 1 / h};
  return knot_at(&T, t, share);
}

void fb_onboard_cubic(int n, double h, double s, const double *q0, const double *v0,
                      const double *q1, const double *v1, double *q, double *v) {
  cubic(n, h, 1 / h, s, q0, v0, q1, v1, q, v);
}

void fb_onboard_momenta(const tree_tables *M, const double *q, const double *v, double *room,
                        double *p) {
  momenta(M, q, v, room, p);
}

void fb_onboard_impulses(const tree_tables *M, const double *q0, const double *q1, const double *u,
                         double *room, double *D1, double *D2) {
  (M->balls ? fb_balls.impulses : impulses)(M, q0, q1, u, room, D1, D2);
}

void fb_onboard_map_step(const tree_tables *M, const double *x, const double *u, const double *A,
                         double *room, double *x1) {
  map_step(M, x, u, A, room, x1);
}

// -- the filter of an estimator

struct fb_filter {
  tables T;
  memory m;
  filter_room room;
  double read_at, since;
  int calls;
};

static void lay_out_filter(void *self, dm_block *b) {
  fb_filter *w = self;
  const size_t nu = (size_t)w->T.nu, nz = (size_t)w->T.nz, ne = (size_t)w->T.ne;
  w->m = (memory){.z = dm_block_alloc(b, nz, sizeof(double)),
                  .u = dm_block_alloc(b, nu, sizeof(double)),
                  .before = dm_block_alloc(b, nu, sizeof(double)),
                  .missed = dm_block_alloc(b, ne, sizeof(int))};
  w->room = (filter_room){.off = dm_block_alloc(b, ne, sizeof(double)),
                          .next = dm_block_alloc(b, nz, sizeof(double)),
                          .planned = dm_block_alloc(b, nu, sizeof(double)),
                          .forward = dm_block_alloc(b, nu, sizeof(double))};
}

fb_filter *fb_filter_new(const tables *T) {
  fb_filter sizes = {.T = *T};
  fb_filter *w = dm_block_make(&sizes, sizeof sizes, lay_out_filter);
  if (!w) return NULL;
  w->m.read_at = &w->read_at;
  w->m.since = &w->since;
  w->m.calls = &w->calls;
  return w;
}

void fb_filter_free(fb_filter *w) {
  dm_block_free(w);
}

void fb_filter_begin(fb_filter *w) {
  memset(w->m.z, 0, (size_t)w->T.nz * sizeof *w->m.z);
  memset(w->m.missed, 0, (size_t)w->T.ne * sizeof *w->m.missed);
  w->since = 0;
  w->calls = 0;
}

double *fb_filter_estimate(fb_filter *w) {
  return w->m.z;
}

void fb_filter_correct(fb_filter *w, int k, const double *y_d, const double *encoder) {
  correct(&w->T, &w->m, k, y_d, encoder, &w->room);
}

void fb_filter_predict(fb_filter *w, int k, const double *u, double *next) {
  take_off(&w->T, w->m.z, row(&w->T.u_d, k), w->room.forward);
  predict(&w->T, k, w->m.z, u, w->room.forward, next);
}

void fb_filter_keep(fb_filter *w, const double *next) {
  keep_estimate(w->T.nx, next, w->m.z);
}

void fb_filter_advance(fb_filter *w, double from, double to, double *z) {
  advance(&w->T, &w->m, z, from, to, &w->room);
}

void fb_filter_apply(fb_filter *w, double t, const double *u) {
  apply(&w->T, &w->m, t, u);
}

int fb_filter_has_input(const fb_filter *w) {
  return w->calls != 0;
}
#endif
