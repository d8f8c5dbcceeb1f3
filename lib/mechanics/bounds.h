// lib/mechanics/bounds.h: limits low <= x <= high of one number, of the entries of a quantity, and of a machine.
// -INFINITY and INFINITY: no limit.
#ifndef DM_MECHANICS_BOUNDS_H
#define DM_MECHANICS_BOUNDS_H
#include "lib/base/linkage.h"

#include <math.h>
#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_range {
  double low, high;
} dm_range;

// The limits of a quantity, arrays with one number per entry; NULL: no limits on that side.
typedef struct dm_bounds {
  const double *low, *high;
} dm_bounds;

// The limits of a machine: positions [rad or m], speeds |v| <= v.high (v.low is NULL), inputs [N or N m].
typedef struct dm_limits {
  dm_bounds q, v, u;
} dm_limits;

static inline dm_range dm_range_none(void) {
  const dm_range range = {-INFINITY, INFINITY};
  return range;
}

static inline bool dm_range_is_none(dm_range r) {
  return r.low == -INFINITY && r.high == INFINITY;
}

static inline bool dm_range_has(dm_range r, double x) {
  return x >= r.low && x <= r.high;
}

// The numbers that are in both; low > high if both do not meet.
static inline dm_range dm_range_both(dm_range a, dm_range b) {
  const dm_range range = {fmax(a.low, b.low), fmin(a.high, b.high)};
  return range;
}

// The range of x whose ratio x + shift is in r, for a ratio of either sign.
static inline dm_range dm_range_before(dm_range r, double ratio, double shift) {
  const double a = (r.low - shift) / ratio, b = (r.high - shift) / ratio;
  const dm_range range = {fmin(a, b), fmax(a, b)};
  return range;
}

// The range of entry i.
static inline dm_range dm_bounds_at(dm_bounds b, int i) {
  const dm_range range = {b.low ? b.low[i] : -INFINITY, b.high ? b.high[i] : INFINITY};
  return range;
}

DM_END_C
#endif
