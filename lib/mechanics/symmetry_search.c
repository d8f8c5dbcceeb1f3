#include "lib/mechanics/symmetry_search.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/mass_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { WORLD = 6, PROJECTIONS = 8 };

struct dm_symmetry_search {
  dm_symmetry_model model;
  dm_system s;
  dm_momentum_map map;
  dm_continuous *c; // without constraints
  dm_mass_matrix *mass;
  double *a, *q1, *v1;    // [n]
  double *h, *R, *WR, *G; // [nc], [nc x n] twice, [nc x nc]
  double *centre;         // [n]
  int *piv;               // [nc]
  void *sweep, *hol, *moment;
};

static void lay_out_search(void *self, dm_block *b) {
  dm_symmetry_search *w = self;
  const size_t n = (size_t)w->s.L.nq, nc = (size_t)w->s.hol.nc;
  double **vectors[] = {&w->a, &w->q1, &w->v1, &w->centre};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  w->h = dm_block_alloc(b, nc, sizeof *w->h);
  w->R = dm_block_alloc(b, nc * n, sizeof *w->R);
  w->WR = dm_block_alloc(b, nc * n, sizeof *w->WR);
  w->G = dm_block_alloc(b, nc * nc, sizeof *w->G);
  w->piv = dm_block_alloc(b, nc, sizeof *w->piv);
  w->sweep = dm_block_alloc(b, w->s.L.scratch, 1);
  w->hol = dm_block_alloc(b, w->s.hol.scratch, 1);
  w->moment = dm_block_alloc(b, w->map.eval ? w->map.scratch : 0, 1);
}

static dm_status find_gradient(void *self, const double *x, double *g) {
  dm_symmetry_search *w = self;
  const int n = w->s.L.nq;
  dm_jet jet = {.L_q = g, .L_v = g + n};
  return w->s.L.eval(w->s.L.self, w->sweep, 1, x, x + n, &jet);
}

// M^-1 R'; with prescribed coordinates, which may have no inertia, R' without them
static dm_status find_directions(dm_symmetry_search *w, const double *x) {
  const int n = w->s.L.nq, nc = w->s.hol.nc;
  dm_mass_matrix_place(w->mass, x);
  if (!w->s.nk) return dm_mass_matrix_velocity(w->mass, nc, w->R, w->WR);
  for (int c = 0; c < nc; c++)
    for (int i = 0; i < n; i++) w->WR[c * n + i] = w->s.kinematic[i] ? 0 : w->R[c * n + i];
  return DM_OK;
}

// q -= M^-1 R' G^-1 h a few times, then v -= M^-1 R' G^-1 R v; dependent constraints leave the state
static dm_status restrict_state(void *self, double *x, double *Dh) {
  dm_symmetry_search *w = self;
  const dm_holonomic *hol = &w->s.hol;
  const int n = w->s.L.nq, nc = hol->nc;
  for (int k = 0; k <= PROJECTIONS; k++) {
    DM_TRY(hol->eval(hol->self, w->hol, x, w->h, w->R));
    DM_TRY(find_directions(w, x));
    for (int i = 0; i < nc; i++)
      for (int j = 0; j < nc; j++) w->G[i * nc + j] = dm_inner(n, w->R + i * n, w->WR + j * n);
    if (dm_lu_factor(nc, w->G, w->piv) != DM_OK) break;
    double *to = k < PROJECTIONS ? x : x + n;
    for (int i = 0; k == PROJECTIONS && i < nc; i++) w->h[i] = dm_inner(n, w->R + i * n, x + n);
    dm_lu_solve(nc, w->G, w->piv, 1, w->h);
    for (int i = 0; i < nc; i++) dm_add_to(n, -w->h[i], w->WR + i * n, to);
  }
  memcpy(Dh, w->R, (size_t)(nc * n) * sizeof *Dh);
  return DM_OK;
}

static dm_status find_world(void *self, const double *x, double *mu, double *rate, double *rows,
                            double *terms) {
  const double step = 1e-5; // of a central difference; its error is O(step^2)
  dm_symmetry_search *w = self;
  const int n = w->s.L.nq, nc = w->s.hol.nc;
  double side[2][WORLD];
  DM_TRY(dm_acceleration(w->c, x, x + n, NULL, w->a));
  for (int k = 0; k < 2; k++) {
    const double t = k ? step : -step;
    for (int i = 0; i < n; i++) {
      w->q1[i] = x[i] + t * x[n + i];
      w->v1[i] = x[n + i] + t * w->a[i];
    }
    w->map.eval(w->map.self, w->moment, w->q1, w->v1, side[k]);
  }
  w->map.eval(w->map.self, w->moment, x, x + n, mu);
  for (int i = 0; i < WORLD; i++) rate[i] = (side[1][i] - side[0][i]) / (2 * step);

  // the momenta of velocities M^-1 R' along constraints, coordinate by coordinate
  memset(rows, 0, (size_t)(nc * WORLD) * sizeof *rows);
  memset(terms, 0, (size_t)(nc * WORLD) * sizeof *terms);
  memset(w->v1, 0, (size_t)n * sizeof *w->v1);
  for (int j = 0; nc && j < n; j++) {
    w->v1[j] = 1;
    w->map.eval(w->map.self, w->moment, x, w->v1, side[0]);
    w->v1[j] = 0;
    for (int i = 0; i < nc * WORLD; i++) {
      const double term = w->WR[i / WORLD * n + j] * side[0][i % WORLD];
      rows[i] += term;
      terms[i] = fmax(terms[i], fabs(term));
    }
  }
  return DM_OK;
}

dm_status dm_symmetry_search_new(dm_symmetry_search **out, const dm_system *s,
                                 const dm_momentum_map *map, const double *q) {
  assert(out && s && q);
  dm_symmetry_search sizes = {.s = *s};
  if (map) sizes.map = *map;
  dm_symmetry_search *w = dm_block_make(&sizes, sizeof sizes, lay_out_search);
  if (!w) return DM_NO_MEMORY;
  const int n = s->L.nq;
  memcpy(w->centre, q, (size_t)n * sizeof *q);
  w->model = (dm_symmetry_model){.n = n,
                                 .k = 1,
                                 .self = w,
                                 .gradient = find_gradient,
                                 .nc = s->hol.nc,
                                 .centre = w->centre,
                                 .fixed = s->nk ? s->kinematic : NULL};
  if (s->hol.nc) w->model.restrict_state = restrict_state;
  if (w->map.eval && !s->nk) w->model.world = find_world; // prescribed coordinates hold bodies
  dm_system loose = *s;
  loose.hol = (dm_holonomic){0};
  dm_status status = dm_continuous_new(&w->c, &loose);
  if (status == DM_OK) status = dm_mass_matrix_new(&w->mass, &s->L);
  if (status != DM_OK) {
    dm_symmetry_search_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

const dm_symmetry_model *dm_symmetry_search_model(const dm_symmetry_search *w) {
  return &w->model;
}

void dm_symmetry_search_free(dm_symmetry_search *w) {
  if (!w) return;
  dm_continuous_free(w->c);
  dm_mass_matrix_free(w->mass);
  dm_block_free(w);
}
