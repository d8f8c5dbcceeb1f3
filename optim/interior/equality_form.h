// optim/interior/equality_form.h: a program with equations and bounds only, in scaled units, as
// used by the interior point method.
//
//   minimize F(v)   subject to   c(v) = G g(x) + E w - t = 0,   low <= v <= high,   v = (x, w)
//
// x are the free variables of the program. Each w appears in one row and has no curvature: the
// slack of an inequality (-1), and in the feasibility restoration the two parts p (-1), n (+1) of a
// row's violation. F is the scaled objective, or in the restoration
//
//   F = rho sum (p + n) + zeta/2 (x - ref)'D (x - ref)
//
// The scaling limits gradients to 100 at the initial point.
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
  int *free;          // program index of each x                            [n]
  int *row;           // row of each w                                      [nw]
  double *coef;       // coefficient of each w in its row                   [nw]
  double *cost;       // cost of each w in F                                [nw]
  double *low, *high; // [nv] INFINITY if unbounded
  double f_scale;     // scale of the objective
  double *scale;      // G [m]
  double *target;     // t [m]
  double *x;          // a point of the program, with the fixed variables       [nlp->n]
  double *full;       // scratch [max(nlp->n, m)]
  // restoration
  bool elastic;
  double zeta;
  double *ref, *weight; // [n] reference point, and D

  // A quadratic model in place of the program: F, grad, c at v, with fixed jac and hess
  bool frozen;
  double F_model;
  double *v_model, *grad_model;  // [nv]
  double *d_model, *slope_model; // scratch [nv]: v - v_model, grad + W d
  double *c_model;               // [m]

  oc_sparse_sum *jac, *hess; // last evaluation, by x only; shared by both programs
  double *seconds;           // time spent in callbacks is added to it
} oc_equality_form;

// Count the free variables and slacks of a program in f, and for the restoration p and n.
void oc_equality_form_count(oc_equality_form *f, const oc_nlp *nlp, bool elastic);
// Reserve memory for the counted sizes (lib/base/block.h: runs twice).
void oc_equality_form_lay_out(oc_equality_form *f, dm_block *b);
// Write bounds, rows and targets without scaling: G = 1, F = f.
void oc_equality_form_fill(oc_equality_form *f);
// Scale F and the rows so that no entry of a gradient at x exceeds 100; evaluates the Jacobian and
// the gradient there. Returns DM_OK or the failure of the program.
dm_status oc_equality_form_scale(oc_equality_form *f, const double *x);
// Restoration: copy scales and targets of the task's form.
void oc_equality_form_follow(oc_equality_form *f, const oc_equality_form *own);

// F and c at v; grad F [nv]; the Jacobian of G g in f->jac; the lower triangle of F'' + y'c'' by x
// in f->hess. Each returns DM_OK, DM_NOT_FINITE, or the failure of the program.
dm_status oc_equality_form_value(oc_equality_form *f, const double *v, double *F, double *c);
double oc_equality_form_elastic(const oc_equality_form *f, const double *v); // F of the restoration
dm_status oc_equality_form_gradient(oc_equality_form *f, const double *v, double *grad);
dm_status oc_equality_form_jacobian(oc_equality_form *f, const double *v);
dm_status oc_equality_form_hessian(oc_equality_form *f, const double *v, const double *y);

// Evaluate the quadratic model at v instead of the program, until `frozen` is false again: of F, grad, c at v, with
// the current Jacobian and Hessian.
void oc_equality_form_freeze(oc_equality_form *f, const double *v, double F, const double *grad,
                             const double *c);

// rows [m] += by J d, d [nv], and variables [nv] += by J'y, y [m]; only the latter; both including
// E.
void oc_equality_form_both(const oc_equality_form *f, double by, const double *d, const double *y,
                           double *rows, double *variables);
void oc_equality_form_transposed(const oc_equality_form *f, double by, const double *y,
                                 double *out);
#endif
