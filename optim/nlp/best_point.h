// optim/nlp/best_point.h: which of two points of a program is the better one, and what is wrong with
// a point: what solvers that can end without a solution have in common.
#ifndef OC_NLP_BEST_POINT_H
#define OC_NLP_BEST_POINT_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

// A violation below this one is none where points are compared by their objectives.
#define OC_FEASIBLE 1e-6

// By how much a value is outside [lo, hi].
double oc_bound_excess(double value, double lo, double hi);

// By how much the largest row, the largest variable is outside its bounds.
double oc_row_violation(const oc_nlp *nlp, const double *g);
double oc_bound_violation(const oc_nlp *nlp, const double *x);

// Is (f, v) better than another pair of objective and violation? Where both are feasible the lower f
// is, else the smaller v.
bool oc_is_better_point(double f, double v, double f_than, double v_than);

// Copy a point of the program with its multipliers, arrays and all.
void oc_point_copy(const oc_nlp *nlp, const oc_point *from, oc_point *to);

// The row of the largest violation, each over the largest entry of its row of the Jacobian at x, so
// that units do not decide; -1: none. Allocates.
int oc_worst_row(const oc_nlp *nlp, const double *x, const double *g);
#endif
