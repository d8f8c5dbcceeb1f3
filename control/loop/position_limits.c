#include "control/loop/position_limits.h"

#include <math.h>
#include <stddef.h>

#define NAME_WORD(name, word) word,
const char *const fb_limit_use_words[FB_LIMIT_USE_COUNT] = {FB_LIMIT_USES(NAME_WORD)};
#undef NAME_WORD

static const double ROUNDING = 1e-9, SHARE = 1e-3; // relative to a limit's size

// by how much q_i exceeds its limits, and their size; -INFINITY without a limit
static double find_limit_excess(dm_bounds l, int i, double q, double *size) {
  fb_excess e = fb_excess_none();
  const dm_range r = dm_bounds_at(l, i);
  fb_excess_add(&e, 1, &q, &r.low, &r.high, 0);
  *size = fb_excess_size(r.low, r.high);
  return e.by;
}

int fb_limits_outside(dm_bounds l, int n, const double *q, const double *plan) {
  double most = 0, size;
  int which = -1;
  for (int i = 0; i < n; i++) {
    const double e = find_limit_excess(l, i, q[i], &size);
    const double allowed = fmax(0, find_limit_excess(l, i, plan[i], &size)) + ROUNDING * size;
    if (!((e - allowed) / size > most)) continue;
    most = (e - allowed) / size;
    which = i;
  }
  return which;
}

void fb_limits_allow(dm_bounds l, int n, double tolerance, const double *scale, double *allowed) {
  for (int i = 0; i < n; i++) {
    double size;
    find_limit_excess(l, i, 0, &size);
    allowed[i] = SHARE * size;
    if (isfinite(tolerance)) allowed[i] += tolerance * (scale ? scale[i] : 1);
  }
}

int fb_limits_passed(dm_bounds l, int n, const double *q, const double *allowed, double *by) {
  double most = 0, size;
  int which = -1;
  for (int i = 0; i < n; i++) {
    const double e = find_limit_excess(l, i, q[i], &size);
    if (!((e - allowed[i]) / size > most)) continue;
    most = (e - allowed[i]) / size;
    which = i;
    *by = e;
  }
  return which;
}
