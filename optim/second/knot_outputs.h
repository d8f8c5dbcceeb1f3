// optim/second/knot_outputs.h: what a task asks of outputs y(q,v) (optim/transcription/outputs.h) in its
// program of second order: rows and costs of knots, which have q and v as unknowns,
//
//   low <= y(q_k,v_k) - reference_k <= high        1/2 w (y(q_k,v_k) - ref)^2 at one time
//
// Costs over time are a term of the running cost (optim/transcription/output_costs.h). Rows stand behind
// all others, limit by limit, from knot to knot.
//
// Every function does nothing where the task asks for no output. None allocates.
#ifndef OC_SECOND_KNOT_OUTPUTS_H
#define OC_SECOND_KNOT_OUTPUTS_H
#include "optim/second/torque_layout.h"

// How many rows there are.
int oc_knot_outputs_count(const oc_task *task);

// The first of them is `row`: set w->out_row and the bounds in w->g_min, w->g_max. Rows of an end
// where all that moves them is given are free: they hold already. Returns DM_OK, DM_BAD_INPUT with a
// sentence in msg where one does not, or what the outputs return.
dm_status oc_knot_outputs_bound(oc_torque_transcription *w, int row, dm_message *msg);

// The name and the knot of a row.
void oc_knot_outputs_name(const oc_torque_transcription *w, int row, char *text, size_t size,
                          int *k);

// Add the costs of single knots to *f, and their gradient to grad [nlp.n]. Return DM_OK or what the
// outputs return.
dm_status oc_knot_outputs_objective(oc_torque_transcription *w, const double *x, double *f);
dm_status oc_knot_outputs_gradient(oc_torque_transcription *w, const double *x, double *grad);

// The rows' values to g [nlp.m]; put the entries of their Jacobian. With s->val NULL the entries alone: x
// is not read. Return DM_OK or what the outputs return.
dm_status oc_knot_outputs_rows(oc_torque_transcription *w, const double *x, double *g);
dm_status oc_knot_outputs_jacobian(oc_torque_transcription *w, const double *x, oc_triplets *s);

// Add the Hessian of sigma times the costs and of the rows' multipliers lambda [nlp.m] at knot k to
// block [size x size]. Returns DM_OK or what the outputs return.
dm_status oc_knot_outputs_hessian(oc_torque_transcription *w, const double *x, int k, double sigma,
                                  const double *lambda, double *block);
#endif
