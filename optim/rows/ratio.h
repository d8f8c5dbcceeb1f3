// optim/rows/ratio.h: a cost J per second, or per meter or radian of travel of a periodic motion,
//
//   minimize J / D,   D = T, or |q_N - q_0| of a coordinate
//
// The program's objective is J - price D. If its minimum is 0, the price is the least ratio, and the
// minimizer of the objective also minimizes the ratio: price <- J/D at each minimum, which is Newton's method
// for that zero (optim/solve.c). D is linear in the unknowns, so the Hessian is that of J, with the same
// sparsity.
//
// Source: [dinkelbach-1967]; docs/theory.md section 27. Without `per`, D is 1 and the price 0.
#ifndef OC_ROWS_RATIO_H
#define OC_ROWS_RATIO_H
#include "optim/rows/layout.h"

// D at x [nlp.n], s or m or rad.
double oc_ratio_way(const oc_transcription *t, const double *x);

// Subtract the gradient of price D from grad [nlp.n].
void oc_ratio_gradient(const oc_transcription *t, double *grad);
#endif
