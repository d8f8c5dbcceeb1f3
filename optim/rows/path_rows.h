// optim/rows/path_rows.h: path constraints of a task as rows of its program,
//
//   low_i <= c_i(q_k, (q_{k+1} - q_k)/h, u_k) <= high_i        k = 0..N-1
//
// Each depends on all unknowns of its step, in the Jacobian and in the Hessian.
#ifndef OC_ROWS_PATH_ROWS_H
#define OC_ROWS_PATH_ROWS_H
#include "optim/rows/layout.h"

// Bounds, values and Jacobian as in oc_row_kind: entries by q_k, q_{k+1}, the forces u_k, and h if free.
void oc_path_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_path_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g);
dm_status oc_path_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);

// Add the Hessian of lambda . c in step k, lambda [nlp.m] of all rows, to the blocks of that step in t->d and
// t->cost, after oc_cost_hessian wrote them. None of these functions allocates.
void oc_path_rows_contract(const oc_transcription *t, const double *x, int k, const double *lambda);
#endif
