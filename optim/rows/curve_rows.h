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

// Free row i of knot k, an end, if all coordinates that move its output are given; y is its value. Returns
// DM_OK, or DM_BAD_INPUT with a sentence in msg if the row does not hold.
dm_status oc_curve_rows_free(oc_transcription *t, int k, int i, double y, dm_message *msg);

// Put the entries of knot k's rows, from y_q in t->out_slope; with values, keep r(s_k) for the rows.
void oc_curve_rows_put(oc_transcription *t, const double *x, oc_triplets *s, int k);

// The rows' values, from the last evaluation of the Jacobian (oc_row_kind.evaluate).
void oc_curve_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                            double *g);

// Add the multipliers of knot k's rows, from lambda [nlp.m], to t->out_lambda.
void oc_curve_rows_weigh(oc_transcription *t, int k, const double *lambda);

// The Hessian by s_k (oc_row_kind.put_hessian).
dm_status oc_curve_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                    double sigma, const double *lambda, oc_triplets *s);

// The parameters s_k of a motion (optim/task/curve_place.h) into x [nlp.n].
void oc_curve_rows_pack(const oc_transcription *t, const dm_trajectory *traj, double *x);
#endif
