// optim/transcription/path_rows.h: path constraints of a task as rows of its program,
//
//   low_i <= c_i(q_k, (q_{k+1} - q_k)/h, u_k) <= high_i        k = 0..N-1
//
// Each meets all unknowns of its step, in the Jacobian as in the Hessian.
#ifndef OC_TRANSCRIPTION_PATH_ROWS_H
#define OC_TRANSCRIPTION_PATH_ROWS_H
#include "optim/transcription/layout.h"

// Set the bounds of the rows in t->g_min, t->g_max.
void oc_path_rows_bound(oc_transcription *t);

// Write the rows' values at x [nlp.n] to their place in g [nlp.m].
void oc_path_rows_evaluate(const oc_transcription *t, const double *x, double *g);

// Put their Jacobian's entries: by q_k, q_{k+1}, the forces u_k, and h where it is free.
void oc_path_rows_put(const oc_transcription *t, const double *x, oc_triplets *s);

// Add the Hessian of lambda . c in step k, lambda [nlp.m] of all rows, to the blocks of that step in
// t->d and t->cost, as oc_cost_hessian has left them. No allocation in any of these.
void oc_path_rows_contract(const oc_transcription *t, const double *x, int k, const double *lambda);
#endif
