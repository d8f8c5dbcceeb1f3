// optim/task/term.h: user-defined terms of the running cost, in addition to the quadratic one
// (optim/rows/quadratic.h): a function c(y) of a step,
//
//   y = (q, v, u)      [2n + nf]: positions, velocities, forces
//
// A new term is one function in a row of oc_task.terms. The transcription, the descent and second order apply
// the chain rule to their unknowns. First order evaluates with v = (q_{k+1} - q_k)/h and u of the step, half
// at each knot's q; second order takes all three at the nodes within the step. Like the rest of the running
// cost, a term is multiplied by h, or summed without h if the task says so, then with q at the left knot.
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
  double share; // elapsed fraction of the step, 0..1; for first order 0 or 1
  int n, nf;    // coordinates; forces
} oc_term_place;

typedef struct oc_term {
  const char *name; // for messages
  const void *self;
  // Add the value to *c, from order 1 the gradient to c_y [m], m = 2n + nf, and for order 2 the full Hessian
  // to c_yy [m x m]. Returns DM_OK or a negative status if it has no value there. No allocation.
  dm_status (*eval)(const void *self, const oc_term_place *at, int order, const double *y,
                    double *c, double *c_y, double *c_yy);
} oc_term;

// A path constraint: low <= c(q,v,u) <= high in every step. c has the interface of a term and is evaluated at
// the left knot. Entries of oc_task.paths become rows of the first-order transcription
// (optim/rows/path_rows.h).
typedef struct oc_path_constraint {
  oc_term c;
  double low, high; // -INFINITY, INFINITY: absent
} oc_path_constraint;

// The sum of all terms at y, with derivatives up to the given order. If a term has no value, the sum and its
// derivatives are NAN.
//   c_y [m], c_yy [m x m]  out, or NULL below their order
void oc_terms_eval(int count, const oc_term *terms, const oc_term_place *at, int order,
                   const double *y, double *c, double *c_y, double *c_yy);

DM_END_C
#endif
