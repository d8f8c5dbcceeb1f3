#include "lib/base/difference.h"

#include <math.h>

// the difference quotient's error at e, over the derivative's size; *floor what rounding makes of
// it
static double measure_difference(const dm_difference *c, double e, double *room, double *floor) {
  double *at = room, *plus = at + c->n, *minus = plus + c->m;
  double largest = 0, error = 0, size = 1;

  // f on both sides of x
  for (int i = 0; i < c->n; i++) at[i] = c->x[i] + e * c->d[i];
  if (c->f(c->self, at, plus) != DM_OK) return NAN;
  for (int i = 0; i < c->n; i++) at[i] = c->x[i] - e * c->d[i];
  if (c->f(c->self, at, minus) != DM_OK) return NAN;

  // the largest component that is off
  for (int i = 0; i < c->m; i++) {
    largest = fmax(largest, fmax(fabs(plus[i]), fabs(minus[i])));
    size = fmax(size, fabs(c->Jd[i]));
    error = fmax(error, fabs((plus[i] - minus[i]) / (2 * e) - c->Jd[i]));
  }
  *floor = c->noise * largest / e / size;
  return error / size;
}

dm_verdict dm_difference_judge(const dm_difference *claim, double *room) {
  enum { HALVINGS = 15 };
  dm_verdict v = {INFINITY, NAN, false};
  double last = NAN, e = 0.1;

  // error(e) at e = 0.1, 0.05, ..; the least of all is the verdict's
  for (int i = 0; i < HALVINGS; i++, e /= 2) {
    double floor = 0;
    double error = measure_difference(claim, e, room, &floor);

    // the order of the smallest pair that stands clear of rounding; an error that falls from there
    // into rounding at once, as beside a kink that longer steps cross, has at least that order
    const double clear = 30 * floor;
    if (error > clear && isfinite(last)) v.order = log2(last / error);
    if (error <= clear && last > 4 * clear)
      v.order = fmax(v.order, log2(last / fmax(error, clear)));
    if (error < v.error) v.error = error;
    last = error;
  }

  v.holds = v.error < 1e-6 && (isnan(v.order) || v.order > 2 - 0.3);
  return v;
}
