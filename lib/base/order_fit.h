// lib/base/order_fit.h: estimates the order of convergence from errors at several step sizes.
//
//   e_i = C |h_i^p - r^p|
//
// where r is the step of the reference solution, whose own error has the same expansion. r = 0: the
// reference is exact. p < 0 if h is the number of steps.
#ifndef DM_BASE_ORDER_FIT_H
#define DM_BASE_ORDER_FIT_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct dm_order_fit {
  double order;    // p; NAN if fewer than two errors are usable
  double constant; // C
  double scatter;  // root mean square of log e about the fit
  int n;           // number of errors used
} dm_order_fit;

// Fit C and p to errors e [n] at steps h [n] > 0 by least squares of log e. Errors that are not > 0
// and those at step r are skipped. Cost: O(n), for r > 0 some hundred times that. Does not
// allocate.
dm_order_fit dm_order_fit_errors(int n, const double *h, const double *e, double r);

// C |h^p - r^p|.
double dm_order_fit_error(const dm_order_fit *fit, double h, double r);

DM_END_C
#endif
