// optim/rows/series.h: entries of a program (unknowns or rows) as a series in time, and the list of rows.
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

// The kinds of rows, in program order.
typedef enum oc_rows_kind {
  OC_MOTION_ROWS,
  OC_CONSTRAINT_ROWS,
  OC_CONSTRAINT_RATE_ROWS,
  OC_SPEED_ROWS,
  OC_RATE_ROWS,
  OC_VELOCITY_ROWS,
  OC_PATH_ROWS,
  OC_OUTPUT_ROWS,
  OC_CURVE_ROWS,
  OC_ORDER_ROWS,
  OC_TRAVEL_ROWS,
  OC_END_VELOCITY_ROWS,
  OC_END_IMPULSE_ROWS,
  OC_CONTACT_ROWS,
  OC_CONE_ROWS,
  OC_LAG_ROWS,
  OC_ACCELERATION_ROWS,
  OC_JERK_ROWS,
  OC_LEVEL_ROWS,
  OC_PEAK_ROWS,
  OC_STEP_ROWS, // limits of free steps
  OC_ROW_KINDS
} oc_rows_kind;

// An entry of the list of rows: all rows of a kind, or of one limit on an output.
typedef struct oc_rows {
  oc_rows_kind kind;
  oc_series at;
  int knot;  // knot, or step, of the first place
  int limit; // index of an output limit
} oc_rows;

typedef struct oc_function_rows oc_function_rows; // optim/rows/function_rows.h

// Does an entry have rows at knot or step k, and which is the first of them?
static inline bool oc_rows_has(const oc_rows *r, int k) {
  return k >= r->knot && k < r->knot + r->at.count;
}
static inline int oc_rows_row(const oc_rows *r, int k) {
  return r->at.at + (k - r->knot) * r->at.stride;
}

DM_END_C
#endif
