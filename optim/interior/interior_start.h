// optim/interior/interior_start.h: the workspace of the stage solver, and its iterate at a point.
#ifndef OC_INTERIOR_INTERIOR_START_H
#define OC_INTERIOR_INTERIOR_START_H
#include "optim/interior/phase.h"
#include "optim/nlp/ipopt.h"

typedef struct oc_interior oc_interior;
struct oc_interior {
  const oc_nlp *nlp;
  const oc_options *set;
  const oc_hooks *hooks;
  oc_ipopt_info *info;
  oc_iterate *record;
  int room;
  oc_phase own, restoration;
  oc_sparse_sum jac, hess;
  oc_stage_kkt *kkt;
  int iteration;
  double start; // oc_clock
  oc_deadline deadline;
  oc_phase_end end;      // of the last run
  dm_status stop;        // reason if `arrived` ended it
  double f_best, v_best; // of x_best; v_best INFINITY: none
  double f_last;         // objective of the last iterate of the task's program
  double *x_best;        // [n]
  oc_point out, kept;    // outcome; outcome of the first of two runs
  double *g;             // [m]
  int *row, *col;        // [longest walk] patterns
  int *first, *order;    // scratch of the same length
  int *knot, *own_row;   // of each free variable [n]
  bool *has_slack;       // of each row [m]
};

// Set the variables of the task's program to a point's, with the bounds of oc_equality_form_fill: scale
// the program there, find the slacks, and move both off their bounds by `push` (oc_barrier_push).
// Returns DM_OK or the failure of the program.
dm_status oc_interior_load_variables(oc_interior *w, const oc_point *from, double push);

// Set the iterate to a point with its multipliers, unchanged if it is interior, and evaluate it. mu > 0:
// the barrier parameter; else the mean gap of its limits. Returns DM_OK or the failure of the program.
dm_status oc_interior_load_point(oc_interior *w, const oc_point *at, double mu);

// The same with variables off their bounds, and multipliers of bounds of at least `push`.
dm_status oc_interior_load_off_bounds(oc_interior *w, const oc_point *at, double mu, double push);
#endif
