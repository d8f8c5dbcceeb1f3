// optim/nlp/best_point.h: comparison of points of a program, and their violations, for solvers that
// can end without a solution.
#ifndef OC_NLP_BEST_POINT_H
#define OC_NLP_BEST_POINT_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

// Smaller violations count as zero when points are compared by their objectives.
#define OC_FEASIBLE 1e-6

// The distance of a value from [lo, hi].
double oc_bound_excess(double value, double lo, double hi);

// The largest violation of a row, and of a variable's bounds.
double oc_row_violation(const oc_nlp *nlp, const double *g);
double oc_bound_violation(const oc_nlp *nlp, const double *x);

// Returns true if (f, v) is better than another pair of objective and violation: if both are
// feasible the lower f, else the smaller v.
bool oc_is_better_point(double f, double v, double f_than, double v_than);

// Copy the arrays of a point with its multipliers.
void oc_point_copy(const oc_nlp *nlp, const oc_point *from, oc_point *to);

// The row with the largest violation relative to the largest entry of its row of the Jacobian at x,
// which makes the choice independent of units; -1: none. Allocates.
int oc_worst_row(const oc_nlp *nlp, const double *x, const double *g);

// The same without allocation. walk: arrays for row, col and val [jac_nnz]; size: scratch [m].
int oc_worst_row_in(const oc_nlp *nlp, const double *x, const double *g, oc_triplets walk,
                    double *size);
#endif
