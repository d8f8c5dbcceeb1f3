#include "optim/program/residual.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

// A force is at a bound if its distance is within this fraction of its range. A free force whose quadratic
// model asks for a change of more than SINGULAR of its range has negligible curvature, and is left unchanged.
static const double AT_BOUND = 1e-3, SINGULAR = 0.25;
enum { SMOOTH = 4, SMOOTHER = 6, LINE = 2 }; // points of interpolation

typedef struct residual_work {
  const oc_transcription *a;
  oc_transcription *b;
  const oc_point *from;
  int times, n, m, jac_nnz, hess_nnz; // b->N / a->N; sizes of b's program
  double *x, *lambda, *g;             // the point on b
  double *slope, *weighted;           // [n] of f; of the Lagrangian function
  double *bend;                       // [n] diagonal of its Hessian
  int *jac_row, *jac_col, *hess_row, *hess_col;
  double *jac, *hess;
  double *pull; // [a->N x n] costates by which the forces of a step are priced
  bool *moves;  // [nu] does an input leave its coarse values?
} residual_work;

static void lay_out_residual(void *self, dm_block *b) {
  residual_work *w = self;
  const size_t n = (size_t)w->n, m = (size_t)w->m;
  const size_t jac = (size_t)w->jac_nnz, hess = (size_t)w->hess_nnz;
  w->x = dm_block_alloc(b, n, sizeof *w->x);
  w->lambda = dm_block_alloc(b, m, sizeof *w->lambda);
  w->g = dm_block_alloc(b, m, sizeof *w->g);
  w->slope = dm_block_alloc(b, n, sizeof *w->slope);
  w->weighted = dm_block_alloc(b, n, sizeof *w->weighted);
  w->bend = dm_block_alloc(b, n, sizeof *w->bend);
  w->jac_row = dm_block_alloc(b, jac, sizeof *w->jac_row);
  w->jac_col = dm_block_alloc(b, jac, sizeof *w->jac_col);
  w->hess_row = dm_block_alloc(b, hess, sizeof *w->hess_row);
  w->hess_col = dm_block_alloc(b, hess, sizeof *w->hess_col);
  w->jac = dm_block_alloc(b, jac, sizeof *w->jac);
  w->hess = dm_block_alloc(b, hess, sizeof *w->hess);
  w->pull = dm_block_alloc(b, (size_t)w->a->N * (size_t)w->a->n, sizeof *w->pull);
  w->moves = dm_block_alloc(b, (size_t)w->a->nu, sizeof *w->moves);
}

// r^power, the size of entries on the finer grid relative to the coarser one
static double scale_of(const residual_work *w, int power) {
  return pow(1.0 / w->times, power);
}

// -- the point

// If steps add inertia for stiff damping, a state lags (lib/discrete/stiff_damping.h); on a finer grid the
// lag is smaller.
static void shift_lag(residual_work *w) {
  const oc_transcription *b = w->b;
  const double *lag = w->a->task.system.lag, *finer = b->task.system.lag;
  const double h = oc_transcription_mean(b, w->x);
  for (int i = 0; lag && i < b->n; i++) {
    const double less = lag[i] - (finer ? finer[i] : 0);
    double before = w->x[oc_transcription_q(b, 0) + i];
    for (int k = 1; k < b->N; k++) {
      double *q = &w->x[oc_transcription_q(b, k) + i], here = *q;
      *q += less * (w->x[oc_transcription_q(b, k + 1) + i] - before) / (2 * h);
      before = here;
    }
  }
}

// a kinematic coordinate's input is its position at the end of the step
static void set_kinematic_inputs(residual_work *w) {
  const oc_transcription *b = w->b;
  for (int i = 0, j = b->nf; b->kinematic && i < b->n; i++) {
    if (!b->kinematic[i]) continue;
    for (int k = 0; k < b->N; k++)
      w->x[oc_transcription_u(b, k) + j] = w->x[oc_transcription_q(b, k + 1) + i];
    j++;
  }
}

// The costates that price the forces of each coarse step: left lambda_k + (1 - left) lambda_{k+1}; at the
// right knot plus the multiplier of its velocity, which also applies to the step's D2
// (optim/rows/knot_speeds.h). The component that alternates from knot to knot does not price any force on the
// coarse grid, but would on a finer one.
static void find_pulls(residual_work *w) {
  const oc_transcription *a = w->a;
  const double left = a->task.system.rule.left, *lambda = w->from->lambda;
  for (int k = 0; k < a->N; k++) {
    const bool moving = a->moving && k + 1 < a->N;
    const double *eta = moving ? lambda + oc_rows_at(a, OC_VELOCITY_ROWS, k) : NULL;
    for (int i = 0; i < a->n; i++) {
      const double next = lambda[(k + 1) * a->n + i] + (eta ? eta[i] : 0);
      w->pull[k * a->n + i] = left * lambda[k * a->n + i] + (1 - left) * next;
    }
  }
}

static void interpolate_multipliers(residual_work *w, int points) {
  for (int i = 0; i < w->a->nrows; i++) {
    const oc_series *old = &w->a->rows[i].at;
    oc_series_interpolate(old, w->from->lambda, &w->b->rows[i].at, w->lambda,
                          scale_of(w, old->dual), LINE, false);
  }

  // of the rows of motion, from the costates that price the forces
  const int n = w->a->n, N = w->a->N;
  const double left = w->a->task.system.rule.left;
  const oc_series pull = {0, n, n, N, (1 - left) / N, 1 - left / N, 0, 0};
  const oc_series *motion = &oc_rows_of(w->b, OC_MOTION_ROWS)->at;
  oc_series_interpolate(&pull, w->pull, motion, w->lambda, 1, points, false);
  for (int k = 1; w->b->moving && k < w->b->N; k++)
    for (int i = 0; i < n; i++)
      w->lambda[k * n + i] -= (1 - left) * w->lambda[oc_rows_at(w->b, OC_VELOCITY_ROWS, k - 1) + i];
}

// -- the parts of the Lagrangian function

// lambda.g of the equality rows of a series
static double sum_equations(const residual_work *w, const oc_series *on) {
  const oc_nlp *nlp = &w->b->nlp;
  double sum = 0;
  for (int k = 0; k < on->count; k++)
    for (int i = 0; i < on->size; i++) {
      const int at = on->at + k * on->stride + i;
      if (nlp->g_min[at] == nlp->g_max[at]) sum += w->lambda[at] * (w->g[at] - nlp->g_max[at]);
    }
  return sum;
}

// Limits on a series: of rows, or of unknowns.
typedef struct limited {
  oc_series of, on; // on the coarser and on the finer grid
  // multipliers of the coarser grid; for rows only `low`, with either sign
  const double *low, *high;
  const double *old_min, *old_max; // bounds on the coarser grid
  const double *value, *min, *max; // of the finer grid
  const bool *left_out;            // [of.size] entries to ignore; NULL: none
} limited;

// how far entry i exceeds its limit on one side in the fine groups within half a coarse step of group j: the
// maximum, or the mean
static double find_passed(const limited *s, int j, int i, bool high, bool most) {
  const oc_series *on = &s->on;
  const double apart = s->of.count > 1 ? (s->of.last - s->of.first) / (s->of.count - 1) : 2;
  const double t = oc_series_time(&s->of, j), near = apart / 2 * (1 + 1e-9);
  double worst = -INFINITY, sum = 0;
  int found = 0;

  // the fine groups in [t - near, t + near]
  const double each = on->count > 1 ? (on->last - on->first) / (on->count - 1) : 1;
  int k = (int)ceil((t - near - on->first) / each);
  for (k = k > 0 ? k : 0; k < on->count && oc_series_time(on, k) <= t + near; k++) {
    const int at = on->at + k * on->stride + i;
    const double by = high ? s->value[at] - s->max[at] : s->min[at] - s->value[at];
    worst = fmax(worst, by);
    sum += by;
    found++;
  }
  if (!found || !isfinite(sum)) return 0;
  return most ? worst : sum / found;
}

// multipliers times the amounts by which limits are exceeded
static double sum_limits(const residual_work *w, const limited *s, bool most) {
  const double count = s->on.count > 1 ? w->times : 1, scale = count * scale_of(w, s->of.dual);
  double sum = 0;
  for (int j = 0; j < s->of.count; j++)
    for (int i = 0; i < s->of.size; i++) {
      const int at = s->of.at + j * s->of.stride + i;
      if ((s->left_out && s->left_out[i]) || s->old_min[at] == s->old_max[at]) continue;
      const double low = s->high ? s->low[at] : -s->low[at], high = s->high ? s->high[at] : -low;
      if (low > 0) sum += low * find_passed(s, j, i, false, most);
      if (high > 0) sum += high * find_passed(s, j, i, true, most);
    }
  return scale * sum;
}

// everything except the moving forces
static double sum_all(const residual_work *w, bool most) {
  const oc_nlp *na = &w->a->nlp, *nb = &w->b->nlp;
  limited rows = {.low = w->from->lambda,
                  .old_min = na->g_min,
                  .old_max = na->g_max,
                  .value = w->g,
                  .min = nb->g_min,
                  .max = nb->g_max};
  double sum = 0;
  for (int i = 0; i < w->a->nrows; i++) {
    rows.of = w->a->rows[i].at;
    rows.on = w->b->rows[i].at;
    sum += sum_equations(w, &rows.on) + sum_limits(w, &rows, most);
  }

  // the distance of a step from its bounds does not depend on the grid
  limited bounds = {.low = w->from->z_l,
                    .high = w->from->z_u,
                    .old_min = na->x_min,
                    .old_max = na->x_max,
                    .value = w->x,
                    .min = nb->x_min,
                    .max = nb->x_max};
  for (int i = 0; i < OC_UNKNOWN_KINDS; i++) {
    bounds.of = w->a->unknowns[i];
    bounds.on = w->b->unknowns[i];
    bounds.left_out = i == OC_INPUTS ? w->moves : NULL;
    if (i != OC_STEP) sum += sum_limits(w, &bounds, most);
  }
  return sum;
}

// is force j at a bound in coarse step k, or in an adjacent step?
static bool is_near_bound(const oc_transcription *a, const double *x, int k, int j) {
  for (int c = k > 0 ? k - 1 : 0; c <= k + 1 && c < a->N; c++) {
    const int u = oc_transcription_u(a, c) + j;
    const double low = a->nlp.x_min[u], high = a->nlp.x_max[u], near = AT_BOUND * (high - low);
    if (isfinite(near) && (x[u] - low < near || high - x[u] < near)) return true;
  }
  return false;
}

// The reduction when force j of fine step k moves to the minimum of its quadratic model within bounds.
static double move_force(const residual_work *w, int k, int j) {
  const int u = oc_transcription_u(w->b, k) + j;
  const double low = w->b->nlp.x_min[u] - w->x[u], high = w->b->nlp.x_max[u] - w->x[u];
  const double slope = w->weighted[u], bend = w->bend[u], range = high - low;
  if (slope == 0) return 0;
  double by = bend > 0 ? -slope / bend : -copysign(INFINITY, slope);

  // a free force without curvature is singular, and its slope is rounding
  const bool far = !(fabs(by) < SINGULAR * range);
  if (far && !is_near_bound(w->a, w->from->x, k / w->times, j)) return 0;
  by = fmin(fmax(by, low), high);
  return isfinite(by) ? (slope + bend * by / 2) * by : 0;
}

// the gradient of the Lagrangian function without bounds
static void weigh_slopes(residual_work *w) {
  memcpy(w->weighted, w->slope, (size_t)w->n * sizeof *w->weighted);
  for (int e = 0; e < w->jac_nnz; e++)
    w->weighted[w->jac_col[e]] += w->lambda[w->jac_row[e]] * w->jac[e];
}

static double sum_forces(const residual_work *w) {
  double sum = 0;
  for (int k = 0; k < w->b->N; k++)
    for (int j = 0; j < w->b->nf; j++)
      if (w->moves[j]) sum += move_force(w, k, j);
  return sum;
}

// -- the whole

// f, g and all derivatives at the point
static dm_status evaluate(residual_work *w, double *f) {
  const oc_nlp *nlp = &w->b->nlp;
  oc_triplets jac = {.row = w->jac_row, .col = w->jac_col}, values = {.val = w->jac};
  oc_triplets hess = {.row = w->hess_row, .col = w->hess_col}, bends = {.val = w->hess};
  DM_TRY(nlp->f(nlp->self, w->x, f));
  DM_TRY(nlp->grad(nlp->self, w->x, w->slope));
  DM_TRY(nlp->g(nlp->self, w->x, w->g));
  DM_TRY(nlp->jac(nlp->self, NULL, &jac));
  DM_TRY(nlp->jac(nlp->self, w->x, &values));
  DM_TRY(nlp->hess(nlp->self, NULL, 1, NULL, &hess));
  DM_TRY(nlp->hess(nlp->self, w->x, 1, w->lambda, &bends));
  for (int e = 0; e < w->hess_nnz; e++)
    if (w->hess_row[e] == w->hess_col[e]) w->bend[w->hess_row[e]] += w->hess[e];
  return DM_OK;
}

static dm_status add_estimates(residual_work *w, oc_residual *out) {
  double f = 0;

  // A force is kept if its changes have a limit or a cost, which couples it to its neighbors.
  const oc_transcription *a = w->a;
  const double *price = a->task.cost[OC_RATE].running;
  for (int j = 0; j < a->nu; j++) w->moves[j] = j < a->nf && !(price && price[j] > 0);
  for (int l = 0; l < a->nrate; l++) w->moves[a->rated[l]] = false;

  // the unknowns, interpolated on the finer grid
  const oc_transcription *b = w->b;
  const bool smoother = b->task.cost[OC_A].running || b->task.cost[OC_JERK].running;
  for (int i = 0; i < OC_UNKNOWN_KINDS; i++) {
    const oc_series *old = &w->a->unknowns[i];
    const int curve = smoother && i == OC_POSITIONS ? SMOOTHER : SMOOTH;
    oc_series_interpolate(old, w->from->x, &b->unknowns[i], w->x, scale_of(w, old->value),
                          i == OC_INPUTS ? LINE : curve, false);
  }
  shift_lag(w);
  set_kinematic_inputs(w);

  // clip the forces to their bounds
  for (int k = 0; k < b->N; k++)
    for (int j = 0; j < b->nu; j++) {
      const int u = oc_transcription_u(b, k) + j;
      w->x[u] = fmin(fmax(w->x[u], b->nlp.x_min[u]), b->nlp.x_max[u]);
    }

  find_pulls(w);
  interpolate_multipliers(w, SMOOTH);
  DM_TRY(evaluate(w, &f));
  weigh_slopes(w);
  const double forces = sum_forces(w), objective = f + sum_all(w, true) + forces;

  // lambda piecewise linear, limits by their mean
  interpolate_multipliers(w, LINE);
  weigh_slopes(w);
  const double other = f + sum_all(w, false) + sum_forces(w);
  if (!isfinite(objective) || !isfinite(other)) return DM_NOT_FINITE;
  out->objective += objective;
  out->other += other;
  out->forces += forces;
  return DM_OK;
}

dm_status oc_residual_add(oc_residual *out, const oc_transcription *a, const oc_point *from,
                          oc_transcription *b) {
  assert(out && a && from && b && a->n == b->n && b->N % a->N == 0 && a->moving * b->moving >= 0);
  residual_work sizes = {.a = a,
                         .b = b,
                         .from = from,
                         .times = b->N / a->N,
                         .n = b->nlp.n,
                         .m = b->nlp.m,
                         .jac_nnz = b->nlp.jac_nnz,
                         .hess_nnz = b->nlp.hess_nnz};
  residual_work *w = dm_block_make(&sizes, sizeof sizes, lay_out_residual);
  if (!w) return DM_NO_MEMORY;
  b->ratio_price = a->ratio_price;
  const dm_status s = add_estimates(w, out);
  dm_block_free(w);
  return s;
}

// multiplier times distance from the limit; 0 without a limit
static double find_slack(double multiplier, double distance) {
  return isfinite(distance) ? fabs(multiplier * distance) : 0;
}

double oc_residual_complementarity(const oc_nlp *nlp, const oc_point *at, const double *g) {
  double sum = 0;
  for (int i = 0; i < nlp->n; i++)
    if (nlp->x_min[i] < nlp->x_max[i])
      sum += find_slack(at->z_l[i], at->x[i] - nlp->x_min[i]) +
             find_slack(at->z_u[i], nlp->x_max[i] - at->x[i]);
  for (int i = 0; i < nlp->m; i++)
    if (nlp->g_min[i] < nlp->g_max[i])
      sum += find_slack(at->lambda[i],
                        at->lambda[i] > 0 ? nlp->g_max[i] - g[i] : g[i] - nlp->g_min[i]);
  return sum;
}
