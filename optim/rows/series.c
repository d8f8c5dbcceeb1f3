#include "optim/rows/series.h"

#include <math.h>
#include <stddef.h>

// the fractional index of time t in a, from 0
static double find_place(const oc_series *a, double t, bool hold) {
  const int last = a->count - 1;
  const double s = last ? (t - a->first) / (a->last - a->first) * last : 0;
  return hold ? fmin(fmax(s, 0), last) : s;
}

void oc_series_interpolate(const oc_series *a, const double *from, const oc_series *b, double *to,
                           double scale, int points, bool hold) {
  enum { MOST = 8 };
  int p = points < a->count ? points : a->count;
  if (p > MOST) p = MOST;
  for (int k = 0; k < b->count && a->count > 0; k++) {
    // the p nearest places
    const double s = find_place(a, oc_series_time(b, k), hold);
    int j = (int)floor(s) - (p - 1) / 2;
    if (j < 0) j = 0;
    if (j > a->count - p) j = a->count - p;

    // Lagrange's weights
    double w[MOST];
    for (int c = 0; c < p; c++) {
      w[c] = scale;
      for (int d = 0; d < p; d++)
        if (d != c) w[c] *= (s - (j + d)) / (c - d);
    }
    const double *x = from + a->at + (size_t)j * (size_t)a->stride;
    double *y = to + b->at + (size_t)k * (size_t)b->stride;
    for (int i = 0; i < a->size; i++) {
      y[i] = 0;
      for (int c = 0; c < p; c++) y[i] += w[c] * x[c * a->stride + i];
    }
  }
}
