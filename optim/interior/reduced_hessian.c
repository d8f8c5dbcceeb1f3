#include "optim/interior/reduced_hessian.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { INVERSE_ITERATIONS = 30 };
static const double LEAST = 1e-12;       // eps
static const double UNCURVED = 1e-4;     // of what rows make of a variable's scale, in D
static const double CLEAR = 1e-3;        // of the width between two limits: far from both
static const double LARGEST_SHIFT = 1e8; // of D
static const double NARROW = 1.1;        // two shifts between which the least curvature is
static const double ROUNDED = 16;        // roundings of a term
static const double SETTLED = 1e-3;      // of the least curvature, from one iteration to the next

// -- the metric

// D: the Hessian's diagonal, and for what has next to none the curvature that comes of others by the
// rows in which both are
static void set_metric(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *W = f->hess, *J = f->jac;
  double *D = b->shifted, *moved = b->diag_c, *by_rows = b->diag;
  memset(D, 0, (size_t)f->nv * sizeof *D);
  memset(moved, 0, (size_t)f->m * sizeof *moved);
  memset(by_rows, 0, (size_t)f->n * sizeof *by_rows);
  for (int e = 0; e < W->nnz; e++)
    if (W->row[e] == W->col[e]) D[W->row[e]] = fabs(W->val[e]);

  // how far a unit of the objective moves a row, squared; what then moves it as far
  for (int e = 0; e < J->nnz; e++)
    if (D[J->col[e]] > DBL_MIN) moved[J->row[e]] += J->val[e] * J->val[e] / D[J->col[e]];
  for (int e = 0; e < J->nnz; e++)
    if (moved[J->row[e]] > 0)
      by_rows[J->col[e]] = fmax(by_rows[J->col[e]], J->val[e] * J->val[e] / moved[J->row[e]]);
  for (int j = 0; j < f->n; j++) {
    D[j] = fmax(D[j], UNCURVED * by_rows[j]);
    if (!(D[j] > DBL_MIN && D[j] < INFINITY)) D[j] = 1; // nothing says how large it is
  }
}

// limits on both sides that are far say nothing, not even what is left of the barrier
static void leave_clear_limits(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  for (int i = 0; i < f->nv; i++) {
    const double below = b->v[i] - f->low[i], above = f->high[i] - b->v[i];
    if (below + above < INFINITY && fmin(below, above) >= CLEAR * (below + above)) b->sigma[i] = 0;
  }
}

// limits that push more than the curvature of what they hold
static int count_active(const oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *J = f->jac;
  double *moved = b->diag_c;
  int active = 0;
  memset(moved, 0, (size_t)f->m * sizeof *moved);
  for (int e = 0; e < J->nnz; e++)
    moved[J->row[e]] += J->val[e] * J->val[e] / b->shifted[J->col[e]];
  for (int j = 0; j < f->n; j++) active += b->sigma[j] > b->shifted[j];
  for (int i = 0; i < f->nw; i++) active += b->sigma[f->n + i] * moved[f->row[i]] > 1;
  return active;
}

// -- curvature along a direction

// d'(W + Sigma)d, and the sum of the sizes of its terms
static double find_curvature(const oc_barrier *b, const double *d, double *size) {
  const oc_equality_form *f = &b->form;
  const oc_sparse_sum *W = f->hess;
  double sum = 0;
  *size = 0;
  for (int e = 0; e < W->nnz; e++) {
    const double twice = W->row[e] == W->col[e] ? 1 : 2;
    const double term = twice * W->val[e] * d[W->row[e]] * d[W->col[e]];
    sum += term;
    *size += fabs(term);
  }
  for (int i = 0; i < f->nv; i++) {
    sum += b->sigma[i] * d[i] * d[i];
    *size += b->sigma[i] * d[i] * d[i];
  }
  return sum;
}

// of d: length 1 by D; returns what it was
static double normalize_direction(const oc_barrier *b, double *d, double *dy) {
  double sum = 0;
  for (int j = 0; j < b->form.n; j++) sum += b->shifted[j] * d[j] * d[j];
  const double length = sqrt(sum), by = length > 0 ? 1 / length : 0;
  for (int i = 0; i < b->form.nv; i++) d[i] *= by;
  for (int i = 0; i < b->form.m; i++) dy[i] *= by;
  return length;
}

// Inverse iteration by the system that is factored, shifted so that the least curvature is nearest
// to zero: d into dv, with what its rows need in dy. Begins with numbers that have no pattern.
static dm_status find_direction(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  double before = 0;
  for (int i = 0; i < f->nv; i++) b->dv[i] = i < f->n ? sin(1.7 * i + 0.3) / sqrt(b->shifted[i]) : 0;
  memset(b->rhs_c, 0, (size_t)f->m * sizeof *b->rhs_c);
  for (int k = 0; k < INVERSE_ITERATIONS; k++) {
    for (int i = 0; i < f->nv; i++) b->rhs_v[i] = b->shifted[i] * b->dv[i];
    const dm_status s = oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy);
    if (s != DM_OK) return s;
    const double length = normalize_direction(b, b->dv, b->dy);
    if (!(length > 0 && length < INFINITY)) return DM_SINGULAR;
    if (fabs(length - before) <= SETTLED * length) break;
    before = length;
  }
  return DM_OK;
}

// what d leaves of its rows, in terms of curvature
static double find_leak(oc_barrier *b, const double *d, const double *dy) {
  const oc_equality_form *f = &b->form;
  double sum = 0;
  memset(b->res_c, 0, (size_t)f->m * sizeof *b->res_c);
  memset(b->res_v, 0, (size_t)f->nv * sizeof *b->res_v);
  oc_equality_form_both(f, 1, d, dy, b->res_c, b->res_v);
  for (int i = 0; i < f->m; i++) sum += b->res_c[i] * dy[i];
  return fabs(sum);
}

// the curvature along d one Newton step further, by the system that is factored; W is then of there
static dm_status find_next_curvature(oc_barrier *b, const double *d, double *curvature) {
  const oc_equality_form *f = &b->form;
  double size;
  for (int i = 0; i < f->nv; i++) b->rhs_v[i] = -(b->slope[i] + b->jac_y[i]);
  for (int i = 0; i < f->m; i++) b->rhs_c[i] = -b->c[i];
  const dm_status s = oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->v_try, b->c_try);
  if (s != DM_OK) return s;
  for (int i = 0; i < f->nv; i++) b->v_try[i] += b->v[i];
  for (int i = 0; i < f->m; i++) b->c_try[i] += b->y[i];
  DM_TRY(oc_equality_form_hessian(&b->form, b->v_try, b->c_try));
  *curvature = find_curvature(b, d, &size);
  return DM_OK;
}

// -- the verdict

// negative eigenvalues beyond those of the rows, of curvature below -w times D; -1: the system is
// singular
static dm_status count_below(oc_barrier *b, double w, double c, int *count) {
  int negative = 0;
  const dm_status s = oc_barrier_factor_shifted(b, w, c, &negative);
  *count = s == DM_OK ? negative - b->form.m : -1;
  return s == DM_SINGULAR ? DM_OK : s;
}

// The least shift, to a factor, at which no curvature is negative: it is factored. DM_SINGULAR: none is.
static dm_status shift_to_positive(oc_barrier *b, double c) {
  double low = LEAST, high = LEAST;
  int count = 1;
  while (count != 0 && high <= LARGEST_SHIFT) {
    low = high;
    high *= 100;
    dm_status s = count_below(b, high, c, &count);
    if (s != DM_OK) return s;
  }
  if (count != 0) return DM_SINGULAR;
  while (high > NARROW * low) {
    const double middle = sqrt(low * high);
    dm_status s = count_below(b, middle, c, &count);
    if (s != DM_OK) return s;
    *(count == 0 ? &high : &low) = middle;
  }
  const dm_status s = count_below(b, high, c, &count);
  return s == DM_OK && count != 0 ? DM_SINGULAR : s;
}

// By the direction of least curvature, where one factorization has shown no strict minimum.
static dm_status judge_direction(oc_barrier *b, double c, oc_inertia *out, double *least) {
  const double *d = b->dv;
  int below = 0;
  double size, next;
  // residuals of the iterate for a Newton step; all limits as they are
  DM_TRY(oc_barrier_evaluate(b));
  oc_barrier_measure(b);
  oc_barrier_set_sigma(b);
  dm_status s = count_below(b, LEAST, c, &below);
  if (s == DM_OK && below != 0) s = shift_to_positive(b, c);
  if (s == DM_OK) s = find_direction(b);
  if (s != DM_OK) return s;

  // how well its curvature is known
  const double curvature = find_curvature(b, d, &size), leak = find_leak(b, d, b->dy);
  s = find_next_curvature(b, d, &next);
  if (s != DM_OK) return s;
  *least = curvature;
  const double unsure = ROUNDED * DBL_EPSILON * size + leak + fabs(next - curvature);
  if (curvature > unsure) {
    out->kind = OC_INERTIA_MINIMUM;
    out->zero = 0;
  } else if (curvature < -unsure) {
    out->kind = OC_INERTIA_SADDLE;
    out->negative = below > 1 ? below : 1;
    out->zero = out->zero > out->negative ? out->zero - out->negative : 0;
  } else {
    out->kind = OC_INERTIA_FLAT;
  }
  return DM_OK;
}

dm_status oc_reduced_hessian_measure(oc_barrier *b, oc_inertia *out, double *curvature) {
  const oc_equality_form *f = &b->form;
  double c = b->shift.c; // dependent rows have a little off their diagonal
  int below = 0;
  *out = (oc_inertia){.kind = OC_INERTIA_UNKNOWN};
  DM_TRY(oc_equality_form_hessian(&b->form, b->v, b->y));
  set_metric(b);
  oc_barrier_set_sigma(b);
  out->active = count_active(b);
  leave_clear_limits(b);

  // does all curve upward, by more than eps?
  dm_status s = count_below(b, -LEAST, c, &below);
  if (s == DM_OK && below < 0 && c == 0) {
    c = 1e-8 * pow(b->mu, 0.25);
    s = count_below(b, -LEAST, c, &below);
  }
  out->zero = below > 0 ? below : below < 0;
  if (s == DM_OK && below == 0) out->kind = OC_INERTIA_MINIMUM;
  if (s == DM_OK && below != 0) s = judge_direction(b, c, out, curvature);
  const int all = f->n + f->ns - f->m - out->active;
  out->positive = all > out->zero + out->negative ? all - out->zero - out->negative : 0;
  return s == DM_SINGULAR ? DM_OK : s;
}
