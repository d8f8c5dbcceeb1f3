#include "lib/mechanics/symmetry.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/mass_matrix.h"

#include <math.h>
#include <string.h>

enum { PLACES = 3 };

// one trial, and the results so far
typedef struct trial {
  const dm_system *s;
  const dm_unilateral *g; // NULL: no contacts
  const dm_momentum_map *map;
  double up[3]; // unit vector against gravity; zeros: no gravity
  int n, rows;  // coordinates; largest number of rows at once
  int rough;    // contacts with friction
  dm_continuous *c;
  dm_mass_matrix *mass;
  double *q, *v, *a;   // a state and its acceleration                              [n]
  double *q1, *v1, *u; // a neighboring state [n], [n], inputs [nu + nk]
  double *R, *WR, *h;  // rows, M^-1 R', values                          [rows x n], [rows]
  double *G;           // R M^-1 R' of constraints                       [nc x nc]
  int *piv;            // [nc]
  int *which;          // contacts with friction                         [rough]
  void *map_scratch, *hol, *contacts;
  bool has[DM_MOMENTA], changes[DM_MOMENTA];
} trial;

static void lay_out_trial(void *self, dm_block *b) {
  // states, rows and their products with M^-1, then scratch of the interfaces
  trial *w = self;
  size_t n = (size_t)w->n, rows = (size_t)w->rows;
  double **vectors[] = {&w->q, &w->v, &w->a, &w->q1, &w->v1};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  w->u = dm_block_alloc(b, (size_t)dm_system_inputs(w->s), sizeof *w->u);
  w->R = dm_block_alloc(b, rows * n, sizeof *w->R);
  w->WR = dm_block_alloc(b, rows * n, sizeof *w->WR);
  w->h = dm_block_alloc(b, rows, sizeof *w->h);
  size_t nc = (size_t)w->s->hol.nc;
  w->G = dm_block_alloc(b, nc * nc, sizeof *w->G);
  w->piv = dm_block_alloc(b, nc, sizeof *w->piv);
  w->which = dm_block_alloc(b, (size_t)w->rough, sizeof *w->which);
  w->map_scratch = dm_block_alloc(b, w->map->scratch, 1);
  w->hol = dm_block_alloc(b, w->s->hol.scratch, 1);
  w->contacts = dm_block_alloc(b, w->g ? w->g->scratch : 0, 1);
}

// the seven components at (q,v)
static void evaluate_momenta(const trial *w, const double *q, const double *v,
                             double mu[DM_MOMENTA]) {
  double all[6];
  w->map->eval(w->map->self, w->map_scratch, q, v, all);
  memcpy(mu, all, 3 * sizeof *all);
  memcpy(mu + 4, all + 3, 3 * sizeof *all);
  mu[3] = dm_inner(3, w->up, all);
}

// the largest angular momentum in mu, or for i >= 4 the largest linear momentum
static double size_of_kind(const double mu[DM_MOMENTA], int i) {
  return i < 4 ? dm_largest(3, mu) : dm_largest(3, mu + 4);
}

// Set `found` for components of mu that are nonzero relative to their kind in `beside`.
static void add_nonzero(const double mu[DM_MOMENTA], const double beside[DM_MOMENTA], double tol,
                        bool found[DM_MOMENTA]) {
  for (int i = 0; i < DM_MOMENTA; i++) found[i] |= !(fabs(mu[i]) <= tol * size_of_kind(beside, i));
}

// d mu/dt along the motion without constraints
static dm_status try_motion(trial *w) {
  const double step = 1e-5; // of a central difference; its error is O(step^2)
  double mu[DM_MOMENTA], pull[DM_MOMENTA], side[2][DM_MOMENTA];
  DM_TRY(dm_acceleration(w->c, w->q, w->v, w->u, w->a));
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < w->n; i++) {
      double t = k ? step : -step;
      w->q1[i] = w->q[i] + t * w->v[i];
      w->v1[i] = w->v[i] + t * w->a[i];
    }
    evaluate_momenta(w, w->q1, w->v1, side[k]);
  }

  // scales: mu itself, and the momentum of the accelerations
  evaluate_momenta(w, w->q, w->v, mu);
  evaluate_momenta(w, w->q, w->a, pull);
  add_nonzero(mu, mu, 1e-9, w->has);
  for (int i = 0; i < DM_MOMENTA; i++) {
    pull[i] = fabs(pull[i]) + fabs(mu[i]);
    mu[i] = (side[1][i] - side[0][i]) / (2 * step);
  }
  add_nonzero(mu, pull, 1e-6, w->changes);
  return DM_OK;
}

// effect on mu of impulses along the m rows in w->R
static dm_status try_rows(trial *w, int m) {
  double mu[DM_MOMENTA], size[DM_MOMENTA];
  if (m == 0) return DM_OK;
  dm_mass_matrix_place(w->mass, w->q);
  DM_TRY(dm_mass_matrix_velocity(w->mass, m, w->R, w->WR));
  for (int k = 0; k < m; k++) {
    // scale: the sum of the contributions of the row's entries
    memset(size, 0, sizeof size);
    for (int j = 0; j < w->n; j++) {
      memset(w->v1, 0, (size_t)w->n * sizeof *w->v1);
      w->v1[j] = w->WR[k * w->n + j];
      evaluate_momenta(w, w->q, w->v1, mu);
      for (int i = 0; i < DM_MOMENTA; i++) size[i] = fmax(size[i], fabs(mu[i]));
    }
    evaluate_momenta(w, w->q, w->WR + k * w->n, mu);
    add_nonzero(mu, size, 1e-9, w->changes);
  }
  return DM_OK;
}

// Project the position on the constraints and the velocity on their tangent space: q -= M^-1 R'
// G^-1 h a few times, then v -= M^-1 R' G^-1 R v. Off the constraints, the momentum of quaternions
// is not meaningful. If constraints are dependent, the state does not change.
static dm_status restrict_place(trial *w) {
  enum { ITERATIONS = 8 };
  const dm_holonomic *hol = &w->s->hol;
  const int n = w->n, nc = hol->nc;
  for (int k = 0; nc && k <= ITERATIONS; k++) {
    DM_TRY(hol->eval(hol->self, w->hol, w->q, w->h, w->R));
    dm_mass_matrix_place(w->mass, w->q);
    DM_TRY(dm_mass_matrix_velocity(w->mass, nc, w->R, w->WR));
    for (int i = 0; i < nc; i++)
      for (int j = 0; j < nc; j++) w->G[i * nc + j] = dm_inner(n, w->R + i * n, w->WR + j * n);
    if (dm_lu_factor(nc, w->G, w->piv) != DM_OK) return DM_OK;

    // the last iteration projects the velocity
    double *x = k < ITERATIONS ? w->q : w->v;
    for (int i = 0; k == ITERATIONS && i < nc; i++) w->h[i] = dm_inner(n, w->R + i * n, w->v);
    dm_lu_solve(nc, w->G, w->piv, 1, w->h);
    for (int i = 0; i < nc; i++) dm_add_to(n, -w->h[i], w->WR + i * n, x);
  }
  return DM_OK;
}

// state k near q: random within 0.1, with velocities up to 1
static dm_status try_place(trial *w, const double *q, bool driven, int k) {
  const dm_holonomic *hol = &w->s->hol;
  for (int i = 0; i < w->n; i++) {
    w->q[i] = q[i] + 0.1 * dm_random_uniform(1, k, (uint64_t)i);
    w->v[i] = dm_random_uniform(2, k, (uint64_t)i);
  }
  DM_TRY(restrict_place(w));
  for (int i = 0; driven && i < w->s->nu; i++) w->u[i] = dm_random_uniform(3, k, (uint64_t)i);
  DM_TRY(try_motion(w));

  // rows of constraints, of contacts, and of the tangents of contacts with friction
  if (hol->nc) DM_TRY(hol->eval(hol->self, w->hol, w->q, w->h, w->R));
  DM_TRY(try_rows(w, hol->nc));
  if (!w->g) return DM_OK;
  DM_TRY(w->g->rows(w->g->self, w->contacts, w->q, w->g->ng, NULL, w->h, w->R));
  DM_TRY(try_rows(w, w->g->ng));
  if (w->rough == 0) return DM_OK;
  for (int i = 0, m = 0; i < w->g->ng; i++)
    if (w->g->friction[i] > 0) w->which[m++] = i;
  DM_TRY(w->g->tangents(w->g->self, w->contacts, w->q, NULL, w->rough, w->which, w->h, w->R));
  return try_rows(w, 2 * w->rough);
}

dm_status dm_kept_momenta(const dm_system *s, const dm_unilateral *g, const dm_momentum_map *map,
                          const double gravity[3], const double *q, bool driven,
                          bool kept[DM_MOMENTA]) {
  const double pull = sqrt(dm_inner(3, gravity, gravity));
  trial sizes = {.s = s, .g = g, .map = map, .n = s->L.nq, .rows = s->hol.nc};
  for (int i = 0; g && g->friction && i < g->ng; i++) sizes.rough += g->friction[i] > 0;
  if (g && g->ng > sizes.rows) sizes.rows = g->ng;
  if (2 * sizes.rough > sizes.rows) sizes.rows = 2 * sizes.rough;
  for (int i = 0; i < 3 && pull > 0; i++) sizes.up[i] = -gravity[i] / pull;
  trial *w = dm_block_make(&sizes, sizeof sizes, lay_out_trial);
  if (!w) return DM_NO_MEMORY;

  // motion without constraints, whose rows are tested separately
  dm_system loose = *s;
  loose.hol = (dm_holonomic){0};
  dm_status status = dm_continuous_new(&w->c, &loose);
  if (status == DM_OK) status = dm_mass_matrix_new(&w->mass, &s->L);
  bool made = status == DM_OK;
  for (int k = 0; status == DM_OK && k < PLACES; k++) status = try_place(w, q, driven, k);
  for (int i = 0; made && i < DM_MOMENTA; i++)
    kept[i] = status == DM_OK && w->has[i] && !w->changes[i];
  dm_continuous_free(w->c);
  dm_mass_matrix_free(w->mass);
  dm_block_free(w);
  return made ? DM_OK : status;
}
