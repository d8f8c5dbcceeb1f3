// lib/base/order_fit.h: the order of convergence, from errors at several steps.
//
//   e_i = C |h_i^p - r^p|
//
// where r is the step of the solution that errors are measured from: its own error, of the same
// expansion, is in each of them. r = 0: they are measured from the exact one. p < 0 is found where
// h counts steps instead.
#ifndef DM_BASE_ORDER_FIT_H
#define DM_BASE_ORDER_FIT_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct dm_order_fit {
  double order;    // p; NAN where fewer than two errors can be used
  double constant; // C
  double scatter;  // of log e about the fit, root of the mean square
  int n;           // errors that were used
} dm_order_fit;

// Fit C and p to errors e [n] of steps h [n] > 0 by least squares of log e. Errors that are not > 0
// and those of step r itself are left out. Cost: O(n), with r > 0 some hundred times that. Does not
// allocate.
dm_order_fit dm_order_fit_errors(int n, const double *h, const double *e, double r);

// C |h^p - r^p|.
double dm_order_fit_error(const dm_order_fit *fit, double h, double r);

DM_END_C
#endif
