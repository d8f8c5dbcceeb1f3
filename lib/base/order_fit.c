#include "lib/base/order_fit.h"

#include <math.h>

// upper bound of the searched orders
static const double highest = 16;

// log |h^p - r^p|; for r = 0 p log h, for either sign of p
static double find_log(double h, double r, double p) {
  return r > 0 ? log(fabs(pow(h, p) - pow(r, p))) : p * log(h);
}

static int is_usable(double h, double e, double r) {
  return h > 0 && e > 0 && isfinite(e) && fabs(h - r) > 1e-9 * h;
}

// mean of log e - log |h^p - r^p|, which is log C, and returns the mean square about it
static double find_scatter(int n, const double *h, const double *e, double r, double p,
                           double *mean) {
  double sum = 0, square = 0;
  int used = 0;

  // the mean is the optimal constant
  for (int i = 0; i < n; i++) {
    if (!is_usable(h[i], e[i], r)) continue;
    sum += log(e[i]) - find_log(h[i], r, p);
    used++;
  }
  *mean = sum / used;
  for (int i = 0; i < n; i++) {
    if (!is_usable(h[i], e[i], r)) continue;
    const double off = log(e[i]) - find_log(h[i], r, p) - *mean;
    square += off * off;
  }
  return square / used;
}

// r = 0: slope of the least-squares line through (log h, log e)
static double find_slope(int n, const double *h, const double *e) {
  double x = 0, y = 0, xx = 0, xy = 0;
  int used = 0;

  // slope sum dx dy / sum dx^2 about the means
  for (int i = 0; i < n; i++) {
    if (!is_usable(h[i], e[i], 0)) continue;
    x += log(h[i]);
    y += log(e[i]);
    used++;
  }
  for (int i = 0; i < n; i++) {
    if (!is_usable(h[i], e[i], 0)) continue;
    const double dx = log(h[i]) - x / used;
    xx += dx * dx;
    xy += dx * (log(e[i]) - y / used);
  }
  return xy / xx;
}

// r > 0: minimum of the scatter over p, by a grid and golden-section search
static double find_least(int n, const double *h, const double *e, double r) {
  enum { GRID = 400, SECTIONS = 60 };
  const double golden = (sqrt(5) - 1) / 2, step = 2 * highest / GRID;
  double best = step, least = INFINITY, mean;

  // p = 0 is excluded: the model is zero
  for (int i = 0; i <= GRID; i++) {
    const double p = -highest + i * step;
    const double scatter = fabs(p) > step / 2 ? find_scatter(n, h, e, r, p, &mean) : INFINITY;
    if (!(scatter < least)) continue;
    least = scatter;
    best = p;
  }

  // around the best grid point, on its side of 0
  double low = best - step, high = best + step;
  if (best > 0) low = fmax(low, 1e-6);
  if (best < 0) high = fmin(high, -1e-6);
  for (int i = 0; i < SECTIONS; i++) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (find_scatter(n, h, e, r, a, &mean) < find_scatter(n, h, e, r, b, &mean))
      high = b;
    else
      low = a;
  }
  return (low + high) / 2;
}

dm_order_fit dm_order_fit_errors(int n, const double *h, const double *e, double r) {
  dm_order_fit fit = {.order = NAN, .constant = NAN, .scatter = NAN};
  double first = NAN;
  int apart = 0;

  // at least two errors at different steps
  for (int i = 0; i < n; i++) {
    if (!is_usable(h[i], e[i], r)) continue;
    if (!fit.n++) first = h[i];
    apart |= fabs(h[i] - first) > 1e-9 * first;
  }
  if (!apart) return fit;

  double mean;
  fit.order = r > 0 ? find_least(n, h, e, r) : find_slope(n, h, e);
  fit.scatter = sqrt(find_scatter(n, h, e, r, fit.order, &mean));
  fit.constant = exp(mean);
  return fit;
}

double dm_order_fit_error(const dm_order_fit *fit, double h, double r) {
  return fit->constant * exp(find_log(h, r, fit->order));
}
