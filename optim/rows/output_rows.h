// optim/rows/output_rows.h: what a task asks of outputs (optim/task/outputs.h) in its
// program: rows and costs of knots,
//
//   low <= y(q_k,v_k) <= high             1/2 share w (y(q_k,v_k) - ref)^2
//
// They see their knot alone: gradients share w e y_x, Hessians share w (y_x' y_x + e y_xx) and
// lambda y_xx, x = (q,v), are added to the blocks of that knot. Where an output is a function of
// velocities, inner knots have these as unknowns (optim/rows/knot_speeds.h). What is asked of
// driven outputs stands among these rows and costs, in steps (optim/rows/driven_rows.h); the rows
// of a curve that outputs follow (optim/rows/curve_rows.h) are walked with these.
//
// Every function does nothing where the task asks for no output. None allocates.
#ifndef OC_ROWS_OUTPUT_ROWS_H
#define OC_ROWS_OUTPUT_ROWS_H
#include "optim/rows/layout.h"

// Bounds of the rows, and which knots have rows or costs (oc_row_kind.bound).
void oc_output_rows_bound(oc_transcription *t, oc_rows_kind kind);

// Free the rows of an end where all that moves them is given: they hold already. Returns DM_OK, or
// DM_BAD_INPUT with a sentence in msg where one does not.
dm_status oc_output_rows_free_given(oc_transcription *t, dm_message *msg);

// The range of an output that is not driven at an end k, 0 or N: its value if all coordinates that move it
// are given, else oc_outputs_range. Returns DM_OK or the status of the outputs.
dm_status oc_output_rows_know(oc_transcription *t, int output, int k, double *low, double *high);

// Jacobian of all rows of outputs and of a curve (oc_row_kind.put); with values, y(q_k,v_k) and its derivatives
// are kept in t->out_value, t->out_slope, from which the rows have their values (oc_row_kind.evaluate).
dm_status oc_output_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s);
void oc_output_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g);

// The costs, from what the walk left at the same point.
double oc_output_rows_cost(const oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n], from there as well. Returns DM_OK or what driven outputs return.
dm_status oc_output_rows_gradient(oc_transcription *t, const double *x, double *grad);

// Add to t->knot_block and t->knot_block_h what knot k has of sigma times the costs, from what the walk
// left at the same point, and of the multipliers lambda [nlp.m] of rows, and keep what its velocity
// has. Returns DM_OK or what the outputs return.
dm_status oc_output_rows_contract(oc_transcription *t, const double *x, int k, double sigma,
                                  const double *lambda);

// Add what was kept of knot k to t->end.L_qv, t->end.L_vv.
void oc_output_rows_add_speeds(oc_transcription *t, int k);

// Put the entries by the velocity of knot k and the step, where an output that costs over time has
// them.
void oc_output_rows_put_step(const oc_transcription *t, oc_triplets *s, int k);
#endif
