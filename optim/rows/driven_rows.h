// optim/rows/driven_rows.h: limits and costs on driven outputs, i.e. inputs and their power
// (lib/mechanics/driven_output.h), as rows and costs of steps k = 0..N-1,
//
//   low <= y(q_k,q_{k+1},u_k,h) <= high        1/2 w (y - ref)^2, times h or summed without h
//
// With z = (q_k, q_{k+1}, u_k, h) and F = h or 1, gradients are F w e y_z, Hessians F w (y_z' y_z + e y_zz)
// and lambda y_zz, and for h in addition F_h w e (y_z h_z + h_z' y_z). Entries are put only at unknowns that
// can move an output, in addition to the step's own entries.
//
// All functions do nothing if the task has no driven output. None of them allocates.
#ifndef OC_ROWS_DRIVEN_ROWS_H
#define OC_ROWS_DRIVEN_ROWS_H
#include "optim/rows/layout.h"

// The pattern of the Hessian, t->driven_pair, and the steps with rows or costs, t->driven_asked.
void oc_driven_rows_begin(oc_transcription *t);

// Put the entries of all rows' Jacobian; with values, keep y in t->out_value. If s->val is NULL, only the
// pattern is put and x is not read. Returns DM_OK or the status of the outputs.
dm_status oc_driven_rows_walk(oc_transcription *t, const double *x, oc_triplets *s);

// The costs, from the values that the walk computed at the same point.
double oc_driven_rows_cost(const oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n]. Returns DM_OK or the status of the outputs.
dm_status oc_driven_rows_gradient(oc_transcription *t, const double *x, double *grad);

// Put the lower triangle of the Hessian of sigma times the costs plus the rows weighted with their
// multipliers lambda [nlp.m]. Returns DM_OK or the status of the outputs.
dm_status oc_driven_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                     double sigma, const double *lambda, oc_triplets *s);
#endif
