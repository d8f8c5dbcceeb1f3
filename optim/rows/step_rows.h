// optim/rows/step_rows.h: functions in the steps k = 0..N-1 of a program, by z = (q_k, q_{k+1}, u_k, h)
// (lib/mechanics/step_function.h), as rows and costs,
//
//   low <= y(z) <= high        F w a(y - ref),  F = h or 1, with an activation a (optim/task/activation.h)
//
// They are path constraints, user-defined terms (optim/task/term.h), and limits and costs on driven outputs,
// i.e. inputs and their power (lib/mechanics/driven_output.h). Gradients are F w a' y_z, Hessians F w (a''
// y_z' y_z + a' y_zz) and lambda y_zz, and for a free h in addition F_h w a' (y_z h_z + h_z' y_z). Entries
// are put only at unknowns that can move a row, in addition to the step's own entries.
//
// All functions do nothing for a task without these. Only oc_step_rows_new allocates.
#ifndef OC_ROWS_STEP_ROWS_H
#define OC_ROWS_STEP_ROWS_H
#include "optim/rows/layout.h"

// Make t->step for the functions of a task (NULL without functions), after the list of rows was made; free it
// (accepts NULL). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_step_rows_new(oc_transcription *t);
void oc_step_rows_free(oc_step_functions *w);

// Does a task have costs on functions in steps?
bool oc_step_rows_have_costs(const oc_task *task);

// Bounds of path constraints; values and Jacobian of all rows (oc_row_kind), of which the Jacobian also keeps
// the values y for the rows and for the costs. oc_step_rows_put returns DM_OK, or the status of a function if
// a row or a cost of a step has no value.
void oc_step_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_step_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g);
dm_status oc_step_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);

// The costs, from the values that the Jacobian kept at the same point.
double oc_step_rows_cost(oc_transcription *t, const double *x);

// Add their gradient to grad [nlp.n]. Returns DM_OK or the status of a function.
dm_status oc_step_rows_gradient(oc_transcription *t, const double *x, double *grad);

// Put the lower triangle of the Hessian of sigma times the costs plus the rows weighted with their
// multipliers lambda [nlp.m]. Returns DM_OK or the status of a function.
dm_status oc_step_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double sigma, const double *lambda, oc_triplets *s);
#endif
