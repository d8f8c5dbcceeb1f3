#include "control/feedback/across.h"

#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// entry i of row k of N rows that repeat
static double find_entry(int N, int n, const double *x, bool travels, int k, int i) {
  const int lap = (k + N) / N - 1, at = k - lap * N; // k >= -N
  const double travel = travels ? x[N * n + i] - x[i] : 0;
  return x[at * n + i] + lap * travel;
}

void fb_orbit_slopes(int N, int n, const double *x, bool travels, double *slope) {
  for (int k = 0; k < N + travels; k++)
    for (int i = 0; i < n; i++) {
      double y[7]; // of rows k-3 to k+3
      for (int j = 0; j < 7; j++) y[j] = find_entry(N, n, x, travels, k + j - 3, i);
      slope[k * n + i] = (45 * (y[4] - y[2]) - 9 * (y[5] - y[1]) + (y[6] - y[0])) / 60;
    }
}

void fb_orbit_section(int n, const double *W, const double *v, double *w) {
  for (int i = 0; i < n; i++) w[i] = W[i] * v[i];
}

double fb_orbit_scale(int n, const double *v, double *w) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += w[i] * v[i];
  for (int i = 0; i < n; i++) w[i] /= sum;
  return sum;
}

void fb_orbit_rows(int rows, int n, const double *v, const double *w, double *X) {
  for (int r = 0; r < rows; r++, X += n) {
    double along = 0;
    for (int i = 0; i < n; i++) along += X[i] * v[i];
    for (int i = 0; i < n; i++) X[i] -= along * w[i];
  }
}

void fb_orbit_columns(int n, int cols, const double *v, const double *w, double *Y) {
  for (int c = 0; c < cols; c++) {
    double along = 0;
    for (int i = 0; i < n; i++) along += w[i] * Y[i * cols + c];
    for (int i = 0; i < n; i++) Y[i * cols + c] -= v[i] * along;
  }
}

dm_status fb_orbit_check(const dm_trajectory *x, bool repeats, const double *integral,
                         const double *lag, dm_message *msg) {
  const char *beside = repeats ? NULL : "a motion that does not repeat, or inputs a step late";
  for (int i = 0; integral && i < x->n; i++)
    if (integral[i] > 0) beside = "integrals of errors";
  for (int i = 0; lag && i < x->nu; i++)
    if (lag[i] > 0) beside = "lags of motors";
  if (!dm_grid_is_even(x->grid, x->N)) beside = "steps of unequal length";
  if (beside) return dm_fail(msg, DM_BAD_INPUT, "found gains across an orbit beside %s", beside);
  if (x->N >= FB_ORBIT_LEAST) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "found gains across an orbit of %d steps, expected at least %d: take more steps",
                 x->N, FB_ORBIT_LEAST);
}

dm_status fb_orbit_restrict(const fb_across *f, double *A, double *B, double *Q, dm_message *msg) {
  static const double STILL = 1e-6; // of the largest v'W v in a period: a thousandth of the speed
  const int N = f->N, nx = f->nx, nu = f->nu;
  double most = 0, least = INFINITY;
  int still = 0;

  // 1. sections, scaled
  memcpy(dm_row(f->section, N, nx), f->section, (size_t)nx * sizeof *f->section);
  for (int k = 0; k <= N; k++) {
    const double size = fb_orbit_scale(nx, dm_row(f->slope, k, nx), dm_row(f->section, k, nx));
    if (!(size >= least)) still = k;
    least = fmin(least, size);
    most = fmax(most, size);
  }
  if (!(least > STILL * most))
    return dm_fail(msg, DM_BAD_INPUT,
                   "no phase: at knot %d the motion stands still in the coordinates of "
                   "feedback.along or Q, expected one that moves on; give speeds a weight in Q.p",
                   still);

  // 2. Pi_k+1 A Pi_k, Pi_k+1 B, Pi'Q Pi; Q is symmetric
  for (int k = 0; k <= N; k++) {
    const double *v = dm_row(f->slope, k, nx), *w = dm_row(f->section, k, nx);
    fb_orbit_rows(nx, nx, v, w, dm_row(Q, k, nx * nx));
    fb_orbit_columns(nx, nx, w, v, dm_row(Q, k, nx * nx));
    if (k < N) fb_orbit_rows(nx, nx, v, w, dm_row(A, k, nx * nx));
    if (k > 0) fb_orbit_columns(nx, nx, v, w, dm_row(A, k - 1, nx * nx));
    if (k > 0) fb_orbit_columns(nx, nu, v, w, dm_row(B, k - 1, nx * nu));
  }
  return DM_OK;
}
