// lib/base/difference.h: checks a derivative by finite differences and the order of their error.
//
//   error(e) = |(f(x + e d) - f(x - e d)) / 2e - Jd|,   e = 0.1, 0.05, 0.025, ..
//
// The error of central differences is O(e^2): halving e divides the error of a correct derivative
// by 4, down to rounding, whereas a wrong one keeps its error. If two pairs of steps agree on the
// order 2, the derivative is compared with the Richardson limit of both differences, (4 D(e/2) -
// D(e)) / 3, so that a sharp function needs no smaller steps.
#ifndef DM_BASE_DIFFERENCE_H
#define DM_BASE_DIFFERENCE_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// A function from R^n to R^m, a direction, and a claimed derivative along it.
typedef struct dm_difference {
  int n, m;
  const double *x, *d; // [n] point and direction, in the units of x
  const double *Jd;    // [m] claimed derivative of f at x along d
  dm_status (*f)(void *self, const double *x, double *y); // y [m]
  void *self;
  const double *unit; // [m] > 0, the scale of each component of f; NULL: 1
  double noise; // rounding of f relative to its largest component: DBL_EPSILON for a plain sum
} dm_difference;

#define DM_DIFFERENCE_ERROR 1e-6 // largest relative error of a correct derivative
#define DM_DIFFERENCE_ORDER 1.7  // least order of a clean error of differences

typedef struct dm_verdict {
  double error; // smallest error of a difference or of a Richardson limit, relative to max(1, size
                // of Jd); in units
  double order; // of the smallest pair of steps well above rounding: 2 if Jd is correct, higher if
                // the third derivative is zero or the larger step crosses a discontinuity of the
                // second; NAN: differences are exact to rounding
  bool clean;   // two consecutive pairs have the same order
  bool holds;   // the error is below DM_DIFFERENCE_ERROR, and a clean order is above
                // DM_DIFFERENCE_ORDER
} dm_verdict;

// Check a claim. Steps for which f fails are ignored.
//   room  scratch [n + 3m]
// Cost: 30 evaluations of f, 48 if these do not decide. Does not allocate.
dm_verdict dm_difference_judge(const dm_difference *claim, double *room);

DM_END_C
#endif
