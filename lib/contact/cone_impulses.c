#include "lib/contact/cone_impulses.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NEWTONS = 30, SWEEPS = 40, STIFFENINGS = 100 };
// residuals, relative to the largest impulse or distance
static const double SOLVED = 1e-16;
static const double ALMOST = 1e-11; // if it does not fall further
static const double ROUGHLY = 1e-5;
// on the diagonal of A, which is 1: in derivatives; of contacts that yield, which changes by a factor
static const double NEAREST = 1e-8;
static const double SOFTEST = 0.1, STIFFEST = 1e-9, STIFFER = 4, SLOWEST = 1.05;

static void lay_out_cone(void *self, dm_block *b) {
  dm_cone_impulses *w = self;
  const size_t nr = (size_t)w->nr;
  double **rows[] = {&w->unit, &w->f, &w->y, &w->left, &w->kept, &w->best, &w->nearly};
  for (int i = 0; i < 7; i++) *rows[i] = dm_block_alloc(b, nr, sizeof(double));
  w->J = dm_block_alloc(b, nr * nr, sizeof(double));
  w->pivot = dm_block_alloc(b, nr, sizeof *w->pivot);
}

dm_status dm_cone_impulses_new(dm_cone_impulses **out, const dm_contact_laws *laws) {
  assert(out && laws);
  dm_cone_impulses sizes = {.laws = laws, .nr = laws->rows.nc};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_cone);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_cone_impulses_free(dm_cone_impulses *w) {
  dm_block_free(w);
}

static double root_of(double a) {
  return a > 0 ? sqrt(a) : 1;
}

void dm_cone_units(const dm_contact_laws *laws, const double *A, double *unit) {
  const int nr = laws->rows.nc;
  for (const dm_contact_law *law = laws->law; law < laws->law + laws->n; law++) {
    double both = 0;
    if (law->gap >= 0) unit[law->gap] = root_of(A[law->gap * (nr + 1)]);
    for (int t = 0; t < law->tangents; t++)
      both = fmax(both, root_of(A[law->tangent[t] * (nr + 1)]));
    for (int t = 0; t < law->tangents; t++) unit[law->tangent[t]] = both;
  }
}

// A_rs in these units
static double scaled_entry(const dm_cone_impulses *w, const dm_cone_problem *x, int r, int s) {
  return x->A[r * w->nr + s] / (w->unit[r] * w->unit[s]);
}

// y of row r: a gap, or how far the contact slides from r0; less of it if the contact yields
static void find_distance(dm_cone_impulses *w, const dm_cone_problem *x, int r, double from) {
  const double *A = x->A + r * w->nr;
  double r1 = x->r1[r] - from;
  for (int s = 0; s < w->nr; s++) r1 += A[s] * (w->f[s] / w->unit[s] - x->F0[s]);
  w->y[r] = r1 / w->unit[r] + w->yield * w->f[r];
}

static void find_distances(dm_cone_impulses *w, const dm_cone_problem *x, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  if (law->gap >= 0) find_distance(w, x, law->gap, 0);
  for (int t = 0; t < law->tangents; t++)
    find_distance(w, x, law->tangent[t], x->r0[law->tangent[t]]);
}

// a law at the current impulses
typedef struct cone_state {
  bool open, slides;
  double slope, fall, bound; // of friction: by c, by s, and its value
  double size, way[2];       // of t - s, and its direction
} cone_state;

static cone_state find_state(const dm_cone_impulses *w, const dm_cone_problem *x, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  const int gap = law->gap, given = x->given ? DM_LAW_STATE(x->given[l]) : -1;
  cone_state at = {.open = gap >= 0 && w->f[gap] <= w->y[gap]};
  if (given >= 0) at.open = given == DM_LAW_OPEN;
  if (!law->tangents) return at;
  const double unit = w->unit[law->tangent[0]];
  at.slope = gap >= 0 && (w->f[gap] > 0 || given >= 0) ? law->friction * unit / w->unit[gap] : 0;
  at.fall = x->fall[l] * unit * unit;
  at.bound = x->bound[l] * unit + (gap >= 0 ? at.slope * w->f[gap] : 0);
  if (at.fall != 0) at.bound += at.fall * w->y[law->tangent[0]];
  for (int t = 0; t < law->tangents; t++) at.way[t] = w->f[law->tangent[t]] - w->y[law->tangent[t]];
  at.size = hypot(at.way[0], at.way[1]);
  at.slides = given >= 0 ? given == DM_LAW_SLIDES : at.size > at.bound;
  for (int t = 0; t < 2 && at.size > 0; t++) at.way[t] /= at.size;
  if (given == DM_LAW_SLIDES && (law->tangents == 1 || !(at.size > ALMOST * w->most))) {
    // The direction in which friction of a given entry acts along each tangent, if t - s does not say it.
    const unsigned char entry = x->given[l];
    const int acts = DM_LAW_ACTS_IN(entry);
    for (int t = 0; t < law->tangents; t++)
      at.way[t] = (acts >> 2 * t & 1) - (acts >> (2 * t + 1) & 1);
    const double size = hypot(at.way[0], at.way[1]);
    for (int t = 0; t < 2 && size > 0; t++) at.way[t] /= size;
  }
  return at;
}

// -- step 1

// residual `left` of row r, beyond rounding
static double excess_of(const dm_cone_impulses *w, const dm_cone_problem *x, int r) {
  return fmax(0, fabs(w->left[r]) - x->rounding[r] / w->unit[r]);
}

// the residuals of all laws; returns the largest
static double find_residuals(dm_cone_impulses *w, const dm_cone_problem *x) {
  double most = 0;
  memset(w->left, 0, (size_t)w->nr * sizeof *w->left);
  memset(w->y, 0, (size_t)w->nr * sizeof *w->y);
  for (int l = 0; l < w->laws->n; l++) find_distances(w, x, l);
  w->most = fmax(w->most, fmax(dm_largest(w->nr, w->f), dm_largest(w->nr, w->y)));
  for (int l = 0; l < w->laws->n; l++) {
    const dm_contact_law *law = &w->laws->law[l];
    const cone_state at = find_state(w, x, l);
    if (law->gap >= 0) {
      w->left[law->gap] = at.open ? w->f[law->gap] : w->y[law->gap];
      most = fmax(most, excess_of(w, x, law->gap));
    }
    for (int t = 0; t < law->tangents; t++) {
      const int r = law->tangent[t];
      w->left[r] = at.slides ? w->f[r] - at.bound * at.way[t] : w->y[r];
      if (at.open) w->left[r] = w->f[r];
      most = fmax(most, excess_of(w, x, r));
    }
  }
  return most;
}

// to += a x row r of A, in units, with a diagonal that keeps it regular
static void add_response(const dm_cone_impulses *w, const dm_cone_problem *x, double a, int r,
                         double *to) {
  for (int s = 0; s < w->nr; s++) to[s] += a * scaled_entry(w, x, r, s);
  to[r] += a * fmax(NEAREST, w->yield);
}

// the derivatives of a law's residuals
static void put_slopes(dm_cone_impulses *w, const dm_cone_problem *x, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  const cone_state at = find_state(w, x, l);
  const int nr = w->nr;
  if (law->gap >= 0) w->J[law->gap * (nr + 1)] = 0;
  for (int t = 0; t < law->tangents; t++) w->J[law->tangent[t] * (nr + 1)] = 0;
  if (law->gap >= 0 && !at.open) add_response(w, x, 1, law->gap, w->J + law->gap * nr);
  if (law->gap >= 0 && at.open) w->J[law->gap * (nr + 1)] = 1;
  for (int t = 0; t < law->tangents; t++) {
    const int r = law->tangent[t];
    double *J = w->J + r * nr;
    if (at.open || at.slides) J[r] = 1;
    if (at.open) continue;
    if (!at.slides) {
      add_response(w, x, 1, r, J);
      continue;
    }

    // t - b way, with way = p/|p| and p = t - s
    if (law->gap >= 0) J[law->gap] -= at.slope * at.way[t];
    if (at.fall != 0) add_response(w, x, -at.fall * at.way[t], law->tangent[t], J);
    for (int u = 0; u < law->tangents && law->tangents > 1 && at.size > 0; u++) {
      const double across = at.bound / at.size * ((t == u) - at.way[t] * at.way[u]);
      J[law->tangent[u]] -= across;
      add_response(w, x, across, law->tangent[u], J);
    }
  }
}

// Returns DM_ACCEPTABLE with the best impulses, in w->best, if the residual is small.
static dm_status converge(dm_cone_impulses *w, const dm_cone_problem *x) {
  double last = INFINITY, least = INFINITY;
  w->most = 0;
  for (int i = 0; i < NEWTONS; i++) {
    const double left = find_residuals(w, x);
    if (!isfinite(dm_inner(w->nr, w->left, w->left))) return DM_NOT_FINITE;
    if (left <= SOLVED * w->most || (left > last / 2 && left <= ALMOST * w->most)) return DM_OK;
    last = left;
    if (left < least) {
      least = left;
      memcpy(w->best, w->f, (size_t)w->nr * sizeof *w->f);
    }
    memset(w->J, 0, (size_t)(w->nr * w->nr) * sizeof *w->J);
    for (int r = 0; r < w->nr; r++) w->J[r * (w->nr + 1)] = 1; // also of rows that no law has
    for (int l = 0; l < w->laws->n; l++) put_slopes(w, x, l);
    DM_TRY(dm_lu_factor(w->nr, w->J, w->pivot));
    dm_lu_solve(w->nr, w->J, w->pivot, 1, w->left);
    dm_add_to(w->nr, -1, w->left, w->f);
  }
  w->missed = least / w->most;
  return w->missed <= ROUGHLY ? DM_ACCEPTABLE : DM_MAX_ITER;
}

// -- step 2

// one law's equations with the impulses of the others
static void project_law(dm_cone_impulses *w, const dm_cone_problem *x, int l) {
  const dm_contact_law *law = &w->laws->law[l];
  if (law->gap >= 0) {
    find_distance(w, x, law->gap, 0);
    w->f[law->gap] = fmax(0, w->f[law->gap] - w->y[law->gap]);
  }
  if (!law->tangents) return;
  find_distances(w, x, l);
  const cone_state at = find_state(w, x, l);
  const double size = at.slides ? at.bound : at.size;
  for (int t = 0; t < law->tangents; t++) w->f[law->tangent[t]] = size * at.way[t];
}

// Newton's method after sweeps from w->kept
static dm_status sweep_first(dm_cone_impulses *w, const dm_cone_problem *x) {
  const size_t bytes = (size_t)w->nr * sizeof *w->f;
  memcpy(w->f, w->kept, bytes);
  w->most = 0;
  for (int i = 0; i < SWEEPS; i++)
    for (int l = 0; l < w->laws->n; l++) project_law(w, x, l);
  memcpy(w->kept, w->f, bytes);
  return converge(w, x);
}

// -- step 3

// From contacts that yield to rigid ones, from w->kept. Impulses of rigid ones that are only nearly found remain in
// w->best.
static dm_status stiffen(dm_cone_impulses *w, const dm_cone_problem *x, dm_status s) {
  const size_t bytes = (size_t)w->nr * sizeof *w->f;
  const double missed = s == DM_ACCEPTABLE ? w->missed : INFINITY;
  double stiffer = STIFFER, solved = SOFTEST * STIFFER;
  memcpy(w->nearly, w->best, bytes);
  for (int i = 0; i < STIFFENINGS && stiffer > SLOWEST && solved > STIFFEST; i++) {
    w->yield = solved / stiffer;
    memcpy(w->f, w->kept, bytes);
    const bool follows = converge(w, x) == DM_OK;
    if (follows) memcpy(w->kept, w->f, bytes);
    if (follows) solved = w->yield;
    stiffer = follows ? fmin(STIFFER, stiffer * stiffer) : sqrt(stiffer);
  }
  w->yield = w->most = 0;

  // rigid ones; otherwise the better of the stiffest and those of steps 1 and 2
  memcpy(w->f, w->kept, bytes);
  const double left = find_residuals(w, x) / w->most;
  if (converge(w, x) == DM_OK) return DM_OK;
  memcpy(w->best, left < missed ? w->kept : w->nearly, bytes);
  w->missed = fmin(left, missed);
  return w->missed <= ROUGHLY ? DM_ACCEPTABLE : DM_MAX_ITER;
}

dm_status dm_cone_impulses_solve(dm_cone_impulses *w, const dm_cone_problem *x, double *F) {
  const size_t bytes = (size_t)w->nr * sizeof *w->f;
  for (int r = 0; r < w->nr; r++) w->unit[r] = 1; // also of rows that no law has
  dm_cone_units(w->laws, x->A, w->unit);
  for (int r = 0; r < w->nr; r++) w->f[r] = w->kept[r] = F[r] * w->unit[r];
  w->yield = 0;
  dm_status s = converge(w, x);
  if (s != DM_OK && !x->given) s = sweep_first(w, x);
  if (s != DM_OK && s != DM_NOT_FINITE && !x->given) s = stiffen(w, x, s);
  if (s == DM_ACCEPTABLE) memcpy(w->f, w->best, bytes);
  const bool found = s == DM_OK || s == DM_ACCEPTABLE;
  for (int r = 0; found && r < w->nr; r++) F[r] = w->f[r] / w->unit[r];
  return s;
}
