// optim/rows/ratio.h: a cost J that is asked for per second, or per metre or radian of the way
// of a periodic motion,
//
//   minimize J / D,   D = T, or |q_N - q_0| of a coordinate
//
// The program's objective is J - price D. Where its minimum is 0 the price is the least ratio, and who
// minimizes the one has minimized the other: price <- J/D of each minimum, which is Newton's method
// for that zero (optim/solve.c). D is linear in the unknowns: the Hessian stays that of J, as sparse.
//
// Source: [dinkelbach-1967]; docs/theory.md section 27. Without `per` D is 1 and the price 0.
#ifndef OC_ROWS_RATIO_H
#define OC_ROWS_RATIO_H
#include "optim/rows/layout.h"

// D at x [nlp.n], s or m or rad.
double oc_ratio_way(const oc_transcription *t, const double *x);

// Take the gradient of price D off grad [nlp.n].
void oc_ratio_gradient(const oc_transcription *t, double *grad);
#endif
