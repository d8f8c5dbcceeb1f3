#include "control/box.h"

#include "lib/block.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static void lay_out(fb_box *w, dm_block *b) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu;
  w->H = dm_take(b, nu * nu, sizeof *w->H);
  w->HK = dm_take(b, nu * nx, sizeof *w->HK);
  w->V = dm_take(b, nu * nu, sizeof *w->V);
  w->P = dm_take(b, nx * nx, sizeof *w->P);
  w->Z = dm_take(b, nx * nx, sizeof *w->Z);
  w->U = dm_take(b, nx * nx, sizeof *w->U);
  w->f = dm_take(b, nx, sizeof *w->f);
  double **vectors[] = {&w->e, &w->v, &w->g, &w->d, &w->trial};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_take(b, nu, sizeof(double));
  w->lapack = dm_take(b, (size_t)w->room, sizeof *w->lapack);
  w->free = dm_take(b, nu, sizeof *w->free);
}

dm_status fb_box_new(fb_box **out, int nx, int nu) {
  fb_box sizes = {.nx = nx, .nu = nu, .room = 34 * (nx > nu ? nx : nu)};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  fb_box *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  *out = w;
  return DM_OK;
}

void fb_box_free(fb_box *w) {
  dm_block_free(w);
}

// eigenvalues e, ascending, and eigenvectors V, one after the other, of A [n x n]
static dm_status eigen(const fb_box *w, int n, const double *A, double *V, double *e) {
  for (int i = 0; i < n * n; i++)
    if (!isfinite(A[i])) return DM_NOT_FINITE;
  memcpy(V, A, (size_t)(n * n) * sizeof *V);
  int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, e, w->lapack, w->room);
  return info == 0 ? DM_OK : DM_NOT_FINITE;
}

dm_status fb_box_take(fb_box *w, const double *G, int ld) {
  int nu = w->nu;
  for (int i = 0; i < nu; i++)
    for (int j = i; j < nu; j++) w->H[i * nu + j] = w->H[j * nu + i] = G[i * ld + j];
  return eigen(w, nu, w->H, w->V, w->e);
}

dm_status fb_box_value(fb_box *w, const double *P, int ld, double *least, double *most) {
  int n = w->nx - 1;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) w->Z[i * n + j] = w->Z[j * n + i] = P[i * ld + j];
  DM_TRY(eigen(w, n, w->Z, w->U, w->f));
  *least = n ? w->f[0] : 0, *most = n ? w->f[n - 1] : 0;
  return DM_OK;
}

// L L' of the rows and columns of H that are free, into V; ones where they are not
static dm_status factor(fb_box *w) {
  int nu = w->nu;
  for (int i = 0; i < nu; i++)
    for (int j = 0; j <= i; j++) {
      double s = w->free[i] && w->free[j] ? w->H[i * nu + j] : i == j;
      for (int k = 0; k < j; k++) s -= w->V[i * nu + k] * w->V[j * nu + k];
      if (i > j) {
        w->V[i * nu + j] = s / w->V[j * nu + j];
        continue;
      }
      if (!isfinite(s)) return DM_NOT_FINITE;
      if (!(s > nu * DBL_EPSILON * fabs(w->H[i * nu + i]))) return DM_NOT_DEFINITE;
      w->V[i * nu + i] = sqrt(s);
    }
  return DM_OK;
}

// solve in place
static void solve(const fb_box *w, int stride, double *x) {
  int nu = w->nu;
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < i; k++) x[i * stride] -= w->V[i * nu + k] * x[k * stride];
    x[i * stride] /= w->V[i * nu + i];
  }
  for (int i = nu - 1; i >= 0; i--) {
    for (int k = i + 1; k < nu; k++) x[i * stride] -= w->V[k * nu + i] * x[k * stride];
    x[i * stride] /= w->V[i * nu + i];
  }
}

static double clamp(double x, double lo, double hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

// v'Hv/2 + v'y and its gradient into g
static double value(fb_box *w, const double *v, const double *y, int stride) {
  double f = 0;
  for (int i = 0; i < w->nu; i++) {
    double Hv = 0;
    for (int j = 0; j < w->nu; j++) Hv += w->H[i * w->nu + j] * v[j];
    w->g[i] = Hv + y[i * stride];
    f += v[i] * (0.5 * Hv + y[i * stride]);
  }
  return f;
}

// minimize under the bounds by Newton steps of the free inputs, each cut back to the bounds; leaves
// v, the free ones, and the factors of their part of H
static dm_status minimize(fb_box *w, const double *y, int stride, const double *lo,
                          const double *hi) {
  enum { MAX_ITER = 100, HALVINGS = 40 };
  int nu = w->nu;
  for (int i = 0; i < nu; i++) w->v[i] = clamp(0, lo[i], hi[i]);
  double f = value(w, w->v, y, stride);
  for (int iter = 0; iter < MAX_ITER; iter++) {
    double slope = 0, size = 0;
    for (int i = 0; i < nu; i++) {
      bool low = w->v[i] <= lo[i] && w->g[i] > 0, high = w->v[i] >= hi[i] && w->g[i] < 0;
      w->free[i] = !(low || high);
    }
    DM_TRY(factor(w));
    for (int i = 0; i < nu; i++) w->d[i] = w->free[i] ? -w->g[i] : 0;
    solve(w, 1, w->d);
    for (int i = 0; i < nu; i++) slope += w->d[i] * w->g[i], size += fabs(w->v[i] * w->g[i]);
    if (!(slope < -DBL_EPSILON * (size + fabs(f)))) return DM_OK;
    double t = 1, after = f;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      for (int j = 0; j < nu; j++) w->trial[j] = clamp(w->v[j] + t * w->d[j], lo[j], hi[j]);
      after = value(w, w->trial, y, stride);
      if (after < f) break;
    }
    if (!(after < f)) return DM_OK; // rounding
    memcpy(w->v, w->trial, (size_t)nu * sizeof *w->v);
    f = after;
  }
  return DM_OK;
}

dm_status fb_box_gains(fb_box *w, const double *Y, int ld, const double *lo, const double *hi,
                       double *K) {
  int nx = w->nx, nu = w->nu, one = nx - 1;
  for (int i = 0; i < nu; i++) w->free[i] = true;
  if (lo)
    DM_TRY(minimize(w, Y + one, ld, lo, hi));
  else
    DM_TRY(factor(w));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nx; j++) K[i * nx + j] = w->free[i] ? Y[i * ld + j] : 0;
  for (int j = 0; j < nx; j++)
    if (!lo || j != one) solve(w, nx, K + j);
  for (int i = 0; lo && i < nu; i++) K[i * nx + one] = -w->v[i];
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nx; j++) {
      w->HK[i * nx + j] = 0;
      for (int a = 0; a < nu; a++) w->HK[i * nx + j] += w->H[i * nu + a] * K[a * nx + j];
    }
  return DM_OK;
}
