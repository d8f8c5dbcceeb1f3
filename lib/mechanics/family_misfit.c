#include "lib/mechanics/family_misfit.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static const double LEAST_ENERGY = 1e-4; // of the largest value: smaller values are compared with
                                         // this

typedef struct misfit_place {
  int n, N, nu, nc;
  size_t scratch;
  void *room;
  double *value[2]; // of the system and of the family: gradients, momenta, forces, constraints
  double *h, *Dh, *f, *f_q, *f_v, *f_u;
} misfit_place;

static void lay_out_misfit(void *self, dm_block *b) {
  misfit_place *x = self;
  const size_t N = (size_t)x->N, nc = (size_t)x->nc, nu = (size_t)x->nu;
  x->room = dm_block_alloc(b, x->scratch, 1);
  for (int i = 0; i < 2; i++) x->value[i] = dm_block_alloc(b, 3 * N + nc * (1 + N), sizeof(double));
  x->h = dm_block_alloc(b, nc, sizeof(double));
  x->Dh = dm_block_alloc(b, nc * N, sizeof(double));
  x->f = dm_block_alloc(b, 2 * N, sizeof(double));
  x->f_q = dm_block_alloc(b, N * N, sizeof(double));
  x->f_v = dm_block_alloc(b, N * N, sizeof(double));
  x->f_u = dm_block_alloc(b, N * nu, sizeof(double));
}

// L_q, L_v, f, h, Dh of a system for its first n coordinates, consecutively
static dm_status list_figures(misfit_place *x, const dm_system *s, const double *q, const double *v,
                              const double *u, double *out) {
  const int n = x->n, N = s->L.nq, joints = s->nu - s->force.nu;
  dm_jet jet = {.L_q = x->f_q, .L_v = x->f};
  DM_TRY(s->L.eval(s->L.self, x->room, 1, q, v, &jet));
  memcpy(out, jet.L_q, (size_t)n * sizeof *out);
  memcpy(out + n, jet.L_v, (size_t)n * sizeof *out);

  // f = B u - damping v and general forces
  memset(x->f, 0, (size_t)N * sizeof *x->f);
  dm_force_jet force = {x->f, x->f_q, x->f_v, x->f_u};
  if (s->force.count) DM_TRY(dm_forces_eval(&s->force, N, x->room, 1, q, v, u + joints, &force));
  for (int c = 0; c < joints; c++)
    x->f[s->input_coord[c]] += (s->input_gear ? s->input_gear[c] : 1) * u[c];
  for (int i = 0; s->damping && i < n; i++) x->f[i] -= s->damping[i] * v[i];
  memcpy(out + 2 * n, x->f, (size_t)n * sizeof *out);
  if (!s->hol.nc) return DM_OK;

  DM_TRY(s->hol.eval(s->hol.self, x->room, q, x->h, x->Dh));
  memcpy(out + 3 * n, x->h, (size_t)x->nc * sizeof *out);
  for (int c = 0; c < x->nc; c++)
    memcpy(out + 3 * n + x->nc + c * n, x->Dh + c * N, (size_t)n * sizeof *out);
  return DM_OK;
}

static size_t find_system_scratch(const dm_system *s) {
  const size_t of[] = {s->L.scratch, s->hol.scratch, dm_forces_scratch(&s->force, s->L.nq)};
  size_t most = 0;
  for (int i = 0; i < 3; i++) most = of[i] > most ? of[i] : most;
  return most;
}

// Convert the values to units of energy by the sizes of coordinates: L_q q, L_v v, f q and Dh q.
static void weigh_figures(const misfit_place *x, const dm_scale *of, double *value) {
  const int n = x->n;
  for (int i = 0; i < n; i++) {
    value[i] *= of->q[i];
    value[n + i] *= of->v[i];
    value[2 * n + i] *= of->q[i];
    for (int c = 0; c < x->nc; c++) value[3 * n + x->nc + c * n + i] *= of->q[i];
  }
}

// The largest difference of gradients, momenta and forces, relative to their own size or to
// LEAST_ENERGY of the largest one, which determines rounding.
static double compare_energies(int count, const double *a, const double *b) {
  const double least = LEAST_ENERGY * dm_largest(count, a);
  double off = 0;
  for (int i = 0; i < count; i++) {
    const double apart = fabs(a[i] - b[i]), size = fmax(fabs(a[i]), least);
    if (apart > 0) off = fmax(off, apart / size);
  }
  return off;
}

// the largest difference of the constraints, relative to the size of their row
static double compare_constraints(const misfit_place *x, const double *a, const double *b) {
  const int n = x->n, nc = x->nc;
  double off = 0;
  for (int c = 0; c < nc; c++) {
    const double *row = a + nc + c * n, *other = b + nc + c * n;
    const double size = fmax(fabs(a[c]), dm_largest(n, row));
    double apart = fabs(a[c] - b[c]);
    for (int i = 0; i < n; i++) apart = fmax(apart, fabs(row[i] - other[i]));
    if (apart > 0) off = fmax(off, apart / size);
  }
  return off;
}

dm_status dm_family_misfit(const dm_family *w, const dm_system *there, const dm_scale *of,
                           const double *z, const double *v, const double *u, double *misfit) {
  // 1. workspace
  const dm_system own = dm_family_system(w);
  const size_t a = find_system_scratch(&own), b = find_system_scratch(there);
  misfit_place sizes = {.n = there->L.nq, .N = own.L.nq, .nu = own.nu, .nc = own.hol.nc};
  sizes.scratch = a > b ? a : b;
  misfit_place *x = dm_block_make(&sizes, sizeof sizes, lay_out_misfit);
  if (!x) return DM_NO_MEMORY;
  const int count = 3 * x->n;
  // 2. values of the system and of the family
  dm_status s = list_figures(x, there, z, v, u, x->value[0]);
  if (s == DM_OK) s = list_figures(x, &own, z, v, u, x->value[1]);
  // 3. their largest relative difference
  if (s == DM_OK) {
    for (int i = 0; i < 2; i++) weigh_figures(x, of, x->value[i]);
    *misfit = fmax(compare_energies(count, x->value[0], x->value[1]),
                   compare_constraints(x, x->value[0] + count, x->value[1] + count));
  }
  dm_block_free(x);
  return s;
}
