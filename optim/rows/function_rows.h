// optim/rows/function_rows.h: functions at the knots and in the steps of a program, as rows and costs,
//
//   low <= y(z) <= high        F w a(y - ref),  F = h or 1, with an activation a (optim/task/activation.h)
//
// with z = (q_k, v_k) at a knot and z = (q_k, q_{k+1}, u_k, h) in a step (lib/mechanics/step_function.h), with
// t = (k + 1/2) h, T = N h and the impulses of constraints if a row depends on them, or
// z = (F+, F-, t) of the contacts at a knot, with rates also those at the next knot and h
// (lib/mechanics/contact_output.h). They are
//
//   at knots   limits and costs on outputs (optim/task/outputs.h), and outputs that follow a curve
//   of contacts  those on the forces and impulses of contacts, at knots, and on rates of forces, in steps
//   in steps   those on driven outputs (lib/mechanics/driven_output.h), path constraints, and user-defined
//              terms (optim/task/term.h)
//
// Gradients are F w a' y_z, Hessians F w (a'' y_z' y_z + a' y_zz) and lambda y_zz, and for a free h in addition
// F_h w a' (y_z h_z + h_z' y_z). Entries are put only at unknowns that can move a row.
//
// All functions do nothing if w is NULL. Only oc_function_rows_new allocates.
#ifndef OC_ROWS_FUNCTION_ROWS_H
#define OC_ROWS_FUNCTION_ROWS_H
#include "optim/nlp/triplets.h"
#include "optim/rows/series.h"
#include "optim/task/task.h"

// The program that has the rows: where their unknowns and rows are.
typedef struct oc_function_program {
  const oc_task *task;
  const void *self; // passed to the functions below
  // index in x of entry a of z, -1: not an unknown; q, v, u are consecutive; t and T are that of h; the impulses
  // of constraints follow. step NULL: no
  // functions in steps
  int (*knot)(const void *self, int k, int a);
  int (*step)(const void *self, int k, int a);
  int (*contact)(const void *self, int k, int a); // NULL: no contacts
  int h;                                          // index of h in x, -1: fixed
  const oc_rows *limits;                          // [outputs.nlimits] the rows of each limit
  const oc_rows *paths;                           // of path constraints
  const oc_rows *curve;                           // of outputs that follow a curve
  const oc_rows *levels, *peaks;                  // of levels (level_rows.h)
  bool once; // only costs at single knots; those over a span are terms of the program
} oc_function_program;

// Make the functions of a program (*out NULL without functions); the list of rows must exist, and the task and
// the rows outlive it. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_function_rows_new(oc_function_rows **out, const oc_function_program *program);
void oc_function_rows_free(oc_function_rows *w); // accepts NULL

// Free the rows of both ends whose unknowns are all given, x_min = x_max, because they hold already. Returns DM_OK;
// DM_BAD_INPUT with a sentence in msg if a row does not hold within OC_OUTPUT_ROOM; or the status of a function.
dm_status oc_function_rows_free_given(oc_function_rows *w, const double *x_min, const double *x_max,
                                      double *g_min, double *g_max, dm_message *msg);

// Evaluate all functions and their derivatives at x; the functions below read these values. Returns DM_OK, or the
// status of a function if a row or a cost has no value.
dm_status oc_function_rows_evaluate(oc_function_rows *w, const double *x);

// The values of the rows into g [nlp.m]; their Jacobian; the costs; add the gradient of the costs to grad
// [nlp.n].
void oc_function_rows_values(const oc_function_rows *w, double *g);
void oc_function_rows_put(const oc_function_rows *w, oc_triplets *s);
double oc_function_rows_cost(const oc_function_rows *w, const double *x);
void oc_function_rows_gradient(const oc_function_rows *w, const double *x, double *grad);

// Put the lower triangle of the Hessian of sigma times the costs plus the rows with their multipliers lambda
// [nlp.m], at the x of the last evaluation. Returns DM_OK or the status of a function.
dm_status oc_function_rows_put_hessian(oc_function_rows *w, const double *x, double sigma,
                                       const double *lambda, oc_triplets *s);
#endif
