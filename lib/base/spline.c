#include "lib/base/spline.h"

// right-hand side at point i with neighbors a and b at distances h0 and h1:
//   h0 f''_a + 2 (h0 + h1) f''_i + h1 f''_b = 6 (slope_ib - slope_ai)
static double find_bend(double f_a, double f_i, double f_b, double h0, double h1) {
  return 6 * ((f_b - f_i) / h1 - (f_i - f_a) / h0);
}

void dm_spline_fit_bent(int n, const double *s, const double *f, int stride, double *f_ss,
                        double *pivot) {
  // elimination
  pivot[0] = 0;
  for (int i = 1; i < n - 1; i++) {
    const int at = i * stride;
    const double h0 = s[i] - s[i - 1], h1 = s[i + 1] - s[i];
    const double bend = find_bend(f[at - stride], f[at], f[at + stride], h0, h1);
    const double d = 2 * (h0 + h1) - h0 * pivot[i - 1];
    pivot[i] = h1 / d;
    f_ss[at] = (bend - h0 * f_ss[at - stride]) / d;
  }

  // back substitution
  for (int i = n - 2; i > 0; i--) f_ss[i * stride] -= pivot[i] * f_ss[(i + 1) * stride];
}

void dm_spline_fit_natural(int n, const double *s, const double *f, int stride, double *f_ss,
                           double *pivot) {
  f_ss[0] = f_ss[(n - 1) * stride] = 0;
  dm_spline_fit_bent(n, s, f, stride, f_ss, pivot);
}

// solve (T x)_i = h_{i-1} x_{i-1} + d_i x_i + h_i x_{i+1} = given x_i, i < m, in place; d includes
// the correction for the removed corners
static void solve_tridiagonal(int m, const double *s, double corner, double first, int stride,
                              double *x, double *pivot) {
  for (int i = 0; i < m; i++) {
    const double h0 = i ? s[i] - s[i - 1] : 0, h1 = s[i + 1] - s[i];
    const double before = i ? h0 : corner; // the step before point 0 is the last one
    double d = 2 * (before + h1) - h0 * (i ? pivot[i - 1] : 0);
    if (i == 0) d -= first;
    if (i == m - 1) d -= corner * corner / first;
    pivot[i] = h1 / d;
    x[i * stride] = (x[i * stride] - (i ? h0 * x[(i - 1) * stride] : 0)) / d;
  }
  for (int i = m - 2; i >= 0; i--) x[i * stride] -= pivot[i] * x[(i + 1) * stride];
}

void dm_spline_fit_closed(int n, const double *s, const double *f, int stride, double *f_ss,
                          double *room) {
  // m periodic unknowns: tridiagonal except for both corners, which are the rank-one matrix u v', u
  // = (g, 0, .., 0, h), v = (1, 0, .., 0, h/g), with h the last step
  const int m = n - 1, last = (m - 1) * stride;
  const double h = s[m] - s[m - 1], g = -2 * (h + s[1] - s[0]);
  double *pivot = room, *u = room + n;
  for (int i = 0; i < m; i++) {
    const double before = i ? f[(i - 1) * stride] : f[last];
    const double h0 = i ? s[i] - s[i - 1] : h;
    f_ss[i * stride] = find_bend(before, f[i * stride], f[(i + 1) * stride], h0, s[i + 1] - s[i]);
    u[i] = 0;
  }
  u[0] = g;
  u[m - 1] = h;

  // Sherman-Morrison: x = y - (v'y / (1 + v'z)) z,  T y = right-hand side, T z = u
  solve_tridiagonal(m, s, h, g, stride, f_ss, pivot);
  solve_tridiagonal(m, s, h, g, 1, u, pivot);
  const double share = (f_ss[0] + h / g * f_ss[last]) / (1 + u[0] + h / g * u[m - 1]);
  for (int i = 0; i < m; i++) f_ss[i * stride] -= share * u[i];
  f_ss[m * stride] = f_ss[0];
}

dm_spline_piece dm_spline_find_piece(const double *s, const double *f, const double *f_ss,
                                     int stride, int i) {
  const int at = i * stride, next = at + stride;
  dm_spline_piece p = {.h = s[i + 1] - s[i], .c = f_ss[at]};
  p.b = (f[next] - f[at]) / p.h - p.h * (2 * f_ss[at] + f_ss[next]) / 6;
  p.d = (f_ss[next] - f_ss[at]) / p.h;
  return p;
}

int dm_spline_locate(int n, const double *at, double s) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (at[middle] <= s)
      low = middle;
    else
      high = middle;
  }
  return low;
}
