#include "lib/contact/impact.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double small = 1e-12; // smaller approach rates, relative to |G_i| and a speed, are
                                   // rounding

static void lay_out_impact(void *self, dm_block *b) {
  dm_impact *w = self;
  size_t n = (size_t)w->n, na = (size_t)w->na, m = (size_t)w->max_rows;
  double **vectors[] = {&w->p, &w->v, &w->v0, &w->d, &w->Wd};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));

  dm_sparse_rows_lay_out(&w->WA, b, w->n, na, na * n);
  dm_sparse_rows_lay_out(&w->some, b, w->n, m, w->entries);
  double **each[] = {&w->size, &w->lambda, &w->r0, &w->b};
  for (int i = 0; i < 4; i++) *each[i] = dm_block_alloc(b, m, sizeof(double));
  w->V = dm_block_alloc(b, m, sizeof *w->V);
  w->in = dm_block_alloc(b, m, sizeof *w->in);
  w->c = dm_block_alloc(b, na, sizeof *w->c);
}

dm_status dm_impact_new(dm_impact **out, int n, int na, int max_rows, size_t entries) {
  assert(out && n > 0 && na >= 0 && max_rows >= 0);
  dm_impact sizes = {.n = n, .na = na, .max_rows = max_rows, .entries = entries};
  dm_impact *w = dm_block_make(&sizes, sizeof sizes, lay_out_impact);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_row_impulses_new(&w->nnls, n, na, max_rows);
  if (status == DM_OK) status = dm_row_set_new(&w->equal, n, na);
  if (status != DM_OK) {
    dm_impact_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_impact_free(dm_impact *w) {
  if (w) dm_row_impulses_free(w->nnls);
  if (w) dm_row_set_free(w->equal);
  dm_block_free(w);
}

// the nnls problem of the m rows V; NULL: of all
static dm_row_problem pose_problem(dm_impact *w, const dm_conserved *E, int m, const int *which,
                                   double tol) {
  w->some.m = 0;
  for (int i = 0; i < m; i++) {
    const int row = which ? which[i] : i;
    dm_sparse_rows_append(&w->some, 1, w->G, row);
    w->nnls->size[i] = w->size[row];
    w->b[i] = dm_sparse_rows_inner(w->G, row, w->v);
    w->in[i] = w->b[i] < 0; // a guess
  }
  return (dm_row_problem){
      .metric = E->rows, .self = E->self, .A = w->A, .G = &w->some, .b = w->b, .tol = tol};
}

// the rows, with their norms; factors of A W A'
static dm_status take_rows(dm_impact *w, const dm_conserved *E, const dm_sparse_rows *A,
                           const dm_sparse_rows *G) {
  w->A = A;
  w->G = G;
  const dm_row_problem all = {.metric = E->rows, .self = E->self, .A = A, .G = G};
  DM_TRY(dm_row_impulses_measure(w->nnls, &all));
  memcpy(w->size, w->nnls->size, (size_t)G->m * sizeof *w->size);
  w->WA.m = 0;
  for (int i = 0; i < w->na; i++) DM_TRY(E->rows(E->self, 1, A, i, &w->WA));
  DM_TRY(dm_row_set_factor(w->equal, A, &w->WA, w->na, 1e-12));
  return w->equal->rank < w->na ? DM_SINGULAR : DM_OK;
}

// v = W p without its rates along the equalities
static dm_status find_velocity(dm_impact *w, const dm_conserved *E, const double *p, double *v) {
  DM_TRY(E->metric(E->self, p, v));
  if (w->na == 0) return DM_OK;
  for (int i = 0; i < w->na; i++) w->c[i] = -dm_sparse_rows_inner(w->A, i, v);
  dm_row_set_solve(w->equal, w->c);
  for (int i = 0; i < w->na; i++) dm_sparse_rows_add_to(&w->WA, i, w->c[i], v);
  return DM_OK;
}

// effect of impulses lambda [m] along rows `which` (NULL: all), with those of the equalities: w->d
// on p, w->Wd on v
static dm_status sum_impulses(dm_impact *w, const dm_conserved *E, int m, const int *which,
                              const double *lambda) {
  memset(w->d, 0, (size_t)w->n * sizeof *w->d);
  for (int i = 0; i < m; i++)
    if (lambda[i] != 0) dm_sparse_rows_add_to(w->G, which ? which[i] : i, lambda[i], w->d);
  for (int i = 0; i < w->na; i++) w->c[i] = -dm_sparse_rows_inner(&w->WA, i, w->d);
  if (w->na) dm_row_set_solve(w->equal, w->c);
  for (int i = 0; i < w->na; i++) dm_sparse_rows_add_to(w->A, i, w->c[i], w->d);
  return E->metric(E->self, w->d, w->Wd);
}

// add a times these to w->p, w->v
static void apply_impulses(dm_impact *w, double a) {
  dm_add_to(w->n, a, w->d, w->p);
  dm_add_to(w->n, a, w->Wd, w->v);
}

// The root a near 2 of E(p + a d) = E0, by the secant method; 2 if there is none in (1,4).
static dm_status find_energy_root(dm_impact *w, const dm_conserved *E, double E0, double *a) {
  enum { SECANTS = 30 };
  double at[2] = {*a, *a * (1 + 1e-3)}, off[2], value;
  for (int k = 0; k < SECANTS; k++) {
    // alternate between the two points of the secant
    int i = k % 2;
    memcpy(w->v0, w->p, (size_t)w->n * sizeof *w->p);
    dm_add_to(w->n, at[i], w->d, w->v0);
    DM_TRY(E->value(E->self, true, w->v0, &value));
    if (!isfinite(value)) return DM_NOT_FINITE;
    off[i] = value - E0;
    if (fabs(off[i]) <= 4 * DBL_EPSILON * fmax(fabs(E0), fabs(value))) {
      *a = at[i];
      break;
    }
    if (k == 0) continue;

    // next point; for a < 1 the rows still approach
    double step = off[i] * (at[i] - at[!i]) / (off[i] - off[!i]);
    if (fabs(step) <= 4 * DBL_EPSILON) *a = at[i];
    at[!i] = at[i] - step;
    if (!(fabs(step) > 4 * DBL_EPSILON && at[!i] > 1 && at[!i] < 4)) break;
  }
  return DM_OK;
}

// step 1: w->V; returns its length
static int list_approaching(dm_impact *w, dm_impact_law impact, int m, double tol) {
  int count = 0;
  for (int i = 0; i < m; i++)
    if (dm_sparse_rows_inner(w->G, i, w->v) < -tol * w->size[i]) w->V[count++] = i;

  // Moreau's law uses all contacts if any approaches
  if (impact == DM_GENERALIZED || count == 0) return count;
  for (int i = 0; i < m; i++) w->V[i] = i;
  return m;
}

// steps 1 and 2, algorithms 2 and 3 of paper 002: w->p, w->v, r [m]
static dm_status reflect_elastically(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                                     int m, double E0, double tol, double *r,
                                     dm_impact_info *info) {
  const int limit = 50 + 20 * m;
  for (;;) {
    int count = list_approaching(w, impact, m, tol);
    if (count == 0) return DM_OK;
    if (info->passes == limit) return DM_MAX_ITER;
    info->passes++;

    // lambda = nnls(V)
    const dm_row_problem x = pose_problem(w, E, count, w->V, tol);
    dm_status status = dm_row_impulses_solve(w->nnls, &x, w->in, w->lambda);
    if (status != DM_OK) return status;

    // p + a G_V'lambda: twice the inelastic impulse conserves a quadratic energy
    DM_TRY(sum_impulses(w, E, count, w->V, w->lambda));
    double a = 2;
    if (E->value) DM_TRY(find_energy_root(w, E, E0, &a));
    apply_impulses(w, a);
    for (int i = 0; i < count; i++) r[w->V[i]] += a * w->lambda[i];
  }
}

// bring approaching rows to rest: w->p, w->v, by impulses w->r0 = nnls(all)
static dm_status bring_to_rest(dm_impact *w, const dm_conserved *E, int m, double tol) {
  const dm_row_problem x = pose_problem(w, E, m, NULL, tol);
  DM_TRY(dm_row_impulses_solve(w->nnls, &x, w->in, w->r0));
  DM_TRY(sum_impulses(w, E, m, NULL, w->r0));
  apply_impulses(w, 1);
  return DM_OK;
}

// reset w->p, w->v to the state before the impact, from p [n] and w->v0
static void restore_motion(dm_impact *w, const double *p) {
  memcpy(w->p, p, (size_t)w->n * sizeof *p);
  memcpy(w->v, w->v0, (size_t)w->n * sizeof *w->v);
}

// Step 3: interpolate from the elastic impulses r to the inelastic ones: w->p, w->v, r.
static dm_status apply_restitution(dm_impact *w, const dm_conserved *E, int m, const double *e,
                                   double tol, const double *p, double *r) {
  const int n = w->n;
  const double before = dm_inner(n, p, w->v0) / 2;

  // r0, and lambda = e (r - r0)
  restore_motion(w, p);
  DM_TRY(bring_to_rest(w, E, m, tol));
  for (int i = 0; i < m; i++) {
    w->lambda[i] = e[i] * (r[i] - w->r0[i]);
    r[i] = w->r0[i];
  }

  for (double s = 1;;) {
    restore_motion(w, p);
    DM_TRY(sum_impulses(w, E, m, NULL, r));
    apply_impulses(w, 1);
    DM_TRY(sum_impulses(w, E, m, NULL, w->lambda));

    // the largest s, at which p + G'r0 + s d has the initial energy: a s^2 + b s = lost
    double lost = fmax(before - dm_inner(n, w->p, w->v) / 2, 0);
    double a = dm_inner(n, w->d, w->Wd) / 2, b = dm_inner(n, w->d, w->v);
    double largest = 2 * lost / (b + sqrt(b * b + 4 * a * lost));

    // 3a, 3b  with this s; repeat with the largest one if energy is gained
    apply_impulses(w, s);
    DM_TRY(bring_to_rest(w, E, m, tol));
    if (dm_inner(n, w->p, w->v) / 2 <= before * (1 + 4 * DBL_EPSILON) || !(largest < s)) {
      for (int i = 0; i < m; i++) r[i] += s * w->lambda[i] + w->r0[i];
      return DM_OK;
    }
    s = largest;
  }
}

dm_status dm_impact_apply(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                          const dm_sparse_rows *A, const dm_sparse_rows *G, const double *e,
                          double *p, double *r, dm_impact_info *info) {
  const int n = w->n, m = G->m;
  double E0 = 0, E1 = 0;
  assert(m <= w->max_rows);
  *info = (dm_impact_info){.worst = -1};
  memset(r, 0, (size_t)m * sizeof *r);
  if (m == 0) return DM_OK;

  // rows; the initial energy, and the tolerance of rates
  DM_TRY(take_rows(w, E, A, G));
  memcpy(w->p, p, (size_t)n * sizeof *p);
  DM_TRY(find_velocity(w, E, p, w->v));
  double before = dm_inner(n, p, w->v) / 2;
  double tol = small * fmax(E->slow, sqrt(fmax(2 * before, 0)));
  if (!isfinite(before)) return DM_NOT_FINITE;
  if (E->value) DM_TRY(E->value(E->self, false, p, &E0));

  // 1, 2  the elastic impact
  dm_status status = reflect_elastically(w, impact, E, m, E0, tol, r, info);
  if (status < 0) return status;

  // 3  restitution below one in a row with an impulse
  bool plastic = false;
  for (int i = 0; e && i < m; i++) plastic |= e[i] < 1 && r[i] > 0;
  if (plastic) {
    DM_TRY(find_velocity(w, E, p, w->v0));
    DM_TRY(apply_restitution(w, E, m, e, tol, p, r));
    info->passes++;
  }

  // numbers of reflected rows and of rows that still approach
  for (int i = 0; i < m; i++) {
    double y = dm_sparse_rows_inner(G, i, w->v);
    info->reflected += r[i] > 0;
    if (!(y < -tol * w->size[i] && -y / w->size[i] > info->approaching)) continue;
    info->approaching = -y / w->size[i];
    info->worst = i;
  }

  if (E->value) {
    DM_TRY(E->value(E->self, true, w->p, &E1));
  } else {
    E0 = before;
    E1 = dm_inner(n, w->p, w->v) / 2;
  }
  info->gained = E1 - E0;
  memcpy(p, w->p, (size_t)n * sizeof *p);
  return status;
}
