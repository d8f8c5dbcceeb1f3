// optim/program/residual.h: what the optimum of a task costs on a finer grid, to second order,
// without solving there: dual-weighted residuals.
//
// At the solution of the finer program the gradient of its Lagrangian function vanishes,
//
//   L(x,lambda) = f(x) + lambda.g(x) + [multipliers].[limits passed]
//
// so at a point that differs from the solution by O(h^2), L differs from the optimal cost by O(h^4).
// That point is interpolated from the coarse solution and its multipliers. What L adds to f is each
// fine step's defect in the equations of motion times its multiplier, the error of the quadrature of
// the cost (in f), and what the motion passes limits by between the coarse knots, times theirs.
//
// Equalities: lambda of the equations of motion through the costates that price the forces of coarse
// steps, of others between its values. Limits: the multiplier of a coarse knot
// or step counts where the motion passes the limit most within half a step of it. Forces are held over
// coarse steps, and the optimum's are not: each fine one takes the value within its bounds that the
// quadratic model of L along it has the least at; a force that jumps within a coarse step then jumps
// within a fine one.
//
// The multipliers of limits on speeds make lambda jump. Where it jumps within a step is not known, and
// the second estimate shows what that matters: lambda on lines, limits by their mean over the step.
//
// Source: [becker-rannacher-2001] in docs/sources.md; docs/theory.md section 6.
#ifndef OC_PROGRAM_RESIDUAL_H
#define OC_PROGRAM_RESIDUAL_H
#include "optim/rows/layout.h"

DM_BEGIN_C

// Objectives of the finer program, estimated (with the tie-break of oc_transcription_tie, as the
// program has it).
typedef struct oc_residual {
  double objective;
  double other;  // by the second estimate
  double forces; // of `objective`, what the forces contribute that leave their coarse values
} oc_residual;

// Add the estimate of one program to `out`.
//   a, from  the solved program and its solution with multipliers
//   b        the same task on a grid of a whole number of times as many steps; its price of a ratio
//            (optim/rows/ratio.h) becomes that of a
// Returns DM_OK; DM_NO_MEMORY, or what the evaluation of b returns, `out` untouched. Cost: b's
// functions, Jacobian and Hessian once.
dm_status oc_residual_add(oc_residual *out, const oc_transcription *a, const oc_point *from,
                          oc_transcription *b);

// What the limits of a solution leave of its objective: the sum of multipliers times distances to the
// limits, 0 of an exact solution.
double oc_residual_complementarity(const oc_nlp *nlp, const oc_point *at, const double *g);

DM_END_C
#endif
