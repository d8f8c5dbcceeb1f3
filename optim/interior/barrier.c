#include "optim/interior/barrier.h"

#include "lib/base/width.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DAMPING = 1e-5;         // kappa_d: bounds variables with a single bound
static const double LARGE_MULTIPLIER = 100; // s_max
static const double BOUND_SPREAD = 1e10;    // kappa_sigma
static const double LARGEST_START = 1000;   // constr_mult_init_max
static const double BOUND_GIVES = 1.8e-12;  // slack_move: rounding to the power of 3/4
static const double ROUNDING = 1e-10;       // acceptable relative residual of a solve:
                                            // residual_ratio_max
static const double DEPENDENT = 1e14;       // multipliers relative to their right-hand side
enum { REFINEMENTS = 3, LANES = 8 };

void oc_barrier_lay_out(oc_barrier *b, dm_block *block) {
  oc_equality_form_lay_out(&b->form, block);
  size_t n = (size_t)b->form.n, nv = (size_t)b->form.nv, m = (size_t)b->form.m;
  double **of_v[] = {&b->v,      &b->z_l,   &b->z_u,   &b->grad,  &b->dv,    &b->dz_l,  &b->dz_u,
                     &b->dv_soc, &b->v_try, &b->sigma, &b->rhs_v, &b->res_v, &b->slope, &b->step_v};
  double **of_c[] = {&b->y,     &b->c,     &b->dy,    &b->dy_soc, &b->c_soc,
                     &b->c_try, &b->rhs_c, &b->res_c, &b->diag_c, &b->step_c};
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++)
    *of_v[i] = dm_block_alloc(block, nv, sizeof(double));
  for (size_t i = 0; i < sizeof of_c / sizeof *of_c; i++)
    *of_c[i] = dm_block_alloc(block, m, sizeof(double));
  b->jac_y = dm_block_alloc(block, nv, sizeof(double));
  b->pivot = dm_block_alloc(block, (size_t)b->form.nw, sizeof(double));
  b->diag = dm_block_alloc(block, n, sizeof(double));
  b->shifted = dm_block_alloc(block, nv, sizeof(double));
  b->met = dm_block_alloc(block, n, sizeof(int));
  b->other = dm_block_alloc(block, n, sizeof(int));
  b->rhs = dm_block_alloc(block, n + m, sizeof(double));
}

// -- the barrier function

static bool has_low(const oc_barrier *b, int i) {
  return b->form.low[i] > -INFINITY;
}

static bool has_high(const oc_barrier *b, int i) {
  return b->form.high[i] < INFINITY;
}

// tree sum of the lanes: the order is the same for any vector width
static double sum_lanes(double *lane) {
  for (int n = LANES / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++) lane[l] += lane[l + n];
  return lane[0];
}

// One logarithm for a product of several distances: take logarithms before the products overflow or
// underflow; at the end of all of them.
static double fold_products(double *product, bool all) {
  double logs = 0;
  for (int l = 0; l < LANES; l++) {
    if (!all && product[l] < 1e100 && product[l] > 1e-100) continue;
    logs += log(product[l]);
    product[l] = 1;
  }
  return logs;
}

// sum of logarithms of all distances to one side, several products side by side
DM_EACH_WIDTH static double sum_logs(int n, const double *restrict from,
                                     const double *restrict to) {
  enum { BLOCK = 4 * LANES }; // between two range checks
  double product[LANES] = {1, 1, 1, 1, 1, 1, 1, 1}, logs = 0;
  int i = 0;
  while (i + LANES <= n) {
    const int end = i + BLOCK < n ? i + BLOCK : n;
    for (; i + LANES <= end; i += LANES)
      for (int l = 0; l < LANES; l++) {
        const double gap = to[i + l] - from[i + l], next = product[l] * gap;
        product[l] = gap < INFINITY ? next : product[l];
      }
    logs += fold_products(product, false);
  }
  for (; i < n; i++) product[0] *= to[i] - from[i] < INFINITY ? to[i] - from[i] : 1;
  return logs + fold_products(product, true);
}

// sum of the distances of variables with a single bound
DM_EACH_WIDTH static double sum_alone(int n, const double *restrict low, const double *restrict v,
                                      const double *restrict high) {
  double lane[LANES] = {0};
  int i = 0;

  // a single bound: the other one is infinite
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double below = v[i + l] - low[i + l], above = high[i + l] - v[i + l];
      const double nearer = below < above ? below : above, other = below < above ? above : below;
      lane[l] += other < INFINITY || !(nearer < INFINITY) ? 0 : nearer;
    }
  for (; i < n; i++) {
    const double below = v[i] - low[i], above = high[i] - v[i];
    if (below < INFINITY && above == INFINITY) lane[0] += below;
    if (above < INFINITY && below == INFINITY) lane[0] += above;
  }
  return sum_lanes(lane);
}

double oc_barrier_phi(const oc_barrier *b, const double *v, double F) {
  const oc_equality_form *f = &b->form;
  const double logs = sum_logs(f->nv, f->low, v) + sum_logs(f->nv, v, f->high);
  return F - b->mu * logs + DAMPING * b->mu * sum_alone(f->nv, f->low, v, f->high);
}

// Loops over all variables need no test for missing bounds: the distance is infinite, the
// multiplier zero, and so are their quotients.

// grad phi = grad F - mu/(v - low) + mu/(high - v), and damping for single bounds
DM_EACH_WIDTH static void set_slope(oc_barrier *b) {
  const double *restrict grad = b->grad, *restrict v = b->v;
  const double *restrict low = b->form.low, *restrict high = b->form.high;
  const double mu = b->mu, damping = DAMPING * mu;
  double *restrict slope = b->slope;
  for (int i = 0; i < b->form.nv; i++) {
    const double alone = (low[i] > -INFINITY) - (high[i] < INFINITY);
    slope[i] = grad[i] - mu / (v[i] - low[i]) + mu / (high[i] - v[i]) + alone * damping;
  }
}

DM_EACH_WIDTH static double sum_sizes(int n, const double *a) {
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += fabs(a[i + l]);
  for (; i < n; i++) lane[0] += fabs(a[i]);
  return sum_lanes(lane);
}

double oc_barrier_norm(int m, const double *c) {
  return sum_sizes(m, c);
}

// returns true if a distance is below `least`
DM_EACH_WIDTH static bool are_near(int n, double least, const double *from, const double *to) {
  int near = 0;
  for (int i = 0; i < n; i++) near |= to[i] - from[i] < least;
  return near;
}

// relax a bound whose distance has vanished by rounding
static void keep_distances(oc_barrier *b, const double *v) {
  oc_equality_form *f = &b->form;
  const double least = DBL_EPSILON * fmin(1, b->mu);
  if (!are_near(f->nv, least, f->low, v) && !are_near(f->nv, least, v, f->high)) return;
  for (int i = 0; i < f->nv; i++) {
    double give = BOUND_GIVES * fmax(1, fabs(v[i]));
    if (has_low(b, i) && v[i] - f->low[i] < least) f->low[i] = v[i] - give;
    if (has_high(b, i) && f->high[i] - v[i] < least) f->high[i] = v[i] + give;
  }
}

dm_status oc_barrier_evaluate(oc_barrier *b) {
  keep_distances(b, b->v);
  if (!b->known) DM_TRY(oc_equality_form_value(&b->form, b->v, &b->F, b->c));
  b->known = true;
  if (b->form.elastic) {
    // zeta follows the barrier parameter one iteration later, so that the first step with a smaller
    // one stays near
    b->form.zeta = sqrt(b->mu);
    b->F = oc_equality_form_elastic(&b->form, b->v);
  }
  DM_TRY(oc_equality_form_gradient(&b->form, b->v, b->grad));
  DM_TRY(oc_equality_form_jacobian(&b->form, b->v));
  b->theta = oc_barrier_norm(b->form.m, b->c);
  b->phi = oc_barrier_phi(b, b->v, b->F);
  set_slope(b);
  return DM_OK;
}

void oc_barrier_set_mu(oc_barrier *b, double mu) {
  b->mu = mu;
  b->tau = fmax(0.99, 1 - mu);
  b->phi = oc_barrier_phi(b, b->v, b->F);
  set_slope(b);
}

dm_status oc_barrier_try(oc_barrier *b) {
  keep_distances(b, b->v_try);
  DM_TRY(oc_equality_form_value(&b->form, b->v_try, &b->F_try, b->c_try));
  b->theta_try = oc_barrier_norm(b->form.m, b->c_try);
  b->phi_try = oc_barrier_phi(b, b->v_try, b->F_try);
  return isfinite(b->phi_try) && isfinite(b->theta_try) ? DM_OK : DM_NOT_FINITE;
}

void oc_barrier_accept(oc_barrier *b) {
  memcpy(b->v, b->v_try, (size_t)b->form.nv * sizeof *b->v);
  memcpy(b->c, b->c_try, (size_t)b->form.m * sizeof *b->c);
  b->F = b->F_try;
  b->known = true;
}

// -- optimality

// larger of two numbers; faster than fmax in a loop
static double max_of(double a, double b) {
  return a > b ? a : b;
}

static double max_lane(const double *lane) {
  double largest = 0;
  for (int l = 0; l < LANES; l++) largest = max_of(largest, lane[l]);
  return largest;
}

// largest |a_i|, in several lanes to avoid a serial dependence
DM_EACH_WIDTH static double largest_of(int n, const double *a) {
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] = max_of(lane[l], fabs(a[i + l]));
  for (; i < n; i++) lane[0] = max_of(lane[0], fabs(a[i]));
  return max_lane(lane);
}

// largest |z (to - from) - mu| of the bounds on one side; z is zero if the distance is infinite
DM_EACH_WIDTH static double largest_gap(int n, double mu, const double *from, const double *to,
                                        const double *z) {
  double lane[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) {
      const double distance = to[i + l] - from[i + l], off = fabs(z[i + l] * distance - mu);
      lane[l] = distance < INFINITY ? max_of(lane[l], off) : lane[l];
    }
  for (; i < n; i++) {
    const double distance = to[i] - from[i];
    if (distance < INFINITY) lane[0] = max_of(lane[0], fabs(z[i] * distance - mu));
  }
  return max_lane(lane);
}

// grad + J'y - z_l + z_u into res_v
static void set_dual_residual(oc_barrier *b) {
  memset(b->jac_y, 0, (size_t)b->form.nv * sizeof *b->jac_y);
  oc_equality_form_transposed(&b->form, 1, b->y, b->jac_y);
  for (int i = 0; i < b->form.nv; i++)
    b->res_v[i] = b->grad[i] + b->jac_y[i] - b->z_l[i] + b->z_u[i];
}

oc_barrier_error oc_barrier_measure_gap(const oc_barrier *b, double mu) {
  const oc_equality_form *f = &b->form;
  const double gap = max_of(largest_gap(f->nv, mu, f->low, b->v, b->z_l),
                            largest_gap(f->nv, mu, b->v, f->high, b->z_u));
  double total = fmax(b->violation, fmax(b->dual / b->dual_scale, gap / b->gap_scale));
  return (oc_barrier_error){b->dual, b->violation, gap, total};
}

oc_barrier_error oc_barrier_measure(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  // multipliers of bounds are nonnegative, and zero without a bound
  const double sum_y = sum_sizes(f->m, b->y);
  const double sum_z = sum_sizes(f->nv, b->z_l) + sum_sizes(f->nv, b->z_u);
  int bounds = 0;
  set_dual_residual(b);
  for (int i = 0; i < f->nv; i++) bounds += has_low(b, i) + has_high(b, i);

  // relative to the mean multiplier, if that is large
  double s_d = f->m + bounds > 0 ? (sum_y + sum_z) / (f->m + bounds) : 0;
  double s_c = bounds > 0 ? sum_z / bounds : 0;
  b->dual = largest_of(f->nv, b->res_v);
  b->violation = largest_of(f->m, b->c);
  b->dual_scale = fmax(LARGE_MULTIPLIER, s_d) / LARGE_MULTIPLIER;
  b->gap_scale = fmax(LARGE_MULTIPLIER, s_c) / LARGE_MULTIPLIER;
  return oc_barrier_measure_gap(b, 0);
}

double oc_barrier_sum_gaps(const oc_barrier *b, int *bounds) {
  const oc_equality_form *f = &b->form;
  double sum = 0;
  *bounds = 0;
  for (int i = 0; i < f->nv; i++) {
    if (has_low(b, i)) sum += b->z_l[i] * (b->v[i] - f->low[i]);
    if (has_high(b, i)) sum += b->z_u[i] * (f->high[i] - b->v[i]);
    *bounds += has_low(b, i) + has_high(b, i);
  }
  return sum;
}

double oc_barrier_residual(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  double dual, gap = 0;
  int bounds = 0;
  set_dual_residual(b);
  dual = oc_barrier_norm(f->nv, b->res_v);
  for (int i = 0; i < f->nv; i++) {
    if (has_low(b, i)) gap += fabs(b->z_l[i] * (b->v[i] - f->low[i]) - b->mu);
    if (has_high(b, i)) gap += fabs(b->z_u[i] * (f->high[i] - b->v[i]) - b->mu);
    bounds += has_low(b, i) + has_high(b, i);
  }
  return dual / fmax(1, f->nv) + b->theta / fmax(1, f->m) + gap / fmax(1, bounds);
}

// -- bounds

void oc_barrier_push(oc_barrier *b, double push, double frac) {
  const oc_equality_form *f = &b->form;
  for (int i = 0; i < f->nv; i++) {
    bool low = has_low(b, i), high = has_high(b, i);
    double width = low && high ? f->high[i] - f->low[i] : INFINITY;
    if (low) {
      double off = fmin(push * fmax(1, fabs(f->low[i])), frac * width);
      b->v[i] = fmax(b->v[i], f->low[i] + off);
    }
    if (high) {
      double off = fmin(push * fmax(1, fabs(f->high[i])), frac * width);
      b->v[i] = fmin(b->v[i], f->high[i] - off);
    }
  }
}

double oc_barrier_reach(const oc_barrier *b, const double *d) {
  const oc_equality_form *f = &b->form;
  double alpha = 1;
  for (int i = 0; i < f->nv; i++) {
    if (d[i] < 0 && has_low(b, i) && -alpha * d[i] > b->tau * (b->v[i] - f->low[i]))
      alpha = -b->tau * (b->v[i] - f->low[i]) / d[i];
    if (d[i] > 0 && has_high(b, i) && alpha * d[i] > b->tau * (f->high[i] - b->v[i]))
      alpha = b->tau * (f->high[i] - b->v[i]) / d[i];
  }
  return alpha;
}

double oc_barrier_reach_dual(const oc_barrier *b) {
  double alpha = 1;
  for (int i = 0; i < b->form.nv; i++) {
    if (-alpha * b->dz_l[i] > b->tau * b->z_l[i]) alpha = -b->tau * b->z_l[i] / b->dz_l[i];
    if (-alpha * b->dz_u[i] > b->tau * b->z_u[i]) alpha = -b->tau * b->z_u[i] / b->dz_u[i];
  }
  return alpha;
}

static double min_of(double a, double b) {
  return a < b ? a : b;
}

static double clip_multiplier(double z, double gap, double mu) {
  const double central = mu / gap;
  return max_of(min_of(z, BOUND_SPREAD * central), central / BOUND_SPREAD);
}

// restrict the multipliers of one side's bounds, for these distances
DM_EACH_WIDTH static void clip_multipliers(int n, double mu, const double *restrict from,
                                           const double *restrict to, double *restrict z) {
  for (int i = 0; i < n; i++) z[i] = clip_multiplier(z[i], to[i] - from[i], mu);
}

void oc_barrier_clip(oc_barrier *b) {
  clip_multipliers(b->form.nv, b->mu, b->form.low, b->v, b->z_l);
  clip_multipliers(b->form.nv, b->mu, b->v, b->form.high, b->z_u);
}

// -- the Newton system

// (W + Sigma + w D) dv + J'dy = rv,  J dv - c dy = rc, after elimination of the private variables
dm_status oc_barrier_factor_shifted(oc_barrier *b, double w, double c, int *negative) {
  const oc_equality_form *f = &b->form;
  for (int j = 0; j < f->n; j++) b->diag[j] = b->sigma[j] + w * b->shifted[j];
  for (int j = 0; j < f->n && f->elastic; j++) b->diag[j] += f->zeta * f->weight[j];
  for (int i = 0; i < f->m; i++) b->diag_c[i] = c;
  for (int i = 0; i < f->nw; i++) {
    b->pivot[i] = max_of(b->sigma[f->n + i] + w * b->shifted[f->n + i], 1e-20);
    b->diag_c[f->row[i]] += f->coef[i] * f->coef[i] / b->pivot[i];
  }
  b->shift.w = w;
  b->shift.c = c;
  return oc_stage_kkt_factor(b->kkt, b->diag, b->diag_c, negative);
}

DM_EACH_WIDTH static void set_sigma(oc_barrier *b) {
  const double *restrict v = b->v, *restrict z_l = b->z_l, *restrict z_u = b->z_u;
  const double *restrict low = b->form.low, *restrict high = b->form.high;
  double *restrict sigma = b->sigma;
  for (int i = 0; i < b->form.nv; i++)
    sigma[i] = z_l[i] / (v[i] - low[i]) + z_u[i] / (high[i] - v[i]);
}

void oc_barrier_set_sigma(oc_barrier *b) {
  set_sigma(b);
}

dm_status oc_barrier_factor(oc_barrier *b) {
  oc_regularization *shift = &b->shift;
  const int m = b->form.m;
  int negative = 0;
  set_sigma(b);
  // dependent rows get a small diagonal
  double c = b->dependent ? 1e-8 * pow(b->mu, 0.25) : 0;
  dm_status s = oc_barrier_factor_shifted(b, 0, c, &negative);
  if (s == DM_OK && negative == m) return DM_OK;
  if (c == 0 && (s == DM_SINGULAR || (s == DM_OK && negative < m))) {
    c = 1e-8 * pow(b->mu, 0.25);
    s = oc_barrier_factor_shifted(b, 0, c, &negative);
    if (s == DM_OK && negative == m) return DM_OK;
  }

  // Variables that get the shift: all, or, with `spared`, all except those with positive curvature
  // that are coupled to no other variable, or to one with more couplings. The Hessian of the excluded
  // ones is diagonal and positive, so that a shift of the rest makes the whole definite.
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *W = f->hess;
  for (int i = 0; i < f->nv; i++) b->shifted[i] = i >= f->n || !b->spared;
  if (b->spared) {
    // temporarily the diagonal, and the off-diagonal couplings
    memset(b->met, 0, (size_t)f->n * sizeof *b->met);
    for (int k = 0; k < W->nnz; k++) {
      const int i = W->row[k], j = W->col[k];
      if (i == j) b->shifted[i] = W->val[k];
      if (i == j) continue;
      b->met[i]++;
      b->met[j]++;
      b->other[i] = j;
      b->other[j] = i;
    }

    for (int j = 0; j < f->n; j++) {
      const bool apart = b->met[j] == 0 || (b->met[j] == 1 && b->met[b->other[j]] > 1);
      b->shifted[j] = !(apart && b->shifted[j] > 0);
    }
  }

  double w = shift->last == 0 ? 1e-4 : fmax(1e-20, shift->last / 3);
  double more = shift->last == 0 ? 100 : 8;
  for (; w <= 1e20 && s != DM_NO_MEMORY && s != DM_CUT_SHORT; w *= more) {
    s = oc_barrier_factor_shifted(b, w, c, &negative);
    if (s == DM_OK && negative == m) {
      shift->last = w;
      return DM_OK;
    }
    if (c == 0 && (s == DM_SINGULAR || negative < m)) c = 1e-8 * pow(b->mu, 0.25);
  }
  return s == DM_NO_MEMORY || s == DM_CUT_SHORT ? s : DM_SINGULAR;
}

static void solve_once(oc_barrier *b, const double *rv, const double *rc, double *dv, double *dy) {
  const oc_equality_form *f = &b->form;
  memcpy(b->rhs, rv, (size_t)f->n * sizeof *rv);
  memcpy(b->rhs + f->n, rc, (size_t)f->m * sizeof *rc);
  for (int i = 0; i < f->nw; i++)
    b->rhs[f->n + f->row[i]] -= f->coef[i] * rv[f->n + i] / b->pivot[i];
  oc_stage_kkt_solve(b->kkt, b->rhs);
  memcpy(dv, b->rhs, (size_t)f->n * sizeof *dv);
  memcpy(dy, b->rhs + f->n, (size_t)f->m * sizeof *dy);
  for (int i = 0; i < f->nw; i++)
    dv[f->n + i] = (rv[f->n + i] - f->coef[i] * dy[f->row[i]]) / b->pivot[i];
}

// residuals of a step into res_v and res_c; returns the largest entry
static double set_residual(oc_barrier *b, const double *rv, const double *rc, const double *dv,
                           const double *dy) {
  const oc_equality_form *f = &b->form;
  for (int j = 0; j < f->n; j++) b->res_v[j] = rv[j] - b->diag[j] * dv[j];
  for (int i = 0; i < f->nw; i++) b->res_v[f->n + i] = rv[f->n + i] - b->pivot[i] * dv[f->n + i];
  for (int i = 0; i < f->m; i++) b->res_c[i] = rc[i] + b->shift.c * dy[i];
  oc_sparse_sum_symmetric(f->hess, -1, dv, b->res_v);
  oc_equality_form_both(f, -1, dv, dy, b->res_c, b->res_v);

  return max_of(largest_of(f->nv, b->res_v), largest_of(f->m, b->res_c));
}

double oc_barrier_refine(oc_barrier *b, const double *rv, const double *rc, double *dv,
                         double *dy) {
  const int nv = b->form.nv, m = b->form.m;
  solve_once(b, rv, rc, dv, dy);
  const double right = fmax(largest_of(nv, rv), largest_of(m, rc));
  double before = INFINITY, ratio = 0;
  for (int r = 0; r <= REFINEMENTS; r++) {
    double left = set_residual(b, rv, rc, dv, dy);
    double size = fmax(largest_of(nv, dv), largest_of(m, dy));
    ratio = left / fmax(fmin(size, 1e6 * right) + right, DBL_MIN);
    // converged to rounding, or no further improvement
    if (ratio <= ROUNDING || !(left < 0.5 * before) || r == REFINEMENTS) break;
    before = left;
    solve_once(b, b->res_v, b->res_c, b->step_v, b->step_c);
    for (int i = 0; i < nv; i++) dv[i] += b->step_v[i];
    for (int i = 0; i < m; i++) dy[i] += b->step_c[i];
  }
  return ratio;
}

dm_status oc_barrier_solve(oc_barrier *b, const double *rv, const double *rc, double *dv,
                           double *dy) {
  // pivots accepted in an earlier system may be too small for this one
  DM_TRY(oc_deadline_heed(b->kkt->deadline)); // after the deadline there may be no factors
  while (oc_barrier_refine(b, rv, rc, dv, dy) > ROUNDING) {
    const dm_status s = oc_stage_kkt_renew(b->kkt);
    if (s == DM_STALLED) break; // as accurate as possible
    if (s != DM_OK) return s;
  }
  return DM_OK;
}

dm_status oc_barrier_step(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  // -(grad phi + J'y), -c
  for (int i = 0; i < f->nv; i++) b->rhs_v[i] = -(b->slope[i] + b->jac_y[i]);
  for (int i = 0; i < f->m; i++) b->rhs_c[i] = -b->c[i];
  DM_TRY(oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy));

  // extremely large multipliers indicate numerically dependent rows: treat the system as singular
  // and solve again
  const double right = fmax(1, largest_of(f->nv, b->rhs_v));
  if (b->shift.c == 0 && largest_of(f->m, b->dy) > DEPENDENT * right) {
    b->dependent = true;
    dm_status s = oc_barrier_factor(b);
    b->dependent = false;
    if (s != DM_OK) return s;
    DM_TRY(oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy));
  }
  oc_barrier_set_dual_step(b);
  return DM_OK;
}

// dz of one side's bounds for these distances: (mu - z d)/distance - z, d the step towards them
DM_EACH_WIDTH static void find_dual_step(int n, double mu, double side, const double *restrict from,
                                         const double *restrict to, const double *restrict dv,
                                         const double *restrict z, double *restrict dz) {
  for (int i = 0; i < n; i++) dz[i] = (mu - side * z[i] * dv[i]) / (to[i] - from[i]) - z[i];
}

void oc_barrier_set_dual_step(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  find_dual_step(f->nv, b->mu, 1, f->low, b->v, b->dv, b->z_l, b->dz_l);
  find_dual_step(f->nv, b->mu, -1, b->v, f->high, b->dv, b->z_u, b->dz_u);
}

dm_status oc_barrier_multipliers(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  int negative = 0;
  // [I J'; J 0] (w, y) = (-(grad - z_l + z_u), 0)
  memset(f->hess->val, 0, (size_t)f->hess->nnz * sizeof(double));
  for (int i = 0; i < f->nv; i++) {
    b->sigma[i] = 1;
    b->rhs_v[i] = -(b->grad[i] - b->z_l[i] + b->z_u[i]);
  }
  memset(b->rhs_c, 0, (size_t)f->m * sizeof *b->rhs_c);
  memset(b->y, 0, (size_t)f->m * sizeof *b->y);
  dm_status s = oc_barrier_factor_shifted(b, 0, 0, &negative);
  if (s == DM_OK) s = oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy);
  if (s != DM_OK) return s == DM_SINGULAR || s == DM_CUT_SHORT ? DM_OK : s;
  double largest = largest_of(f->m, b->dy);
  if (largest <= LARGEST_START) memcpy(b->y, b->dy, (size_t)f->m * sizeof *b->y);
  return DM_OK;
}
