// optim/task/term.h: user-defined terms of the running cost and path constraints: a function
// (lib/mechanics/function.h) of a step,
//
//   weight a(y - reference), with an activation a       low <= y <= high
//
// in addition to the quadratic cost (optim/rows/quadratic.h) and the outputs of the robot
// (optim/task/outputs.h). First order evaluates with v = (q_{k+1} - q_k)/h and u of the step, terms half at
// each knot's q, path constraints at the left one; the descent does the same; second order takes all three at
// the nodes within the step. Like the rest of the running cost, a term is multiplied by h, or summed without
// h if the task says so, then with q at the left knot.
//
//   // 1/2 w (|tip(q)| - r)^2
//   static dm_status eval_radius(const void *self, void *scratch, const double *q, double *y, double *y_q);
//   static dm_status bend_radius(const void *self, void *scratch, const double *q, const double *lambda,
//                                double *H);
//   const dm_function radius = {
//       .ny = 1, .size = {[DM_Q] = 2}, .self = &arm, .eval = eval_radius, .contract = bend_radius};
//   const oc_term terms[] = {{.y = radius, .cost = {.at = {0, 1}, .weight = w, .reference = r}}};
//   task.functions = (oc_functions){.terms = terms, .nterms = 1};
#ifndef OC_TASK_TERM_H
#define OC_TASK_TERM_H
#include "optim/task/outputs.h"

DM_BEGIN_C

struct dm_block;

// A cost on row `cost.output` of a function, integrated over a span. Terms of one function that follow each
// other evaluate it once.
typedef struct oc_term {
  dm_function y;
  oc_output_cost cost;
} oc_term;

// low <= row `row` of a function <= high, in every step: rows of the first-order program
// (optim/rows/function_rows.h) and limits of the descent.
typedef struct oc_path_constraint {
  dm_function y;
  int row;
  double low, high; // -INFINITY, INFINITY: absent
} oc_path_constraint;

// The terms and path constraints of a task.
typedef struct oc_functions {
  int nterms, npaths;
  const oc_term *terms;            // [nterms]
  const oc_path_constraint *paths; // [npaths]
} oc_functions;

// The reference of a cost at knot k, interpolated linearly between two knots (k = 3.25).
double oc_output_cost_reference(const oc_output_cost *c, double k);

// The number of terms from the i-th on that have its function.
int oc_terms_group(int count, const oc_term *terms, int i);

// Check them for n coordinates, nf forces and N steps: functions of these sizes, existing rows, spans,
// weights >= 0, low <= high. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_functions_check(const oc_functions *of, int n, int nf, int N, dm_message *msg);

// The first term or path constraint whose function also has arguments of the step, which only first order
// supports: its name; NULL: none.
const char *oc_functions_of_step(const oc_functions *of);

// -- terms at a point x = (q, v, u), m = 2n + nf, for solvers that apply their own chain rule

// The sizes of a point, and work arrays; a part of the caller's workspace.
typedef struct oc_term_work {
  int n, nf, N;
  double *x;         // [m] for the caller to fill
  double *c_x;       // [m] gradient of the last sum
  double *c_xx;      // [m x m] and its Hessian
  double *at, *y;    // arguments and values of one function
  double *y_x, *yxx; // its derivatives, the Hessian of its terms
  double *lambda;    // their multipliers
  void *scratch;     // of the function
} oc_term_work;

// Reserve the arrays for these functions; n, nf and N must be set. Nothing is reserved if there are none.
void oc_term_work_lay_out(oc_term_work *w, struct dm_block *b, const oc_functions *of);

// Fill w->x in a step: q of the knot at `side` (0 or 1), v = (q1 - q0)/h, u.
void oc_term_work_place(oc_term_work *w, const dm_step *step, int side);

// Where terms are evaluated: at a fraction of step k (first order: 0 or 1); or at knot k, for terms that
// apply to knots (optim/task/output_costs.h).
typedef struct oc_term_place {
  int k;
  double share;
  bool knot;
} oc_term_place;

// Return the sum of the terms that apply at a place, at w->x, with derivatives up to an order in w->c_x and
// w->c_xx. If one has no value there, the sum and its derivatives are NAN. No allocation.
double oc_terms_eval(oc_term_work *w, int count, const oc_term *terms, oc_term_place place,
                     int order);

// The same for a path constraint alone.
double oc_path_constraint_eval(oc_term_work *w, const oc_path_constraint *path, int order);

DM_END_C
#endif
