#include "control/feedback/box_qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

void fb_box_qp_take_room(fb_box_qp *w, int nx, int nu, dm_block *b) {
  size_t states = (size_t)nx, inputs = (size_t)nu;
  w->nx = nx, w->nu = nu;
  w->H = dm_take(b, inputs * inputs, sizeof *w->H);
  w->HK = dm_take(b, inputs * states, sizeof *w->HK);
  w->L = dm_take(b, inputs * inputs, sizeof *w->L);
  double **vectors[] = {&w->v, &w->g, &w->d, &w->trial};
  for (int i = 0; i < 4; i++) *vectors[i] = dm_take(b, inputs, sizeof(double));
  w->free = dm_take(b, inputs, sizeof *w->free);
}

// fb_box_qp_cholesky of the rows and columns that are free (NULL: all), those of 1 where they are
// not
static dm_status factor(int n, const double *A, int ld, double shift, const bool *free, double *L) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      bool is = !free || (free[i] && free[j]);
      double s = is ? A[j * ld + i] : i == j;
      if (is && i == j) s += shift;
      for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
      if (!isfinite(s)) return DM_NOT_FINITE;
      if (i == j && !(s > n * DBL_EPSILON * fabs(A[i * ld + i]))) return DM_NOT_DEFINITE;
      L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
    }
  return DM_OK;
}

dm_status fb_box_qp_cholesky(int n, const double *A, int ld, double shift, double *L) {
  return factor(n, A, ld, shift, NULL, L);
}

dm_status fb_box_qp_take(fb_box_qp *w, const double *G, int ld, double floor) {
  int nu = w->nu;
  for (int i = 0; i < nu; i++)
    for (int j = i; j < nu; j++) w->H[i * nu + j] = w->H[j * nu + i] = G[i * ld + j];
  return factor(nu, w->H, nu, -floor, NULL, w->L);
}

// y += a x over n
static void add(int n, double a, const double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++) y[j] += a * x[j];
}

// L L' X = X in place, X [nu x n, rows ld apart]
static void solve(const fb_box_qp *w, int n, double *X, int ld) {
  int nu = w->nu;
  const double *L = w->L;
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < i; k++) add(n, -L[i * nu + k], X + k * ld, X + i * ld);
    for (int j = 0; j < n; j++) X[i * ld + j] /= L[i * nu + i];
  }
  for (int i = nu - 1; i >= 0; i--) {
    for (int k = i + 1; k < nu; k++) add(n, -L[k * nu + i], X + k * ld, X + i * ld);
    for (int j = 0; j < n; j++) X[i * ld + j] /= L[i * nu + i];
  }
}

static double clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

// v'Hv/2 + v'y, and its gradient into g
static double value(fb_box_qp *w, const double *v, const double *y, int stride) {
  double f = 0;
  for (int i = 0; i < w->nu; i++) {
    double Hv = 0;
    for (int j = 0; j < w->nu; j++) Hv += w->H[i * w->nu + j] * v[j];
    w->g[i] = Hv + y[i * stride];
    f += v[i] * (0.5 * Hv + y[i * stride]);
  }
  return f;
}

// a Newton step of the free inputs into d; its slope, 0 where rounding is all there is to it
static dm_status newton(fb_box_qp *w, double f, const double *lo, const double *hi, double *slope) {
  int nu = w->nu;
  double size = fabs(f);
  for (int i = 0; i < nu; i++) {
    bool low = w->v[i] <= lo[i] && w->g[i] > 0, high = w->v[i] >= hi[i] && w->g[i] < 0;
    w->free[i] = !(low || high);
    w->d[i] = w->free[i] ? -w->g[i] : 0;
  }
  DM_TRY(factor(nu, w->H, nu, 0, w->free, w->L));
  solve(w, 1, w->d, 1);
  *slope = 0;
  for (int i = 0; i < nu; i++) *slope += w->d[i] * w->g[i], size += fabs(w->v[i] * w->g[i]);
  if (*slope >= -DBL_EPSILON * size) *slope = 0;
  return DM_OK;
}

// minimize under the bounds by Newton steps, each cut back to the bounds; leaves v, the free
// inputs, and the factor of their part of H
static dm_status minimize(fb_box_qp *w, const double *y, int stride, const double *lo,
                          const double *hi) {
  enum { MAX_ITER = 100, HALVINGS = 40 };
  size_t size = (size_t)w->nu * sizeof *w->v;
  double slope, after;
  for (int i = 0; i < w->nu; i++) w->v[i] = clamp(0, lo[i], hi[i]);
  double f = value(w, w->v, y, stride);
  for (int iter = 0; iter < MAX_ITER; iter++) {
    DM_TRY(newton(w, f, lo, hi, &slope));
    if (slope == 0) break;
    double t = 1;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      for (int j = 0; j < w->nu; j++) w->trial[j] = clamp(w->v[j] + t * w->d[j], lo[j], hi[j]);
      after = value(w, w->trial, y, stride);
      if (after < f) break;
    }
    if (!(after < f)) break; // rounding
    memcpy(w->v, w->trial, size);
    f = after;
  }
  value(w, w->v, y, stride);
  return DM_OK;
}

dm_status fb_box_qp_gains(fb_box_qp *w, const double *Y, int ld, const double *lo, const double *hi,
                          double *K) {
  int nx = w->nx, nu = w->nu, one = nx - 1;
  DM_TRY(minimize(w, Y + one, ld, lo, hi));
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < one; j++) K[i * nx + j] = w->free[i] ? Y[i * ld + j] : 0;
    K[i * nx + one] = -w->v[i];
  }
  solve(w, one, K, nx);
  memset(w->HK, 0, (size_t)(nu * nx) * sizeof *w->HK);
  for (int i = 0; i < nu; i++)
    for (int a = 0; a < nu; a++) add(nx, w->H[i * nu + a], K + a * nx, w->HK + i * nx);
  return DM_OK;
}
