// optim/rows/series.h: entries of a program (unknowns or rows) as a series in time.
//
// A series has `count` places at equal distances in time, and `size` entries at each place, `stride` apart:
// the positions of all knots, the inputs of all steps, the rows of motion. Interpolation between two grids
// needs no other information about a program.
#ifndef OC_ROWS_SERIES_H
#define OC_ROWS_SERIES_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// On a grid whose steps are r times as long, values are r^value times as large and multipliers r^dual times
// (for rows their own; for unknowns those of the bounds). dual = 0: a costate, or the price of a change,
// which is the same on every grid; dual = 1: proportional to the step.
typedef struct oc_series {
  int at, stride, size, count; // size 0 or count 0: empty
  double first, last;          // times of the first and the last place, as fractions of the horizon
  int value, dual;
} oc_series;

// The time of place k, as a fraction of the horizon.
static inline double oc_series_time(const oc_series *s, int k) {
  return s->count > 1 ? s->first + k * (s->last - s->first) / (s->count - 1) : s->first;
}

// Fill the entries b of `to` with `scale` times the entries a of `from`, at the times of b: by the polynomial
// through the `points` nearest places of a (2: linear). Outside the range of a, this extrapolates; with
// `hold` it takes the outermost place.
void oc_series_interpolate(const oc_series *a, const double *from, const oc_series *b, double *to,
                           double scale, int points, bool hold);

DM_END_C
#endif
