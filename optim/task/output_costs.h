// optim/task/output_costs.h: costs on outputs (optim/task/outputs.h) in the words that
// solvers without knots of their own for them have: those over time are a term of the running cost
// (optim/task/term.h), which the descent and second order bring to their unknowns, those of
// one time functions of a knot,
//
//   c(q,v) = sum 1/2 w (y(q,v) - ref)^2      c_x = sum w e y_x      c_xx = sum w (y_x' y_x + e y_xx)
//
// First order (optim/rows/output_rows.h) takes the same sum of outputs of places; of speeds it
// takes those of knots, where a term has the step's at both of them, which differs by O(h^2).
#ifndef OC_TASK_OUTPUT_COSTS_H
#define OC_TASK_OUTPUT_COSTS_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_output_costs {
  oc_task task; // that it was made of, with a term more, which has all costs over time
  struct oc_output_costs *self; // it, which the term reaches through a pointer to this
  // scratch
  oc_term *terms;        // [task.nterms]
  double *y, *y_q, *y_v; // [outputs.y.ny], [.. x n] twice
  double *lambda;        // [outputs.y.ny] w e of the costs at hand
  double *H[3];          // [n x n] by (q,q), (q,v), (v,v)
  double *c_x, *c_xx;    // [2n], [2n x 2n] for callers
  void *scratch;         // of y
} oc_output_costs;

// Make it of a task (its arrays are borrowed). A span that holds one knot alone is that of the step from
// there. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_output_costs_new(oc_output_costs **out, const oc_task *task);
void oc_output_costs_free(oc_output_costs *w); // accepts NULL

// Does an output cost anything at knot k alone? One that is a function of v?
bool oc_output_costs_once(const oc_output_costs *w, int k);
bool oc_output_costs_once_rated(const oc_output_costs *w, int k);

// The costs of knot k alone at q with v (NULL: of outputs of places alone), and where order > 0 their
// gradient, where it is 2 their Hessian by (q,v), into w->c_x, w->c_xx. Returns DM_OK, DM_NOT_FINITE or
// what the outputs return. No allocation.
dm_status oc_output_costs_knot(oc_output_costs *w, int k, int order, const double *q,
                               const double *v, double *c);

// What of a task's outputs neither of these can say: the first cost on an output of inputs, or -1.
int oc_output_costs_driven(const oc_task *task);

DM_END_C
#endif
