// optim/task/output_costs.h: costs on outputs (optim/task/outputs.h) for solvers that have no rows for them.
// Integrated costs become terms of the running cost (optim/task/term.h), to which the descent and second
// order apply the chain rule. Costs at single times become functions of a knot,
//
//   c(q,v) = sum w a(y(q,v) - ref)      c_x = sum w a' y_x      c_xx = sum w (a'' y_x' y_x + a' y_xx)
//
// First order (optim/rows/output_rows.h) uses the same sum for outputs of positions. For outputs of
// velocities it uses the knots' velocities, but a term uses the step's velocity at both knots; the difference
// is O(h^2).
#ifndef OC_TASK_OUTPUT_COSTS_H
#define OC_TASK_OUTPUT_COSTS_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_output_costs {
  oc_task task;   // a copy of the task whose terms include all integrated costs
  oc_term *terms; // [task.functions.nterms]
  int nonce;      // costs at single knots
  oc_term *once;  // [nonce]
  oc_term_work
      knot; // of these: (q,v), and the derivatives of their sum in c_x [2n], c_xx [2n x 2n]
} oc_output_costs;

// Make it from a task (its arrays are borrowed). A span with a single knot stands for the step that starts
// there. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_output_costs_new(oc_output_costs **out, const oc_task *task);
void oc_output_costs_free(oc_output_costs *w); // accepts NULL

// Does an output have a cost at knot k alone? Does one of these outputs depend on v?
bool oc_output_costs_once(const oc_output_costs *w, int k);
bool oc_output_costs_once_rated(const oc_output_costs *w, int k);

// The costs of knot k alone at q and v (NULL: only outputs of positions), for order 1 also their gradient and
// for order 2 their Hessian by (q,v), into w->knot.c_x, w->knot.c_xx. Returns DM_OK or DM_NOT_FINITE. No
// allocation.
dm_status oc_output_costs_knot(oc_output_costs *w, int k, int order, const double *q,
                               const double *v, double *c);

DM_END_C
#endif
