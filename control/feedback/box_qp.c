#include "control/feedback/box_qp.h"

#include "lib/base/width.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void fb_box_qp_lay_out(fb_box_qp *w, int nx, int nu, dm_block *b) {
  size_t states = (size_t)nx, inputs = (size_t)nu;
  w->nx = nx;
  w->nu = nu;
  w->H = dm_block_alloc(b, inputs * inputs, sizeof *w->H);
  w->HK = dm_block_alloc(b, inputs * states, sizeof *w->HK);
  w->L = dm_block_alloc(b, inputs * inputs, sizeof *w->L);
  double **vectors[] = {&w->v, &w->g, &w->d, &w->trial};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, inputs, sizeof(double));
  w->free = dm_block_alloc(b, inputs, sizeof *w->free);
}

// Cholesky factorization of the free rows and columns (free NULL: all); the others become those of
// the identity
static dm_status factor_free_part(int n, const double *A, int ld, double shift, const double *scale,
                                  const bool *free, double *L) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      bool counts = !free || (free[i] && free[j]);
      double s = counts ? A[j * ld + i] : i == j;
      if (counts && i == j) s += scale ? shift / (scale[i] * scale[i]) : shift;

      // s = A_ij - sum_k<j L_ik L_jk: on the diagonal the pivot L_ii^2, which rounding can leave at
      // n eps |A_ii| if A is singular
      for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
      if (!isfinite(s)) return DM_NOT_FINITE;
      if (i == j && !(s > n * DBL_EPSILON * fabs(A[i * ld + i]))) return DM_NOT_DEFINITE;
      L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
    }
  return DM_OK;
}

dm_status fb_box_qp_cholesky(int n, const double *A, int ld, double shift, const double *scale,
                             double *L) {
  assert(n >= 0 && ld >= n);
  return factor_free_part(n, A, ld, shift, scale, NULL, L);
}

dm_status fb_box_qp_set(fb_box_qp *w, const double *G, int ld, double floor, const double *scale) {
  int nu = w->nu;
  assert(ld >= nu && floor >= 0);
  for (int i = 0; i < nu; i++)
    for (int j = i; j < nu; j++) w->H[i * nu + j] = w->H[j * nu + i] = G[i * ld + j];

  // all eigenvalues of H are above the floor if H - floor has a factor
  return factor_free_part(nu, w->H, nu, -floor, scale, NULL, w->L);
}

// y += a x over n
static void add_row_multiple(int n, double a, const double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++) y[j] += a * x[j];
}

// L L' X = X in place, X [nu x n, rows ld apart]
DM_EACH_WIDTH static void solve_by_factor(const fb_box_qp *w, int n, double *X, int ld) {
  int nu = w->nu;
  const double *L = w->L;

  // forwards L Z = X, then backwards L'X = Z, all columns at once
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < i; k++) add_row_multiple(n, -L[i * nu + k], X + k * ld, X + i * ld);
    for (int j = 0; j < n; j++) X[i * ld + j] /= L[i * nu + i];
  }
  for (int i = nu - 1; i >= 0; i--) {
    for (int k = i + 1; k < nu; k++) add_row_multiple(n, -L[k * nu + i], X + k * ld, X + i * ld);
    for (int j = 0; j < n; j++) X[i * ld + j] /= L[i * nu + i];
  }
}

static double clamp(double x, double lo, double hi) {
  if (x < lo) return lo;
  return x > hi ? hi : x;
}

// v'Hv/2 + v'y, and its gradient g = Hv + y
static double evaluate_cost(fb_box_qp *w, const double *v, const double *y, int stride) {
  double f = 0;
  for (int i = 0; i < w->nu; i++) {
    double Hv = 0;
    for (int j = 0; j < w->nu; j++) Hv += w->H[i * w->nu + j] * v[j];
    w->g[i] = Hv + y[i * stride];
    f += v[i] * (0.5 * Hv + y[i * stride]);
  }
  return f;
}

// a Newton step d of the free inputs; its slope g'd, 0 if it is only rounding
static dm_status find_newton_step(fb_box_qp *w, double f, const double *lo, const double *hi,
                                  double *slope) {
  int nu = w->nu;

  // an input is active, not free, if it is at a bound and -g pushes it further out
  for (int i = 0; i < nu; i++) {
    bool low = w->v[i] <= lo[i] && w->g[i] > 0;
    bool high = w->v[i] >= hi[i] && w->g[i] < 0;
    w->free[i] = !(low || high);
    w->d[i] = w->free[i] ? -w->g[i] : 0;
  }

  // H d = -g over the free inputs, d = 0 over the others
  DM_TRY(factor_free_part(nu, w->H, nu, 0, NULL, w->free, w->L));
  solve_by_factor(w, 1, w->d, 1);

  // a decrease below eps times the terms of f is indistinguishable from rounding
  double size = fabs(f);
  *slope = 0;
  for (int i = 0; i < nu; i++) {
    *slope += w->d[i] * w->g[i];
    size += fabs(w->v[i] * w->g[i]);
  }
  if (*slope >= -DBL_EPSILON * size) *slope = 0;
  return DM_OK;
}

// minimize under the bounds by projected Newton steps [bertsekas-1982]; leaves v, the free inputs,
// and the factor of their part of H
static dm_status minimize_cost(fb_box_qp *w, const double *y, int stride, const double *lo,
                               const double *hi) {
  enum { MAX_ITER = 100, HALVINGS = 40 };
  size_t size = (size_t)w->nu * sizeof *w->v;
  double slope, after;

  // start from the point of the box nearest to 0
  for (int i = 0; i < w->nu; i++) w->v[i] = clamp(0, lo[i], hi[i]);
  double f = evaluate_cost(w, w->v, y, stride);

  for (int iter = 0; iter < MAX_ITER; iter++) {
    DM_TRY(find_newton_step(w, f, lo, hi, &slope));
    if (slope == 0) break;

    // line search along the step, projected onto the box: v(t) = clamp(v + t d), t halved until f
    // falls
    double t = 1;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      for (int j = 0; j < w->nu; j++) w->trial[j] = clamp(w->v[j] + t * w->d[j], lo[j], hi[j]);
      after = evaluate_cost(w, w->trial, y, stride);
      if (after < f) break;
    }
    if (!(after < f)) break; // rounding
    memcpy(w->v, w->trial, size);
    f = after;
  }

  // the gradient at v, not at the last trial
  evaluate_cost(w, w->v, y, stride);
  return DM_OK;
}

// H K [nu x nx]
DM_EACH_WIDTH static void multiply_gains(fb_box_qp *w, const double *K) {
  int nx = w->nx, nu = w->nu;
  memset(w->HK, 0, (size_t)(nu * nx) * sizeof *w->HK);
  for (int i = 0; i < nu; i++)
    for (int a = 0; a < nu; a++) add_row_multiple(nx, w->H[i * nu + a], K + a * nx, w->HK + i * nx);
}

dm_status fb_box_qp_gains(fb_box_qp *w, const double *Y, int ld, const double *lo, const double *hi,
                          double *K) {
  int nx = w->nx, nu = w->nu, one = nx - 1;
  assert(ld >= nx && lo && hi && K);

  // the step v at x = (0,..,0,1): the linear term is the last column of Y
  DM_TRY(minimize_cost(w, Y + one, ld, lo, hi));

  // K = H^-1 Y over the free inputs, 0 over those at a bound; -v in the last column
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < one; j++) K[i * nx + j] = w->free[i] ? Y[i * ld + j] : 0;
    K[i * nx + one] = -w->v[i];
  }
  solve_by_factor(w, one, K, nx);

  multiply_gains(w, K); // needed by the recursion of P
  return DM_OK;
}
