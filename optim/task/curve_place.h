// optim/task/curve_place.h: where on a curve a motion is: the places s_k with
//
//   0 = s_0 <= s_1 <= .. <= s_N = 1      minimizing      sum_k |y_k - r(s_k)|^2
//
// of which none is further than `most` from the one before, by dynamic programming over equidistant
// places, and from there Newton's method for each knot within its neighbours. A curve that crosses
// itself, or goes back the way it came, needs no more than that order. So a motion need not carry its s_k along: they follow from it.
//
// Source: docs/theory.md section 30.
#ifndef OC_TASK_CURVE_PLACE_H
#define OC_TASK_CURVE_PLACE_H
#include "lib/base/curve.h"

DM_BEGIN_C

// How far a motion of N steps goes along its curve in one of them at most: 8 times the mean. Where a
// curve meets itself, a motion could leave out all that lies between otherwise.
static inline double oc_curve_most(int N) {
  return N > 8 ? 8.0 / N : 1;
}

typedef struct oc_curve_place oc_curve_place;

// A workspace for a curve, which is borrowed, and N+1 points, `most` > 0. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_curve_place_new(oc_curve_place **out, const dm_curve *curve, int N, double most);
void oc_curve_place_free(oc_curve_place *w); // accepts NULL

// Write the places s [N+1] of the points y [N+1 x m]. A y that is not finite has no say. Does not
// allocate. Cost: O(N M m), M = places looked at.
void oc_curve_place_find(oc_curve_place *w, const double *y, double *s);

DM_END_C
#endif
