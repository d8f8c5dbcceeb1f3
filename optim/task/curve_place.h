// optim/task/curve_place.h: the parameters s_k of a motion's points along a curve, with
//
//   0 = s_0 <= s_1 <= .. <= s_N = 1      minimizing      sum_k |y_k - r(s_k)|^2
//
// and s_{k+1} - s_k <= `most`, by dynamic programming over an equidistant grid, refined with Newton's method
// for each knot between its neighboring grid points. The order alone resolves curves that cross themselves or
// return along the same path. A motion does not have to store its s_k: they follow from it.
//
// Source: docs/theory.md section 30.
#ifndef OC_TASK_CURVE_PLACE_H
#define OC_TASK_CURVE_PLACE_H
#include "lib/base/curve.h"

DM_BEGIN_C

// The largest advance along the curve in one of a motion's N steps: 8 times the mean. Without it, a motion
// could skip a whole loop where a curve meets itself.
static inline double oc_curve_most(int N) {
  return N > 8 ? 8.0 / N : 1;
}

typedef struct oc_curve_place oc_curve_place;

// A workspace for a borrowed curve and N+1 points, `most` > 0. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_curve_place_new(oc_curve_place **out, const dm_curve *curve, int N, double most);
void oc_curve_place_free(oc_curve_place *w); // accepts NULL

// Write the parameters s [N+1] of the points y [N+1 x m]. Points that are not finite are ignored. No
// allocation. Cost: O(N M m) with M grid points.
void oc_curve_place_find(oc_curve_place *w, const double *y, double *s);

DM_END_C
#endif
