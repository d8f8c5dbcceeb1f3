#include "lib/studies/energy_momentum.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 30 }; // of a step

static void lay_out_energy_momentum(void *self, dm_block *b) {
  dm_energy_momentum *w = self;
  size_t n = (size_t)w->n, count = (size_t)w->count, d = sizeof(double);
  double **vectors[] = {&w->F, &w->g, &w->q, &w->p, &w->v, &w->qm};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, d);
  w->e = dm_block_alloc(b, count * n, d);
  w->Me = dm_block_alloc(b, count * n, d);
  w->rows = dm_block_alloc(b, 6 * n, d);
  w->map = dm_block_alloc(b, w->set.momentum.scratch, 1);
}

dm_status dm_energy_momentum_check(const dm_system *s, dm_message *msg) {
  const dm_rule *rule = &s->rule;
  if (rule->points != 1 || rule->inner || rule->at[0] != 0.5 || rule->left != 0.5)
    return dm_fail(msg, DM_BAD_INPUT,
                   "energy-momentum: found another rule, expected midpoint with alpha 1/2 and "
                   "forces by midpoint");
  if (s->nk)
    return dm_fail(msg, DM_BAD_INPUT,
                   "energy-momentum: found kinematic coordinates, expected none: what moves them "
                   "does work");
  return DM_OK;
}

// workspaces of the parts: steps, energies, metric
static dm_status make_parts(dm_energy_momentum *w) {
  // to rounding for any guess: a correction starts from the previous result
  dm_del_settings del = w->set.del;
  del.energy_momentum = !w->set.at_knots;
  del.tol = fmin(del.tol, 1e-16);

  // the energy uses the L of steps
  dm_system s = w->s;
  s.physical = NULL;
  DM_TRY(dm_del_new(&w->del, &w->s, &del));
  DM_TRY(dm_continuous_new(&w->c, &s));
  return dm_mass_matrix_new(&w->M, &w->s.L);
}

dm_status dm_energy_momentum_new(dm_energy_momentum **out, const dm_system *s,
                                 const dm_energy_momentum_settings *set) {
  // sizes, allocation, parts
  assert(out && s && set && dm_energy_momentum_check(s, NULL) == DM_OK);
  dm_energy_momentum sizes = {.n = s->L.nq, .nc = s->hol.nc, .set = *set, .s = *s};
  for (int i = 0; set->momentum.eval && i < DM_MOMENTA; i++) sizes.count += set->kept[i];
  dm_energy_momentum *w = dm_block_make(&sizes, sizeof sizes, lay_out_energy_momentum);
  if (!w) return DM_NO_MEMORY;

  dm_status status = make_parts(w);
  if (status != DM_OK) {
    dm_energy_momentum_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_energy_momentum_free(dm_energy_momentum *w) {
  if (!w) return;
  dm_del_free(w->del);
  dm_continuous_free(w->c);
  dm_mass_matrix_free(w->M);
  dm_block_free(w);
}

// H(q,p) and the size of its terms; w->v is the guess of the velocity. With impulses at knots, p
// contains a constraint impulse that is not motion.
static dm_status find_energy(dm_energy_momentum *w, const double *q, const double *p, double *H,
                             double *size) {
  double kinetic, potential;
  dm_status s = dm_velocity_of(w->c, q, p, w->v);
  if (s != DM_OK) return s < 0 ? s : DM_NOT_FINITE;
  if (w->set.at_knots && w->nc) DM_TRY(dm_velocity_restrict(w->c, q, w->v));
  DM_TRY(dm_energies(w->c, q, w->v, &kinetic, &potential));
  DM_TRY(dm_energy(w->c, q, w->v, H));
  *size = fabs(kinetic) + fabs(potential);
  return DM_OK;
}

// row i of the seven momenta at qm, d mu_i/dv, from the six rows of the map
static void put_momentum_row(const dm_energy_momentum *w, int i, double *row) {
  const int n = w->n;
  const double *g = w->set.gravity;
  if (i == 3) {
    // vertical; the length is irrelevant
    for (int j = 0; j < n; j++)
      row[j] = -(g[0] * w->rows[j] + g[1] * w->rows[n + j] + g[2] * w->rows[2 * n + j]);
    return;
  }
  memcpy(row, w->rows + (i < 3 ? i : i - 1) * n, (size_t)n * sizeof *row);
}

// Orthonormal symmetric directions at qm in the metric M: xi = M^-1 row, orthogonalized by
// Gram-Schmidt; dependent or zero directions are dropped. Writes their number to *found.
static dm_status find_symmetric(dm_energy_momentum *w, int *found) {
  const int n = w->n;
  *found = 0;
  if (!w->count) return DM_OK;

  // d mu/dv, column by column, as mu is linear in v
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  for (int j = 0; j < n; j++) {
    double mu[6];
    w->v[j] = 1;
    w->set.momentum.eval(w->set.momentum.self, w->map, w->qm, w->v, mu);
    w->v[j] = 0;
    for (int i = 0; i < 6; i++) w->rows[i * n + j] = mu[i];
  }

  for (int i = 0; i < DM_MOMENTA; i++) {
    if (!w->set.kept[i]) continue;
    double *e = w->e + *found * n, *Me = w->Me + *found * n;
    put_momentum_row(w, i, Me);
    DM_TRY(dm_mass_matrix_velocity(w->M, 1, Me, e));
    const double before = dm_inner(n, e, Me);
    for (int k = 0; k < *found; k++) {
      double part = dm_inner(n, w->Me + k * n, e);
      dm_add_to(n, -part, w->e + k * n, e);
      dm_add_to(n, -part, w->Me + k * n, Me);
    }

    // normalize the remainder
    const double after = dm_inner(n, e, Me);
    if (!(after > 1e-10 * before)) continue;
    for (int j = 0; j < n; j++) {
      e[j] /= sqrt(after);
      Me[j] /= sqrt(after);
    }
    ++*found;
  }
  return DM_OK;
}

// F at qm for the step from q0 to w->q, and F.v, twice the kinetic energy of v without its
// symmetric components; 0 if that is rounding
static dm_status find_direction(dm_energy_momentum *w, const double *q0, double h, double *power) {
  const int n = w->n;
  int found;
  for (int i = 0; i < n; i++) w->qm[i] = (q0[i] + w->q[i]) / 2;
  dm_mass_matrix_place(w->M, w->qm);
  DM_TRY(dm_mass_matrix_eval(w->M));
  DM_TRY(find_symmetric(w, &found));

  // M v
  for (int i = 0; i < n; i++) w->v[i] = (w->q[i] - q0[i]) / h;
  // out = M(qm) x, from the last dm_mass_matrix_eval
  for (int i = 0; i < w->n; i++) w->F[i] = dm_inner(w->n, w->M->jet.L_vv + i * w->n, w->v);
  const double whole = dm_inner(n, w->F, w->v);

  // subtract M e (e.M v)
  for (int k = 0; k < found; k++)
    dm_add_to(n, -dm_inner(n, w->Me + k * n, w->v), w->Me + k * n, w->F);
  *power = dm_inner(n, w->F, w->v);
  if (!(*power > 1e-12 * whole)) *power = 0;
  return DM_OK;
}

// work of forces over the step: D1 + D2 is h (L_q + f) at the midpoint
static double find_work(const dm_energy_momentum *w, const double *q0, double h) {
  const dm_interval *d = w->del->d;
  double sum = 0;
  if (!w->s.nu && !w->s.damping && !w->s.force.count) return 0;
  for (int i = 0; i < w->n; i++)
    sum += (d->D1[i] + d->D2[i] - h * d->nodes->jet.L_q[i]) * (w->q[i] - q0[i]) / h;
  return sum;
}

// midpoint step with the impulse w->g subtracted at both ends: w->q, w->p, and the energy error
static dm_status try_impulse(dm_energy_momentum *w, const double *q0, const double *p0,
                             const double *u, double h, double H0, double *missed, double *size) {
  double H;
  for (int i = 0; i < w->n; i++) w->p[i] = p0[i] - w->g[i];
  dm_status status = dm_del_step(w->del, q0, w->p, u, h, w->q, w->p, &w->info);
  if (status != DM_OK) return status;
  for (int i = 0; i < w->n; i++) {
    w->p[i] -= w->g[i];
    w->v[i] = (w->q[i] - q0[i]) / h;
  }
  DM_TRY(find_energy(w, w->q, w->p, &H, size));
  *missed = H - H0 - find_work(w, q0, h);
  return DM_OK;
}

// current k, and the previous one with its energy error
typedef struct secant {
  double k, before, missed;
  bool tried;
} secant;

// k with zero error on the secant; the first k, and k for an implausible secant, from the power of
// 2 k F along v
static void take_secant(secant *s, double missed, double power) {
  const double k = s->k;
  double slope = -2 * power;
  if (s->tried && k != s->before) slope = (missed - s->missed) / (k - s->before);
  if (!(-slope > power && -slope < 4 * power)) slope = -2 * power;
  *s = (secant){.k = k - missed / slope, .before = k, .missed = missed, .tried = true};
}

dm_status dm_energy_momentum_step(dm_energy_momentum *w, const double *q0, const double *p0,
                                  const double *u, double h, double *q1, double *p1) {
  const size_t bytes = (size_t)w->n * sizeof *q1;
  double H0, size, missed = 0, power, best = INFINITY;
  int worse = 0; // consecutive corrections without improvement
  dm_status status = DM_OK;
  secant s = {0};

  // initial energy; initial velocity from the guess
  for (int i = 0; i < w->n; i++) w->v[i] = (q1[i] - q0[i]) / h;
  DM_TRY(find_energy(w, q0, p0, &H0, &size));
  memset(w->g, 0, bytes);
  memcpy(w->q, q1, bytes);

  for (w->corrections = 0;; w->corrections++) {
    status = try_impulse(w, q0, p0, u, h, H0, &missed, &size);
    if (status < 0) return status;
    if (status > 0) break;

    // converged to rounding of the energy's terms, or as near as rounding permits
    const double off = fabs(missed);
    worse = off < best ? 0 : worse + 1;

    // effect of rounding q on the energy in short steps: p times the rounding of (q1-q0)/h
    double sum = 0;
    for (int i = 0; i < w->n; i++) sum += fabs(w->p[i]) * fmax(fabs(q0[i]), fabs(w->q[i]));
    const double least = 1e-13 * size + 8 * (DBL_EPSILON * sum / h);

    if (off <= 8 * DBL_EPSILON * size || (worse >= 3 && off <= least)) break;
    best = fmin(best, off);
    if (w->corrections == MOST) {
      status = DM_MAX_ITER;
      break;
    }
    DM_TRY(find_direction(w, q0, h, &power));
    if (power == 0) break; // motion along symmetric directions only: the energy is conserved
    take_secant(&s, missed, power);
    for (int i = 0; i < w->n; i++) w->g[i] = s.k * w->F[i];
  }
  w->missed = missed;
  memcpy(q1, w->q, bytes);
  memcpy(p1, w->p, bytes);
  return status;
}

static dm_status take_energy_momentum_step(void *self, int k, const double *q0, const double *p0,
                                           const double *u, double h, double *q1, double *p1,
                                           double *lambda) {
  dm_energy_momentum *w = self;
  (void)k;
  dm_status s = dm_energy_momentum_step(w, q0, p0, u, h, q1, p1);
  memcpy(lambda, w->del->lambda, (size_t)w->nc * sizeof *lambda);
  return s;
}

static void explain_energy_momentum_step(const void *self, dm_message *msg, dm_status s, int k,
                                         const char *const *name) {
  const dm_energy_momentum *w = self;
  if (s == DM_MAX_ITER && w->corrections == MOST)
    dm_fail(msg, s, "no step from knot %d: after %d corrections it misses %.3g J of the energy", k,
            w->corrections, w->missed);
  else
    dm_del_explain(msg, s, w->del, &w->info, k, name);
}

dm_stepper dm_energy_momentum_stepper(dm_energy_momentum *w) {
  assert(w);
  return (dm_stepper){.self = w,
                      .single = true,
                      .conserves_energy = !w->set.at_knots,
                      .residual = w->del->k->h,
                      .step = take_energy_momentum_step,
                      .explain = explain_energy_momentum_step};
}
