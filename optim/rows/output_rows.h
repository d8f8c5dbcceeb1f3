// optim/rows/output_rows.h: limits and costs on outputs (optim/task/outputs.h) in a program, as rows and
// costs of knots,
//
//   low <= y(q_k,v_k) <= high             share w a(y(q_k,v_k) - ref)
//
// They depend only on their own knot: with x = (q,v), gradients are share w a' y_x, and Hessians share w
// (a'' y_x' y_x + a' y_xx) and lambda y_xx are added to the blocks of that knot. If an output depends on velocities,
// inner knots have these as unknowns (optim/rows/knot_speeds.h). Rows of limits on driven outputs are among
// these rows, by step, but evaluated with other functions of steps (optim/rows/step_rows.h). The rows of a curve that outputs follow
// (optim/rows/curve_rows.h) are walked together with these.
//
// All functions do nothing if the task has no outputs. None of them allocates.
#ifndef OC_ROWS_OUTPUT_ROWS_H
#define OC_ROWS_OUTPUT_ROWS_H
#include "optim/rows/layout.h"

// Bounds of the rows, and the knots with rows or costs (oc_row_kind.bound).
void oc_output_rows_bound(oc_transcription *t, oc_rows_kind kind);

// Free the rows of an end if all coordinates that move them are given, because they are already determined.
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg if a row does not hold.
dm_status oc_output_rows_free_given(oc_transcription *t, dm_message *msg);

// The range of an output that is not driven at an end k, 0 or N: its value if all coordinates that move it
// are given, else oc_outputs_range. Returns DM_OK or the status of the outputs.
dm_status oc_output_rows_know(oc_transcription *t, int output, int k, double *low, double *high);

// Jacobian of all rows of outputs and of a curve (oc_row_kind.put); with values, y(q_k,v_k) and its
// derivatives are kept in t->out_value and t->out_slope, which provide the rows' values
// (oc_row_kind.evaluate).
dm_status oc_output_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s);
void oc_output_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g);

// The costs, from the values that the walk kept at the same point.
double oc_output_rows_cost(const oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n], from the same values.
void oc_output_rows_gradient(const oc_transcription *t, const double *x, double *grad);

// Add sigma times the Hessian of the costs at knot k, and the rows' Hessian with the multipliers lambda
// [nlp.m], to t->knot_block and t->knot_block_h, from the values that the walk kept at the same point. The
// part by the velocity is kept. Returns DM_OK or the status of the outputs.
dm_status oc_output_rows_contract(oc_transcription *t, const double *x, int k, double sigma,
                                  const double *lambda);

// Add the kept part of knot k to t->end.L_qv, t->end.L_vv.
void oc_output_rows_add_speeds(oc_transcription *t, int k);

// Put the entries by the velocity of knot k and the step, for outputs with an integrated cost.
void oc_output_rows_put_step(const oc_transcription *t, oc_triplets *s, int k);
#endif
