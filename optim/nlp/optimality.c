#include "optim/nlp/optimality.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

static const double SOLVED = 1e-9;          // the default tolerance
static const double LEVEL = 1e-6;           // IPOPT's acceptable_tol
static const double LARGE_MULTIPLIER = 100; // IPOPT's s_max

typedef struct scratch {
  double *residual;  // f' + J'lambda - z_l + z_u     [n]
  double *g;         // [m]
  double *transpose; // J'lambda                      [n]
  double *val;       // [jac_nnz]
  int *row, *col;    // [jac_nnz]
} scratch;

static void lay_out_scratch(scratch *w, const oc_nlp *nlp, dm_block *b) {
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m, nnz = (size_t)nlp->jac_nnz;
  w->residual = dm_block_alloc(b, n, sizeof *w->residual);
  w->g = dm_block_alloc(b, m, sizeof *w->g);
  w->transpose = dm_block_alloc(b, n, sizeof *w->transpose);
  w->val = dm_block_alloc(b, nnz, sizeof *w->val);
  w->row = dm_block_alloc(b, nnz, sizeof *w->row);
  w->col = dm_block_alloc(b, nnz, sizeof *w->col);
}

static double outside_by(double value, double low, double high) {
  return fmax(0, fmax(low - value, value - high));
}

// larger of two numbers, NAN if one of them is NAN
static double larger_or_nan(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

// a multiplier >= 0 of a bound: adds to the gap, or without a bound to the residual
static void add_bound(oc_optimality *o, double multiplier, double distance) {
  if (isinf(distance)) {
    o->dual = larger_or_nan(o->dual, fabs(multiplier));
    return;
  }
  o->gap += fabs(multiplier) * fmax(distance, 0);
  o->bounds++;
}

// variables: fixed ones are skipped
static void measure_variables(const oc_nlp *nlp, const oc_point *at, const scratch *w,
                              oc_optimality *o) {
  for (int j = 0; j < nlp->n; j++) {
    double low = nlp->x_min[j], high = nlp->x_max[j], x = at->x[j];
    double z_l = at->z_l[j], z_u = at->z_u[j];
    o->violation = larger_or_nan(o->violation, outside_by(x, low, high));
    if (low == high) continue;

    // stationarity, and the size of its terms
    double gradient = w->residual[j];
    o->dual = larger_or_nan(o->dual, fabs(gradient + w->transpose[j] - z_l + z_u));
    o->size = larger_or_nan(o->size, larger_or_nan(fabs(gradient), fabs(w->transpose[j])));
    o->size = larger_or_nan(o->size, larger_or_nan(fabs(z_l), fabs(z_u)));

    // signs and complementarity
    o->dual = larger_or_nan(o->dual, larger_or_nan(-z_l, -z_u));
    if (z_l != 0) add_bound(o, z_l, x - low);
    if (z_u != 0) add_bound(o, z_u, high - x);
  }
}

static dm_status measure_point(const oc_nlp *nlp, const oc_point *at, scratch *w,
                               oc_optimality *o) {
  // f, g, f' and J'lambda
  oc_triplets sink = {w->row, w->col, w->val, 0};
  DM_TRY(nlp->f(nlp->self, at->x, &o->objective));
  DM_TRY(nlp->g(nlp->self, at->x, w->g));
  DM_TRY(nlp->grad(nlp->self, at->x, w->residual));
  DM_TRY(nlp->jac(nlp->self, at->x, &sink));
  for (int e = 0; e < sink.n; e++) w->transpose[w->col[e]] += w->val[e] * at->lambda[w->row[e]];

  // rows: equations have no gap, inequalities that of the side with the multiplier
  for (int i = 0; i < nlp->m; i++) {
    double low = nlp->g_min[i], high = nlp->g_max[i], lambda = at->lambda[i];
    o->violation = larger_or_nan(o->violation, outside_by(w->g[i], low, high));
    // an equation's multiplier has either sign and no distance
    if (low == high || lambda == 0) continue;
    add_bound(o, lambda, lambda > 0 ? high - w->g[i] : w->g[i] - low);
  }

  measure_variables(nlp, at, w, o);

  // IPOPT's scale of the residual, for large mean multipliers
  // multipliers of rows, then of the existing bounds
  double sum = 0;
  int count = nlp->m;
  for (int i = 0; i < nlp->m; i++) sum += fabs(at->lambda[i]);
  for (int j = 0; j < nlp->n; j++) {
    if (nlp->x_min[j] == nlp->x_max[j]) continue;
    sum += fabs(at->z_l[j]) + fabs(at->z_u[j]);
    count += (nlp->x_min[j] > -INFINITY) + (nlp->x_max[j] < INFINITY); // number of finite bounds
  }

  // max(s_max, mean) / s_max
  double mean = count > 0 ? sum / count : 0;
  o->scale = fmax(LARGE_MULTIPLIER, mean) / LARGE_MULTIPLIER;

  // the sum is finite if all of them are
  double all = o->objective + o->violation + o->dual + o->scale + o->size + o->gap;
  return isfinite(all) ? DM_OK : DM_NOT_FINITE;
}

dm_status oc_optimality_measure(const oc_nlp *nlp, const oc_point *at, oc_optimality *out) {
  assert(nlp && at && out);
  scratch w;
  dm_block b = {0};
  lay_out_scratch(&w, nlp, &b);
  DM_TRY(dm_block_new(&b));
  lay_out_scratch(&w, nlp, &b);
  oc_optimality o = {0};
  dm_status s = measure_point(nlp, at, &w, &o);
  dm_block_free(w.residual);
  if (s == DM_OK) *out = o;
  return s;
}

bool oc_optimality_accept(const oc_optimality *o, double tol) {
  const double exact = fmax(tol, SOLVED);

  // four conditions of the header: violation, dual twice, gap
  bool feasible = o->violation <= 2 * exact;
  bool stationary = o->dual <= LEVEL * o->scale && o->dual <= LEVEL * o->size;
  bool closed =
      o->gap <= LEVEL * fabs(o->objective) || o->gap <= exact * o->bounds * fmin(1, o->size);
  return feasible && stationary && closed;
}
