// lib/base/curve.h: smooth curves r(s) in R^m through points, 0 <= s <= 1: a cubic spline of each
// entry, with continuous first and second derivatives; natural at open ends (r'' = 0), or closed.
// By default s is the relative length along the polyline through the points, so that |r'| is nearly
// constant; the caller may give other values.
//
//   double room[...];                              // dm_curve_room(n, m, closed) numbers
//   dm_status s = dm_curve_through(&curve, n, m, points, NULL, closed, room, &msg);
//   dm_curve_eval(&curve, 0.3, r, r_s, r_ss);
//
// Outside [0,1], an open curve extrapolates its first and last cubic, and a closed one is periodic.
// Source: docs/theory.md section 30.
#ifndef DM_BASE_CURVE_H
#define DM_BASE_CURVE_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

typedef struct dm_curve {
  int m, n; // entries of r; points, for a closed curve with the first repeated at the end
  bool closed;
  const double *s;        // [n] 0 = s_0 < .. < s_{n-1} = 1
  const double *r, *r_ss; // [n x m] points, second derivatives there
} dm_curve;

// The length of the array that a curve needs.
size_t dm_curve_room(int n, int m, bool closed);

// Make a curve.
//   n, m    points, >= 2, closed >= 3; entries, >= 1
//   points  [n x m], consecutive ones distinct; for a closed curve the last differs from the first
//   s       [n] ascending, any range, for a closed curve [n+1]; NULL: by chord length
//   room    [dm_curve_room], kept by the caller as long as the curve; points and s are copied
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_curve_through(dm_curve *out, int n, int m, const double *points, const double *s,
                           bool closed, double *room, dm_message *msg);

// Make an open curve through points at equal steps of s. The second derivatives at the ends come
// from the first and last four points, so that the error for a smooth function is O(1/n^4) there as
// well, instead of O(1/n^2) for a natural spline. n >= 4; otherwise as above.
dm_status dm_curve_through_samples(dm_curve *out, int n, int m, const double *points, double *room,
                                   dm_message *msg);

// Evaluate r, r', r'' at s, each [m]; skip NULL. Does not allocate.
void dm_curve_eval(const dm_curve *c, double s, double *r, double *r_s, double *r_ss);

DM_END_C
#endif
