// optim/second/knot_outputs.h: limits and costs on outputs y(q,v) of a task
// (optim/task/outputs.h) in its program of second order: rows and costs of knots, whose
// unknowns are q and v,
//
//   low <= y(q_k,v_k) - reference_k <= high        1/2 w (y(q_k,v_k) - ref)^2 at a single knot
//
// Costs over time are part of the running cost (optim/task/output_costs.h). The rows come
// after all others, sorted by limit, then knot.
//
// All functions do nothing if the task has no limits or costs on outputs. None allocates.
#ifndef OC_SECOND_KNOT_OUTPUTS_H
#define OC_SECOND_KNOT_OUTPUTS_H
#include "optim/second/torque_layout.h"

// The number of rows.
int oc_knot_outputs_count(const oc_task *task);

// Set w->out_row and the bounds in w->g_min, w->g_max, with `row` the first row. Rows at an end
// with given state are relaxed if they hold already. Returns DM_OK, DM_BAD_INPUT with a sentence in
// msg if one does not hold, or the status of the outputs.
dm_status oc_knot_outputs_bound(oc_torque_transcription *w, int row, dm_message *msg);

// The name and the knot of a row.
void oc_knot_outputs_name(const oc_torque_transcription *w, int row, char *text, size_t size,
                          int *k);

// Add the costs of single knots to *f, and their gradient to grad [nlp.n]. Return DM_OK or the
// status of the outputs.
dm_status oc_knot_outputs_objective(oc_torque_transcription *w, const double *x, double *f);
dm_status oc_knot_outputs_gradient(oc_torque_transcription *w, const double *x, double *grad);

// Write the values of the rows to g [nlp.m]; put the entries of their Jacobian; if s->val is NULL
// only the pattern, and x is ignored. Return DM_OK or the status of the outputs.
dm_status oc_knot_outputs_rows(oc_torque_transcription *w, const double *x, double *g);
dm_status oc_knot_outputs_jacobian(oc_torque_transcription *w, const double *x, oc_triplets *s);

// Add the Hessian of sigma times the costs plus the rows with multipliers lambda [nlp.m] at knot k
// to block [size x size]. Returns DM_OK or the status of the outputs.
dm_status oc_knot_outputs_hessian(oc_torque_transcription *w, const double *x, int k, double sigma,
                                  const double *lambda, double *block);
#endif
