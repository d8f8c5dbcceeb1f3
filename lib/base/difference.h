// lib/base/difference.h: a derivative against differences, judged by the order of their error.
//
//   error(e) = |(f(x + e d) - f(x - e d)) / 2e - Jd|,   e = 0.1, 0.05, 0.025, ..
//
// Central differences err by e^2, so that halving e divides a true derivative's error by 4, until
// rounding; a wrong one keeps its error. No tolerance has to fit the function.
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
  double noise; // rounding of f, relative to its largest component: DBL_EPSILON of a plain sum
} dm_difference;

typedef struct dm_verdict {
  double error; // the smallest, over 1 or the size of Jd, whichever is larger
  double order; // of the smallest pair of steps that stands clear of rounding: 2 where Jd is the
      // derivative, more where the third one is zero or the larger step crosses an edge of
      // the second; NAN: differences are exact to rounding
  bool holds; // error < 1e-6, and the order is 2 - 0.3 at least or NAN
} dm_verdict;

// Judge a claim. A point at which f fails counts for nothing.
//   room  scratch [n + 2m]
// Cost: 30 evaluations of f. Does not allocate.
dm_verdict dm_difference_judge(const dm_difference *claim, double *room);

DM_END_C
#endif
