// lib/base/difference.h: a derivative against differences, judged by the order of their error.
//
//   error(e) = |(f(x + e d) - f(x - e d)) / 2e - Jd|,   e = 0.1, 0.05, 0.025, ..
//
// Central differences err by e^2, so that halving e divides a true derivative's error by 4, until
// rounding; a wrong one keeps its error. If two pairs of steps agree on the order 2, the derivative is
// compared with the Richardson limit of both differences, (4 D(e/2) - D(e)) / 3, so that a sharp function
// needs no smaller steps.
#ifndef DM_BASE_DIFFERENCE_H
#define DM_BASE_DIFFERENCE_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// A function from R^n to R^m, a direction, and the derivative along it that is claimed.
typedef struct dm_difference {
  int n, m;
  const double *x, *d; // [n] the point and the direction, in the units of x
  const double *Jd;    // [m] the derivative of f at x along d that is claimed
  dm_status (*f)(void *self, const double *x, double *y); // y [m]
  void *self;
  const double *unit; // [m] > 0, the scale of each component of f; NULL: 1
  double noise; // rounding of f, relative to its largest component: DBL_EPSILON of a plain sum
} dm_difference;

#define DM_DIFFERENCE_ERROR 1e-6 // largest relative error of a correct derivative
#define DM_DIFFERENCE_ORDER 1.7  // least order of a clean error of differences

typedef struct dm_verdict {
  double error; // the smallest, of a difference or of the limit of two, over 1 or the size of Jd,
                // whichever is larger; in units
  double order; // of the smallest pair of steps that stands clear of rounding: 2 where Jd is the
      // derivative, more where the third one is zero or the larger step crosses an edge of
      // the second; NAN: differences are exact to rounding
  bool clean; // two successive pairs have the same order
  bool holds; // the error is below DM_DIFFERENCE_ERROR, and a clean order is above
              // DM_DIFFERENCE_ORDER
} dm_verdict;

// Judge a claim. A point at which f fails counts for nothing.
//   room  scratch [n + 3m]
// Cost: 30 evaluations of f, 48 where these do not decide. Does not allocate.
dm_verdict dm_difference_judge(const dm_difference *claim, double *room);

DM_END_C
#endif
