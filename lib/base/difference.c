#include "lib/base/difference.h"

#include <math.h>
#include <string.h>

// errors of a difference quotient with step e
typedef struct quotient {
  double error; // relative to the derivative; NAN: f fails
  double limit; // error of the Richardson limit of this and the previous quotient; NAN: no previous
                // one
  double floor; // rounding error of the quotient
} quotient;

// The quotient at e. The last m numbers of room [n + 3m] hold the previous quotient, in and out.
static quotient measure_difference(const dm_difference *c, double e, bool has_last, double *room) {
  double *at = room, *plus = at + c->n, *minus = plus + c->m, *last = minus + c->m;
  double largest = 0, error = 0, limit = 0, size = 1;
  const quotient none = {NAN, NAN, 0};

  // f on both sides of x
  for (int i = 0; i < c->n; i++) at[i] = c->x[i] + e * c->d[i];
  if (c->f(c->self, at, plus) != DM_OK) return none;
  for (int i = 0; i < c->n; i++) at[i] = c->x[i] - e * c->d[i];
  if (c->f(c->self, at, minus) != DM_OK) return none;

  // component with the largest error
  for (int i = 0; i < c->m; i++) {
    const double unit = c->unit ? c->unit[i] : 1, now = (plus[i] - minus[i]) / (2 * e);
    largest = fmax(largest, fmax(fabs(plus[i]), fabs(minus[i])) / unit);
    size = fmax(size, fabs(c->Jd[i]) / unit);
    error = fmax(error, fabs(now - c->Jd[i]) / unit);
    limit = fmax(limit, fabs((4 * now - last[i]) / 3 - c->Jd[i]) / unit);
    last[i] = now;
  }
  return (quotient){error / size, has_last ? limit / size : NAN, c->noise * largest / e / size};
}

dm_verdict dm_difference_judge(const dm_difference *claim, double *room) {
  enum { HALVINGS = 15, MOST = 24 };
  static const double STEADY = 0.2, GROWS = -0.5; // orders: two pairs agree; error grows by
                                                  // rounding
  dm_verdict v = {INFINITY, NAN, false, false};
  double last = NAN, pair = NAN, e = 0.1;
  bool settled = false;
  memset(room + claim->n + 2 * claim->m, 0, (size_t)claim->m * sizeof *room);

  // error(e) at e = 0.1, 0.05, ..; the verdict keeps the smallest. More than 15 halvings are for
  // sharp functions, whose error may pass zero by accident although the derivative is wrong
  for (int i = 0; i < MOST; i++, e /= 2) {
    if (i >= HALVINGS && v.error < DM_DIFFERENCE_ERROR && settled) break;
    const quotient d = measure_difference(claim, e, isfinite(last), room);
    const double clear = 30 * d.floor, before = pair;
    pair = NAN;

    // order of the smallest pair well above rounding, which makes errors grow
    if (d.error > clear && isfinite(last)) pair = log2(last / d.error);
    if (pair > GROWS) {
      v.order = pair;
      v.clean = fabs(pair - before) < STEADY;
      if (v.clean && fabs(pair - 2) < STEADY) v.error = fmin(v.error, d.limit);
    }
    // an error that drops to rounding at once, as near a kink that larger steps cross, has at least
    // this order
    if (d.error <= clear && last > 4 * clear) {
      v.order = fmax(v.order, log2(last / fmax(d.error, clear)));
      v.clean = v.clean && v.order <= DM_DIFFERENCE_ORDER;
    }
    v.error = fmin(v.error, d.error);
    last = d.error;
    settled = v.clean || isnan(v.order) || d.error <= clear;
  }

  v.holds = v.error < DM_DIFFERENCE_ERROR && !(v.clean && v.order <= DM_DIFFERENCE_ORDER);
  return v;
}
