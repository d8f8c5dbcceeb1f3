#include "lib/studies/two_point_start.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/mass_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ORDER = 12, RUN = 2 * ORDER + 1, MOST = 12 };

typedef struct start_search {
  int n, nc, nu;
  dm_two_point *steps;
  dm_mass_matrix *M;
  const double *q, *v, *u;
  double h;
  double *apart;         // [nc x n] M^-1 Dg(m)'
  double *y, *r;         // [2nc] lambda_1 and s; the alternating parts at both places
  double *J;             // [2nc x 2nc] dr/dy
  double *moved, *shift; // [2nc] r beside y, the scale of y
  double *lambda;        // [RUN x nc]
  double *q0, *q1;       // [n]
  double *p0, *p1;       // [n]
  double *none;          // [nu] inputs of 0
  int *pivots;           // [2nc]
} start_search;

static void lay_out_search(void *self, dm_block *b) {
  start_search *w = self;
  const size_t n = (size_t)w->n, nc = (size_t)w->nc, d = sizeof(double);
  double **knots[] = {&w->q0, &w->q1, &w->p0, &w->p1},
         **rows[] = {&w->y, &w->r, &w->moved, &w->shift};
  for (int i = 0; i < 4; i++) *knots[i] = dm_block_alloc(b, n, d);
  for (int i = 0; i < 4; i++) *rows[i] = dm_block_alloc(b, 2 * nc, d);
  w->apart = dm_block_alloc(b, nc * n, d);
  w->J = dm_block_alloc(b, 4 * nc * nc, d);
  w->lambda = dm_block_alloc(b, RUN * nc, d);
  w->none = dm_block_alloc(b, (size_t)w->nu, d);
  w->pivots = dm_block_alloc(b, 2 * nc, sizeof *w->pivots);
}

// q0 and q1 of s
static void place_ends(start_search *w, const double *s) {
  for (int i = 0; i < w->n; i++) {
    double half = w->h * w->v[i] / 2;
    for (int c = 0; c < w->nc; c++) half -= s[c] * w->apart[c * w->n + i];
    w->q0[i] = w->q[i] - half;
    w->q1[i] = w->q[i] + half;
  }
}

// r of y: RUN steps, and the alternating parts of their multipliers
static dm_status run_steps(start_search *w, double *r) {
  const int n = w->n, nc = w->nc;
  dm_del_info info;
  place_ends(w, w->y + nc);
  DM_TRY(dm_two_point_first(w->steps, w->q0, w->q1, w->u, w->h, w->y, w->p0, w->p1));
  memcpy(w->lambda, w->y, (size_t)nc * sizeof *w->y);
  for (int k = 1; k < RUN; k++) {
    for (int i = 0; i < n; i++) w->p0[i] = 2 * w->q1[i] - w->q0[i]; // the guess
    memcpy(w->q0, w->q1, (size_t)n * sizeof *w->q0);
    memcpy(w->q1, w->p0, (size_t)n * sizeof *w->q1);
    memcpy(w->p0, w->p1, (size_t)n * sizeof *w->p0);
    const dm_status s = dm_two_point_step(w->steps, w->q0, w->p0, w->u, w->h, w->q1, w->p1, &info);
    if (s != DM_OK) return s;
    memcpy(w->lambda + k * nc, w->steps->del->lambda, (size_t)nc * sizeof *w->lambda);
  }
  for (int i = 0; i < 2 * nc; i++) {
    const double *x = w->lambda + i / nc * ORDER * nc + i % nc;
    double weight = ldexp(1, -ORDER);
    r[i] = 0;
    for (int j = 0; j <= ORDER; j++) {
      r[i] += weight * x[j * nc];
      weight *= -(double)(ORDER - j) / (j + 1);
    }
  }
  return DM_OK;
}

// y -= J^-1 r
static dm_status correct_start(start_search *w) {
  const int m = 2 * w->nc;
  for (int j = 0; j < m; j++) {
    const double y = w->y[j];
    w->y[j] += w->shift[j];
    DM_TRY(run_steps(w, w->moved));
    w->y[j] = y;
    for (int i = 0; i < m; i++) w->J[i * m + j] = (w->moved[i] - w->r[i]) / w->shift[j];
  }
  if (dm_lu_factor(m, w->J, w->pivots)) return DM_SINGULAR;
  dm_lu_solve(m, w->J, w->pivots, 1, w->r);
  for (int i = 0; i < m; i++) w->y[i] -= w->r[i];
  return DM_OK;
}

static dm_status search_start(start_search *w) {
  const int n = w->n, nc = w->nc;
  dm_kkt *k = w->steps->del->k;

  // 1  directions in which the ends part, and steps from multipliers of zero
  DM_TRY(dm_kkt_start(k, w->q));
  dm_mass_matrix_place(w->M, w->q);
  DM_TRY(dm_mass_matrix_velocity(w->M, nc, k->Dh0, w->apart));
  DM_TRY(run_steps(w, w->r));

  // 2  scales: a hundredth of the multipliers, and of lambda h/8 for s
  const double size = dm_largest(RUN * nc, w->lambda);
  if (!(size > 1e-10 * dm_largest(n, w->p1) / dm_largest(nc * n, k->Dh0))) return DM_UNAVAILABLE;
  for (int i = 0; i < nc; i++) {
    w->shift[i] = size / 100;
    w->shift[nc + i] = size * w->h / 800;
  }

  // 3  Newton's method, until rounding remains
  double off = dm_largest(2 * nc, w->r), before = INFINITY;
  for (int i = 0; i < MOST && off > 1e-14 * size && off < before; i++) {
    before = off;
    DM_TRY(correct_start(w));
    DM_TRY(run_steps(w, w->r));
    off = dm_largest(2 * nc, w->r);
  }
  place_ends(w, w->y + nc);
  return off <= 1e-8 * size ? DM_OK : DM_MAX_ITER;
}

dm_status dm_two_point_start(const dm_system *s, const double *q, const double *v, const double *u,
                             double h, double *q0, double *q1, double *lambda) {
  assert(s && q && v && h > 0 && s->hol.nc > 0 && !s->nk);
  start_search sizes = {
      .n = s->L.nq, .nc = s->hol.nc, .nu = dm_system_inputs(s), .q = q, .v = v, .u = u, .h = h};
  start_search *w = dm_block_make(&sizes, sizeof sizes, lay_out_search);
  if (!w) return DM_NO_MEMORY;
  if (!u) w->u = w->none;
  dm_status status = dm_two_point_new(&w->steps, s);
  if (status == DM_OK) status = dm_mass_matrix_new(&w->M, &s->L);
  if (status == DM_OK) status = search_start(w);
  if (status == DM_OK) {
    memcpy(q0, w->q0, (size_t)w->n * sizeof *q0);
    memcpy(q1, w->q1, (size_t)w->n * sizeof *q1);
    memcpy(lambda, w->y, (size_t)w->nc * sizeof *lambda);
  }
  dm_two_point_free(w->steps);
  dm_mass_matrix_free(w->M);
  dm_block_free(w);
  return status;
}
