// optim/rows/curve_rows.h: outputs that follow a curve whose timing is free (oc_followed in
// optim/task/outputs.h). The curve parameters s_k, k = 0..N, are additional unknowns with
//
//   -within <= y(q_k) - r(s_k) <= within        k = 0..N
//   0 <= s_{k+1} - s_k <= most                   k = 0..N-1
//   s_0 = 0, s_N = 1
//
// most is oc_curve_most (optim/task/curve_place.h); with up to 8 steps it does not limit anything.
//
// No force acts on s, and s has no inertia. y and r appear as separate terms, so q_k and s_k are not coupled:
// the Hessian gains lambda y_qq at the knot, and -lambda.r'' by s_k.
//
// All functions do nothing if the task follows no curve. None of them allocates.
// Source: docs/theory.md section 30.
#ifndef OC_ROWS_CURVE_ROWS_H
#define OC_ROWS_CURVE_ROWS_H
#include "optim/rows/layout.h"

// Bounds of s_k and of the rows; bounds of the order (oc_row_kind.bound).
void oc_curve_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_curve_rows_bound_order(oc_transcription *t, oc_rows_kind kind);

// The part -r(s_k) of the rows: their Jacobian, which keeps r, and their values, from which r is subtracted
// after those of y (oc_row_kind).
dm_status oc_curve_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                            oc_triplets *s);
void oc_curve_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                            double *g);

// The Hessian by s_k (oc_row_kind.put_hessian).
dm_status oc_curve_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                    double sigma, const double *lambda, oc_triplets *s);

// The parameters s_k of a motion (optim/task/curve_place.h) into x [nlp.n].
void oc_curve_rows_pack(const oc_transcription *t, const dm_trajectory *traj, double *x);
#endif
