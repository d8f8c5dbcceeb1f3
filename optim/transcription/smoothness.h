// optim/transcription/smoothness.h: what accelerations and jerks of coordinates cost in a program, as
// differences of the positions at knots, and at the ends of these and the velocity there:
//
//   s share w/2 (D/h^d)^2
//
//   accelerations, d = 2      D = q_{k-1} - 2 q_k + q_{k+1}                    k = 1..N-1, share 1
//                             D = 2 (q_1 - q_0 - h v_0),  and so at the goal   share 1/2
//   jerks, d = 3              D = -q_{k-1} + 3 q_k - 3 q_{k+1} + q_{k+2}       k = 1..N-2, share 1
//                             D = 3/2 (3 q_0 - 4 q_1 + q_2 + 2 h v_0)          share 1
//
// with s the cost's factor (optim/transcription/cost.h), h where it is integrated: the sum is the
// integral to second order. Entries of the Hessian reach d knots further.
//
// Every function does nothing where a task has no such cost. None allocates.
#ifndef OC_TRANSCRIPTION_SMOOTHNESS_H
#define OC_TRANSCRIPTION_SMOOTHNESS_H
#include "optim/transcription/layout.h"

// The cost over the whole motion at x [nlp.n], with steps h [s].
double oc_smoothness_cost(const oc_transcription *t, const double *x, double h);

// Add its gradient to grad [nlp.n].
void oc_smoothness_gradient(const oc_transcription *t, const double *x, double h, double *grad);

// Put the entries of its Hessian times sigma: with s->val NULL x is not read.
void oc_smoothness_put_hessian(const oc_transcription *t, const double *x, double h, double sigma,
                               oc_triplets *s);
#endif
