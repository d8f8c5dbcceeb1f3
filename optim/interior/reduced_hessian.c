#include "optim/interior/reduced_hessian.h"

#include "lib/base/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { INVERSE_ITERATIONS = 30, PASSES = 4 };
static const double LEAST = 1e-12;      // eps of D
static const double ROUNDING = 1e-15;   // of C: below the pivots of dependent rows
static const double DEPENDENT = 1e-13;  // eps of C: for dependent rows
static const double INDEPENDENT = 1e-6; // residual of independent rows
static const double BLURRED = 1e4;      // curvature of D that it may remove, in eps of C
static const double UNCURVED = 1e-4;    // fraction of the curvature that rows give a variable, in D
static const double CURVED =
    1e-14; // relative to the objective over the scale of a variable: above rounding
static const double CANCELLED =
    1e-15; // of an entry of J, relative to its row and column: a sum that is 0
static const double CLEAR = 1e-3;        // fraction of the width between two limits: far from both
static const double UPWARD = 100;        // a shift of D with which nearly all curvature is positive
static const double LARGEST_SHIFT = 1e8; // of D
static const double NARROW = 1.1;        // between two shifts: accuracy of the least curvature
static const double ROUNDED = 16;        // rounding errors per term
static const double DAMPED = 1e-8;       // of D, in the Newton step, which is thus bounded in flat
                                         // directions
static const double SETTLED = 1e-3; // relative change of the least curvature between iterations

// Data of a measurement; for x = unit x', y = row y' the diagonals D and C are 1.
typedef struct measurement {
  oc_barrier *b;
  double *unit; // [nv]
  double *row;  // [m]
  double c;     // diagonal of the rows
} measurement;

// -- scales

// scale of the objective, whose terms may cancel
static double find_objective_size(const oc_barrier *b) {
  double size = fabs(b->F);
  for (int j = 0; j < b->form.n; j++) size += fabs(b->grad[j] * b->v[j]);
  return size;
}

// Set entries of D to 0 that may be rounding errors. These errors are proportional to the
// multipliers, as is the slope g = sum |y_i J_ij| of variable j. A change size / g of the variable
// changes the objective by its size to first order; D counts if its contribution to that change is
// at least CURVED. The test does not depend on units.
//   D  [n] of each variable, in and out
//   g  [n] workspace
static void drop_rounding(const oc_barrier *b, double *D, double *g) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *J = f->jac;
  const double size = find_objective_size(b);
  memset(g, 0, (size_t)f->n * sizeof *g);
  for (int e = 0; e < J->nnz; e++) g[J->col[e]] += fabs(b->y[J->row[e]] * J->val[e]);
  for (int j = 0; j < f->n; j++)
    if (D[j] * size < CURVED * g[j] * g[j]) D[j] = 0;
}

// Sizes of the Jacobian's entries that are more than rounding errors of sums that cancel: |J_ij| >
// CANCELLED row_i column_j, with column_j = max_i |J_ij| and row_i = max_j |J_ij| / column_j. The
// units of variables and, up to the choice of the largest, of rows do not matter.
static void find_sizes(const oc_barrier *b, double *row, double *column) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *J = f->jac;
  memset(row, 0, (size_t)f->m * sizeof *row);
  memset(column, 0, (size_t)f->n * sizeof *column);
  for (int e = 0; e < J->nnz; e++) column[J->col[e]] = fmax(column[J->col[e]], fabs(J->val[e]));
  for (int e = 0; e < J->nnz; e++)
    if (J->val[e] != 0) row[J->row[e]] = fmax(row[J->row[e]], fabs(J->val[e]) / column[J->col[e]]);
}

// D: the diagonal of the Hessian. A variable without curvature gets a fraction of the curvature
// that the rows transfer to it from the other variables in them. size [m]: workspace
static void find_metric(oc_barrier *b, double *D, double *size) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *W = f->hess, *J = f->jac;
  double *moved = b->diag_c, *by_rows = b->diag;
  memset(D, 0, (size_t)f->n * sizeof *D);
  memset(moved, 0, (size_t)f->m * sizeof *moved);
  for (int e = 0; e < W->nnz; e++) {
    if (fabs(W->val[e]) <= b->flat) W->val[e] = 0;
    if (W->row[e] == W->col[e]) D[W->row[e]] = fabs(W->val[e]);
  }
  drop_rounding(b, D, b->diag);

  // squared change of a row per unit of the objective; then the curvature of a variable that
  // changes the row by as much
  find_sizes(b, size, by_rows);
  for (int e = 0; e < J->nnz; e++) {
    const int i = J->row[e], j = J->col[e];
    if (D[j] > DBL_MIN && fabs(J->val[e]) > CANCELLED * size[i] * by_rows[j])
      moved[i] += J->val[e] * J->val[e] / D[j];
  }
  memset(by_rows, 0, (size_t)f->n * sizeof *by_rows);
  for (int i = 0; i < f->nw; i++) moved[f->row[i]] = 0; // a slack changes it at no cost
  for (int e = 0; e < J->nnz; e++)
    if (moved[J->row[e]] > 0)
      by_rows[J->col[e]] = fmax(by_rows[J->col[e]], J->val[e] * J->val[e] / moved[J->row[e]]);
  for (int j = 0; j < f->n; j++) {
    D[j] = fmax(D[j], UNCURVED * by_rows[j]);
    if (!(D[j] > DBL_MIN && D[j] < INFINITY)) D[j] = 1; // scale unknown
  }
}

// scale factor from the square of the quantity that becomes 1
static double find_scale(double square) {
  return square > DBL_MIN && square < INFINITY ? 1 / sqrt(square) : 1;
}

static void scale_hessian(const measurement *w) {
  const oc_sparse_sum *W = w->b->form.hess;
  for (int e = 0; e < W->nnz; e++) W->val[e] *= w->unit[W->row[e]] * w->unit[W->col[e]];
}

// Scale the system; a slack has the scale of its row. Slacks get no shift.
static void scale_system(measurement *w) {
  oc_barrier *b = w->b;
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *J = f->jac;
  // 1. units of the variables from D
  find_metric(b, w->unit, w->row);
  for (int j = 0; j < f->n; j++) w->unit[j] = find_scale(w->unit[j]);
  // 2. units of the rows, and of the slacks
  memset(w->row, 0, (size_t)f->m * sizeof *w->row);
  for (int e = 0; e < J->nnz; e++) {
    J->val[e] *= w->unit[J->col[e]];
    w->row[J->row[e]] += J->val[e] * J->val[e];
  }
  for (int i = 0; i < f->m; i++) w->row[i] = find_scale(w->row[i]);
  for (int i = 0; i < f->nw; i++) w->unit[f->n + i] = 1 / w->row[f->row[i]];

  // 3. scaled Jacobian and Hessian
  for (int e = 0; e < J->nnz; e++) J->val[e] *= w->row[J->row[e]];
  scale_hessian(w);
  for (int i = 0; i < f->nv; i++) b->shifted[i] = i < f->n;
}

// -- limits

// Returns true if a limit with this distance and multiplier is active: the distance relative to its
// range is smaller than the multiplier relative to the objective.
static bool is_active(double size, double distance, double range, double multiplier) {
  return distance * size < multiplier * range * range;
}

static int count_active(const oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  const double size = find_objective_size(b);
  int active = 0;
  for (int i = 0; i < f->nv; i++) {
    const double width = f->high[i] - f->low[i];
    const double range = width < INFINITY ? width : fmax(1, fabs(b->v[i]));
    const bool low = is_active(size, b->v[i] - f->low[i], range, b->z_l[i]);
    const bool high = is_active(size, f->high[i] - b->v[i], range, b->z_u[i]);
    active += low || high;
  }
  return active;
}

// Sigma in scaled units. If `all` is false, limits that are far on both sides are left out,
// including the remaining barrier terms.
static void set_limits(measurement *w, bool all) {
  oc_barrier *b = w->b;
  const oc_equality_form *f = &b->form;
  oc_barrier_set_sigma(b);
  for (int i = 0; i < f->nv; i++) {
    const double below = b->v[i] - f->low[i], above = f->high[i] - b->v[i];
    const bool clear = below + above < INFINITY && fmin(below, above) >= CLEAR * (below + above);
    b->sigma[i] *= !all && clear ? 0 : w->unit[i] * w->unit[i];
  }
}

// -- curvature along a direction

// d'(W + Sigma)d, and the sum of the absolute values of its terms
static double find_curvature(const oc_barrier *b, const double *d, double *size) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *W = f->hess;
  double sum = 0;
  *size = 0;
  // Hessian
  for (int e = 0; e < W->nnz; e++) {
    const int i = W->row[e], j = W->col[e];
    const double term = (i == j ? 1 : 2) * W->val[e] * d[i] * d[j];
    sum += term;
    *size += fabs(term);
  }
  // limits
  for (int i = 0; i < f->nv; i++) {
    sum += b->sigma[i] * d[i] * d[i];
    *size += b->sigma[i] * d[i] * d[i];
  }
  return sum;
}

// Inverse iteration with the factored system, shifted so that the least curvature is nearest to
// zero: d into dv, with the multipliers in dy. Starts from a vector without regularity.
static dm_status find_direction(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  double before = 0;
  for (int i = 0; i < f->nv; i++) b->dv[i] = i < f->n ? sin(1.7 * i + 0.3) : 0;
  memset(b->rhs_c, 0, (size_t)f->m * sizeof *b->rhs_c);
  // d <- S^-1 D d, normalized, until its length converges
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    for (int i = 0; i < f->nv; i++) b->rhs_v[i] = b->shifted[i] * b->dv[i];
    const dm_status s = oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy);
    if (s != DM_OK) return s;

    // normalize d, and scale dy with it
    double sum = 0;
    for (int j = 0; j < b->form.n; j++) sum += b->dv[j] * b->dv[j];
    const double length = sqrt(sum), by = length > 0 ? 1 / length : 0;
    for (int i = 0; i < b->form.nv; i++) b->dv[i] *= by;
    for (int i = 0; i < b->form.m; i++) b->dy[i] *= by;

    if (!(length > 0 && length < INFINITY)) return DM_SINGULAR;
    if (fabs(length - before) <= SETTLED * length) break;
    before = length;
  }
  return DM_OK;
}

// The additional curvature of d on the rows, twice dy'(J d); and the sum of the absolute values of
// its terms.
static double find_correction(const oc_barrier *b, const double *d, const double *dy,
                              double *size) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *J = f->jac;
  double sum = 0;
  *size = 0;
  for (int e = 0; e < J->nnz; e++) {
    const double term = dy[J->row[e]] * J->val[e] * d[J->col[e]];
    sum += term;
    *size += fabs(term);
  }
  for (int i = 0; i < f->nw; i++) sum += dy[f->row[i]] * f->coef[i] * d[f->n + i];
  *size *= 2;
  return 2 * sum;
}

// The curvature along d after one more Newton step with the factored system; W is then evaluated
// there.
static dm_status find_next_curvature(measurement *w, const double *d, double *curvature) {
  oc_barrier *b = w->b;
  const oc_equality_form *f = &b->form;
  double size;
  for (int i = 0; i < f->nv; i++) b->rhs_v[i] = -w->unit[i] * (b->slope[i] + b->jac_y[i]);
  for (int i = 0; i < f->m; i++) b->rhs_c[i] = -w->row[i] * b->c[i];
  const dm_status s = oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->v_try, b->c_try);
  if (s != DM_OK) return s;
  for (int i = 0; i < f->nv; i++) b->v_try[i] = b->v[i] + w->unit[i] * b->v_try[i];
  for (int i = 0; i < f->m; i++) b->c_try[i] = b->y[i] + w->row[i] * b->c_try[i];
  DM_TRY(oc_equality_form_hessian(&b->form, b->v_try, b->c_try));
  scale_hessian(w);
  *curvature = find_curvature(b, d, &size);
  return DM_OK;
}

// -- the verdict

// Check that the rows are independent: that J d = r has a solution for a right side without regularity, found with
// the factored system (whose diagonal of the rows is 0). If a'J = 0 with |a| = 1, the residual is at least |a'r|,
// which is less than INDEPENDENT with the probability INDEPENDENT. Unlike the sign of a pivot with a small diagonal,
// this is valid for long programs: in n steps the smallest eigenvalue of J D^-1 J' falls as n^-4.
static bool are_rows_independent(oc_barrier *b) {
  double rest = INFINITY;
  memset(b->rhs_v, 0, (size_t)b->form.nv * sizeof *b->rhs_v);
  for (int i = 0; i < b->form.m; i++) b->rhs_c[i] = dm_random_uniform(0, 0, (uint64_t)i);
  for (int k = 0; k < PASSES && rest > INDEPENDENT; k++) {
    double sum = 0;
    (void)oc_barrier_refine(b, b->rhs_v, b->rhs_c, b->dv, b->dy);
    for (int i = 0; i < b->form.m; i++) sum += b->res_c[i] * b->res_c[i];
    memcpy(b->rhs_c, b->res_c, (size_t)b->form.m * sizeof *b->rhs_c);
    rest = sqrt(sum);
  }
  return rest <= INDEPENDENT;
}

// number of negative eigenvalues beyond those of the rows, of curvature < -shift; -1: singular
static dm_status count_below(const measurement *w, double shift, double c, int *count) {
  int negative = 0;
  const dm_status s = oc_barrier_factor_shifted(w->b, shift, c, &negative);
  *count = s == DM_OK ? negative - w->b->form.m : -1;
  return s == DM_SINGULAR ? DM_OK : s;
}

// The least shift, up to a factor, for which no curvature is negative; it is factored. DM_SINGULAR:
// none.
static dm_status shift_to_positive(const measurement *w, double *shift) {
  double low = LEAST, high = LEAST;
  int count = 1;
  // 1. increase the shift until no curvature is negative
  while (count != 0 && high <= LARGEST_SHIFT) {
    low = high;
    high *= 100;
    const dm_status s = count_below(w, high, w->c, &count);
    if (s != DM_OK) return s;
  }
  if (count != 0) return DM_SINGULAR;
  // 2. bisect
  while (high > NARROW * low) {
    const double middle = sqrt(low * high);
    const dm_status s = count_below(w, middle, w->c, &count);
    if (s != DM_OK) return s;
    *(count == 0 ? &high : &low) = middle;
  }
  // 3. factor with the result
  *shift = high;
  const dm_status s = count_below(w, high, w->c, &count);
  return s == DM_OK && count != 0 ? DM_SINGULAR : s;
}

// Decide by the direction of least curvature, if a strict minimum was not shown.
static dm_status judge_direction(measurement *w, oc_inertia *out, double *least) {
  oc_barrier *b = w->b;
  int flat = 0, below = 0, ignored;
  double size, of_rows, next, shift = LEAST;
  set_limits(w, true);
  dm_status s = count_below(w, fmax(LEAST, BLURRED * w->c), w->c, &below);
  if (s == DM_OK && below != 0) s = shift_to_positive(w, &shift);
  if (s == DM_OK) s = find_direction(b);
  if (s != DM_OK) return s;

  // uncertainty of its curvature
  const double more = find_correction(b, b->dv, b->dy, &of_rows);
  const double here = find_curvature(b, b->dv, &size);
  if (shift < DAMPED) s = count_below(w, DAMPED, w->c, &ignored);
  if (s == DM_OK) s = find_next_curvature(w, b->dv, &next);
  if (s != DM_OK) return s;
  *least = here + more;
  double unsure = ROUNDED * DBL_EPSILON * (size + of_rows) + fabs(next - here);

  // and the barrier's contribution far from limits
  set_limits(w, false);
  unsure += fabs(next - find_curvature(b, b->dv, &size));
  out->kind = *least < -unsure ? OC_INERTIA_SADDLE : OC_INERTIA_FLAT;
  if (*least > unsure) out->kind = OC_INERTIA_MINIMUM;
  if (out->kind == OC_INERTIA_MINIMUM) return DM_OK;

  // number of negative and flat directions
  s = count_below(w, -LEAST, w->c, &flat);
  const int all = flat > 1 ? flat : 1, negative = below > 1 ? below : 1;
  out->negative = out->kind == OC_INERTIA_SADDLE ? negative : 0;
  out->zero = all > out->negative ? all - out->negative : 0;
  for (int i = 0; i < b->form.nv; i++) b->dv[i] *= w->unit[i];
  return s;
}

dm_status oc_reduced_hessian_measure(oc_barrier *b, oc_inertia *out, double *curvature) {
  const oc_equality_form *f = &b->form;
  measurement w = {b, b->dz_l, b->dy_soc, DEPENDENT};
  int below = 0;
  *out = (oc_inertia){.kind = OC_INERTIA_UNKNOWN, .active = count_active(b)};
  oc_barrier_measure(b); // J'y
  DM_TRY(oc_equality_form_hessian(&b->form, b->v, b->y));
  scale_system(&w);
  set_limits(&w, false);

  // 1. a strict minimum with independent rows: no negative curvature
  int on, off;
  dm_status s = count_below(&w, -LEAST, 0, &below);
  const bool strict = s == DM_OK && below == 0 && are_rows_independent(b);

  // 2. Otherwise: are the rows independent? With positive curvature, the sign of the diagonal then
  // makes no difference, and they need none.
  if (!strict) {
    if (s == DM_OK) s = count_below(&w, UPWARD, -ROUNDING, &on);
    if (s == DM_OK) s = count_below(&w, UPWARD, ROUNDING, &off);
    w.c = s == DM_OK && on == off ? 0 : DEPENDENT;
    if (s == DM_OK) s = count_below(&w, -LEAST, w.c, &below);
  }

  // 3. a minimum, or the verdict of the direction of least curvature
  if (s == DM_OK && below == 0) out->kind = OC_INERTIA_MINIMUM;
  if (s == DM_OK && below != 0) s = judge_direction(&w, out, curvature);
  const int all = f->n + f->ns - f->m - out->active, rest = out->zero + out->negative;
  out->positive = all > rest ? all - rest : 0;
  return s == DM_SINGULAR ? DM_OK : s;
}
