// optim/interior/equality_form.h: a program with equations and bounds alone, as the interior point
// method sees it, in scaled units.
//
//   minimize F(v)   subject to   c(v) = G g(x) + E w - t = 0,   low <= v <= high,   v = (x, w)
//
// x are the program's variables that are not fixed. Each w has one row and no curvature: the slack
// of an inequality (-1), and in the feasibility restoration the two parts p (-1), n (+1) of a row's
// violation. F is the scaled objective; in the restoration instead
//
//   F = rho sum (p + n) + zeta/2 (x - ref)'D (x - ref)
//
// Scales are those of a gradient of at most 100 at the point where the solve began.
//
// Source: [waechter-biegler-2006], sections 3.3 and 3.8, in docs/sources.md.
#ifndef OC_INTERIOR_EQUALITY_FORM_H
#define OC_INTERIOR_EQUALITY_FORM_H
#include "optim/interior/sparse_sum.h"
#include "optim/nlp/nlp.h"

#include <stdbool.h>

typedef struct oc_equality_form {
  const oc_nlp *nlp;
  int n, ns, nw, m;   // free variables; slacks; all w: slacks, then p and n; rows
  int nv;             // n + nw
  int *free;          // the program's index of each x                   [n]
  int *row;           // of each w                                       [nw]
  double *coef;       // of each w in its row                            [nw]
  double *cost;       // of each w in F                                  [nw]
  double *low, *high; // [nv] INFINITY where there is none
  double f_scale;     // of the objective
  double *scale;      // G [m]
  double *target;     // t [m]
  double *x;          // a point of the program; what is fixed stands there [nlp->n]
  double *full;       // scratch [max(nlp->n, m)]
  // of the restoration
  bool elastic;
  double zeta;
  double *ref, *weight; // [n] the point to stay near, and D

  oc_sparse_sum *jac, *hess; // of the last evaluation, by x alone; shared by both programs
  double *seconds;           // time spent in callbacks is added to it
} oc_equality_form;

// Count the free variables and slacks of a program into f, and for the restoration p and n.
void oc_equality_form_count(oc_equality_form *f, const oc_nlp *nlp, bool elastic);
// Take room for what was counted (lib/base/block.h: runs twice).
void oc_equality_form_lay_out(oc_equality_form *f, dm_block *b);
// Write bounds, rows and targets of unscaled rows: G = 1, F = f.
void oc_equality_form_fill(oc_equality_form *f);
// Scale F and the rows so that no gradient's entry at x is above 100; the Jacobian and the gradient
// are evaluated there. Returns DM_OK or the program's failure.
dm_status oc_equality_form_scale(oc_equality_form *f, const double *x);
// Restoration: take scales and targets of the task's own form.
void oc_equality_form_follow(oc_equality_form *f, const oc_equality_form *own);

// F and c at v; grad F [nv]; the Jacobian of G g to f->jac; the lower triangle of F'' + y'c'' by x to
// f->hess. Each returns DM_OK, DM_NOT_FINITE, or the program's failure.
dm_status oc_equality_form_value(oc_equality_form *f, const double *v, double *F, double *c);
double oc_equality_form_elastic(const oc_equality_form *f, const double *v); // the restoration's F
dm_status oc_equality_form_gradient(oc_equality_form *f, const double *v, double *grad);
dm_status oc_equality_form_jacobian(oc_equality_form *f, const double *v);
dm_status oc_equality_form_hessian(oc_equality_form *f, const double *v, const double *y);

// rows [m] += by J d, d [nv], and variables [nv] += by J'y, y [m]; the latter alone; with E.
void oc_equality_form_both(const oc_equality_form *f, double by, const double *d, const double *y,
                           double *rows, double *variables);
void oc_equality_form_transposed(const oc_equality_form *f, double by, const double *y,
                                 double *out);
#endif
