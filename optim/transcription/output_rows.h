// optim/transcription/output_rows.h: what a task asks of outputs (optim/transcription/outputs.h) in its
// program: rows and costs of knots,
//
//   low <= y(q_k) <= high                 1/2 share w (y(q_k) - ref)^2
//
// They see the configuration of their knot alone: gradients share w e y_q, Hessians
// share w (y_q' y_q + e y_qq) and lambda y_qq are added to the block of that knot.
//
// Every function does nothing where the task asks for no output. None allocates.
#ifndef OC_TRANSCRIPTION_OUTPUT_ROWS_H
#define OC_TRANSCRIPTION_OUTPUT_ROWS_H
#include "optim/transcription/layout.h"

// How many rows there are.
int oc_output_rows_count(const oc_task *task);

// Set the bounds of the rows in t->g_min, t->g_max, and which knots have rows or costs.
void oc_output_rows_bound(oc_transcription *t);

// Free the rows of an end where all that moves them is given: they hold already. Returns DM_OK, or
// DM_BAD_INPUT with a sentence in msg where one does not.
dm_status oc_output_rows_free_given(oc_transcription *t, dm_message *msg);

// Put the entries of all rows' Jacobian; with values, keep y(q_k) in t->out_value. With s->val NULL
// the entries alone: x is not read. Returns DM_OK or what the outputs return.
dm_status oc_output_rows_walk(oc_transcription *t, const double *x, oc_triplets *s);

// Write the rows' values to g [nlp.m], from what the walk left.
void oc_output_rows_evaluate(const oc_transcription *t, double *g);

// The costs, from what the walk left at the same point.
double oc_output_rows_cost(const oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n]. Returns DM_OK or what the outputs return.
dm_status oc_output_rows_gradient(oc_transcription *t, const double *x, double *grad);

// Add to t->knot_block and t->knot_block_h what knot k has of sigma times the costs and of the
// multipliers lambda [nlp.m] of rows. Returns DM_OK or what the outputs return.
dm_status oc_output_rows_contract(oc_transcription *t, const double *x, int k, double sigma,
                                  const double *lambda);
#endif
