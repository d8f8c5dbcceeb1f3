// optim/rows/driven_rows.h: what a task asks of driven outputs, inputs and their power
// (lib/mechanics/driven_output.h), in its program: rows and costs of steps k = 0..N-1,
//
//   low <= y(q_k,q_{k+1},u_k,h) <= high        1/2 w (y - ref)^2, times h or plainly summed
//
// By z = (q_k, q_{k+1}, u_k, h), with F = h or 1, gradients are F w e y_z, Hessians
// F w (y_z' y_z + e y_zz) and lambda y_zz, and of h besides F_h w e (y_z h_z + h_z' y_z). Each of
// them is put at the unknowns that may move an output alone, beside what the step itself has there.
//
// Every function does nothing where the task asks for no driven output. None allocates.
#ifndef OC_ROWS_DRIVEN_ROWS_H
#define OC_ROWS_DRIVEN_ROWS_H
#include "optim/rows/layout.h"

// The pattern of the Hessian, t->driven_pair, and which steps are asked, t->driven_asked.
void oc_driven_rows_begin(oc_transcription *t);

// Put the entries of all rows' Jacobian; with values, keep y in t->out_value. With s->val NULL the
// entries alone: x is not read. Returns DM_OK or what the outputs return.
dm_status oc_driven_rows_walk(oc_transcription *t, const double *x, oc_triplets *s);

// The costs, from what the walk left at the same point.
double oc_driven_rows_cost(const oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n]. Returns DM_OK or what the outputs return.
dm_status oc_driven_rows_gradient(oc_transcription *t, const double *x, double *grad);

// Put the Hessian of sigma times the costs and of the multipliers lambda [nlp.m] of rows, the lower
// triangle. Returns DM_OK or what the outputs return.
dm_status oc_driven_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                     double sigma, const double *lambda, oc_triplets *s);
#endif
