// optim/task/term.h: a term of the running cost of one's own, beside the quadratic one
// (optim/rows/quadratic.h): a function c(y) of a step,
//
//   y = (q, v, u)      [2n + nf]: positions, velocities, forces
//
// One function is all that a new term takes; it stands in a row of oc_task.terms, and the
// transcription, the descent and second order bring it to their unknowns by the chain rule. First
// order takes v = (q_{k+1} - q_k)/h and u of the step and q at either knot, half of each; second
// order all three at the nodes within the step. Like the rest of the running cost it is weighted with
// h, or plainly summed where the task says so, then with q at the left knot.
//
//   // 1/2 w (|tip(q)| - r)^2
//   static dm_status eval_radius(const void *self, const oc_term_place *at, int order,
//                                const double *y, double *c, double *c_y, double *c_yy);
//   const oc_term terms[] = {{"radius", &radius, eval_radius}};
//   task.terms = terms;
//   task.nterms = 1;
#ifndef OC_TASK_TERM_H
#define OC_TASK_TERM_H
#include "lib/base/status.h"

DM_BEGIN_C

// Where a term is evaluated.
typedef struct oc_term_place {
  int k;        // step
  double share; // of the step that has passed, 0..1: 0 or 1 of first order
  int n, nf;    // coordinates; forces
} oc_term_place;

typedef struct oc_term {
  const char *name; // for messages
  const void *self;
  // Add the value to *c; of order 1 and above the gradient to c_y [m], m = 2n + nf; of order 2 the
  // Hessian, all of it, to c_yy [m x m]. Returns DM_OK or a negative status (it has no value there).
  // No allocation.
  dm_status (*eval)(const void *self, const oc_term_place *at, int order, const double *y,
                    double *c, double *c_y, double *c_yy);
} oc_term;

// A path constraint: low <= c(q,v,u) <= high in every step, c as a term has it, at its left knot.
// It stands in a row of oc_task.paths; the transcription of first order makes rows of it
// (optim/rows/path_rows.h).
typedef struct oc_path_constraint {
  oc_term c;
  double low, high; // -INFINITY, INFINITY: none
} oc_path_constraint;

// The sum of all terms at y, and its derivatives to the order asked for. Where a term has no value
// the sum and its derivatives are NAN.
//   c_y [m], c_yy [m x m]  out, or NULL below their order
void oc_terms_eval(int count, const oc_term *terms, const oc_term_place *at, int order,
                   const double *y, double *c, double *c_y, double *c_yy);

DM_END_C
#endif
