// optim/interior/sensitivity.h: derivatives of a program's solution by the values of its fixed variables.
//
// The iterate (v, y, z) solves grad + J'y - z = 0, c = 0, z (v - low) = mu. For a change e of fixed variables it
// changes by
//
//   [ W + Sigma   J' ] [ dv ]      [ W_vx e ]
//   [     J       0  ] [ dy ]  = - [  J_x e ]
//
// with the columns W_vx and J_x of the fixed variables, and Sigma = z / (v - low), which makes active bounds
// equations. The objective changes by the derivative of the Lagrangian function, grad_x + J_x'y.
//
// Source: [fiacco-1983] in docs/sources.md.
#ifndef OC_INTERIOR_SENSITIVITY_H
#define OC_INTERIOR_SENSITIVITY_H
#include "optim/interior/interior.h"

DM_BEGIN_C

// Differentiate the solution `at` of the program of w, with its multipliers.
//   count, fixed  variables with x_min = x_max, by index
//   dx            out: [count x n] derivatives of x by each; 1 for itself, 0 for the other fixed ones
//   df            out: [count] derivatives of the objective
// Returns DM_OK; DM_SINGULAR if the solution is not isolated: its Newton matrix is singular or it is not a
// strict minimum; DM_NO_MEMORY; or the failure of the program. Cost: one evaluation of all derivatives, one
// factorization, and a solve per variable. Allocates only if ldl is needed.
dm_status oc_interior_sensitivity(oc_interior *w, const oc_point *at, int count, const int *fixed,
                                  double *dx, double *df);

// The derivative of a program by a parameter, at fixed x and multipliers, in the program's units; 0 of bounds that
// are infinite or of fixed variables.
typedef struct oc_program_slope {
  const double *dual;          // of f' + J'lambda                                     [n]
  const double *rows;          // of g                                                 [m]
  const double *x_min, *x_max; // of the bounds                                        [n]
  const double *g_min, *g_max; //                                                      [m]
} oc_program_slope;

// The same by a parameter: dx out [n]. With the bounds' derivatives, Sigma low' is added to the right-hand side.
dm_status oc_interior_slope(oc_interior *w, const oc_point *at, const oc_program_slope *by,
                            double *dx);

DM_END_C
#endif
