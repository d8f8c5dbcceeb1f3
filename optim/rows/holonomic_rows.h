// optim/rows/holonomic_rows.h: unknowns and rows that constraints add to a program at each knot.
//
// Knot k has multipliers lambda_k [nc], unknowns after its inputs, and rows h(q_k) = 0; Dh(q_k)' lambda_k is
// subtracted from its row of motion. With mu the multipliers of that row and nu those of h, the Hessian gains
// -sum lambda_i D3h_i mu + sum nu_i D2h_i by q_k, and -D2h_i mu by lambda_i and q_k. At the ends, Dh(q) v = 0
// with multipliers nu adds sum nu_i D3h_i v by q, and sum nu_i D2h_i by v and q. Without these rows, a free
// end velocity would also be free along the constraint impulse.
//
// Nonholonomic rows A(q) v + b(q) = 0 are the last ones. Their rows of knot k < N are those in the middle of
// step k (lib/discrete/middle_rows.h), by q_k and q_{k+1}; at knot N they are free. The other formulas have A
// for Dh.
//
// All functions do nothing if the system has no constraints. Source: docs/theory.md section 9.
#ifndef OC_ROWS_HOLONOMIC_ROWS_H
#define OC_ROWS_HOLONOMIC_ROWS_H
#include "optim/rows/layout.h"

// Evaluate h, Dh at q_k and Dh' lambda_k into t->hol_value, t->hol_impulse [.. x knots], and subtract the
// curvature D2h lambda_k from t->knot_block; then put the entries of the Jacobian.
dm_status oc_holonomic_rows_evaluate(oc_transcription *t, const double *x, int k);
void oc_holonomic_rows_put(const oc_transcription *t, oc_triplets *s, int k);

// Values of the rows h(q_k) = 0, and of Dh v = 0 at both ends, from the last evaluation (oc_row_kind.evaluate).
void oc_holonomic_rows_values(const oc_transcription *t, oc_rows_kind kind, const double *x,
                              double *g);
void oc_holonomic_rows_rate_values(const oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double *g);

// Subtract Dh(q_k)' lambda_k and its derivative by q_k from D1 and D11 of interval k in t->d, with Dh in
// t->Dh: the result is -p_k.
dm_status oc_holonomic_rows_fold(oc_transcription *t, const double *x, int k);

// The rates of the constraints at an end (0: start, 1: goal) into t->hol_rate, using the current Dh of its
// knot; then put the entries of their Jacobian.
dm_status oc_holonomic_rows_evaluate_end(oc_transcription *t, const double *x, int end);
void oc_holonomic_rows_put_end(const oc_transcription *t, oc_triplets *s, int end);

// Add the Hessian by q_k to t->knot_block and put the part by (lambda_k,q_k). mu and nu are the multipliers
// of the motion and of h at knot k.
dm_status oc_holonomic_rows_contract(oc_transcription *t, const double *x, int k, const double *mu,
                                     const double *nu);
void oc_holonomic_rows_put_hessian(const oc_transcription *t, oc_triplets *s, int k);

// The Hessian of the rates at an end with multipliers nu [nc]: by q into t->knot_block, by (v,q) into
// t->end.L_qv.
dm_status oc_holonomic_rows_contract_end(oc_transcription *t, const double *x, int end,
                                         const double *nu);

// With multipliers nu [nc] of rates Dh v at q: add their Hessian by (v,q) to t->end.L_qv, using
// t->hol_curvature.
dm_status oc_holonomic_rows_mixed(oc_transcription *t, const double *q, const double *nu);

// The part of b in nonholonomic rates at q: add b to rate [nc] and b_q to rate_q [nc x n], or, with
// multipliers nu [nc], its Hessian to t->knot_block; NULL: not asked.
dm_status oc_holonomic_rows_drift(oc_transcription *t, const double *q, const double *nu,
                                  double *rate, double *rate_q);

// Free the rows of an end if all coordinates that move them are given (oc_row_kind.settle).
dm_status oc_holonomic_rows_settle(oc_transcription *t, dm_message *msg);
#endif
