// optim/program/residual.h: estimate the optimal cost of a task on a finer grid, to second order, without
// solving there: dual-weighted residuals.
//
// At the solution of the finer program the gradient of its Lagrangian function vanishes,
//
//   L(x,lambda) = f(x) + lambda.g(x) + [multipliers].[excess over limits]
//
// so at a point that differs from the solution by O(h^2), L differs from the optimal cost by O(h^4). This
// point is interpolated from the coarse solution and its multipliers. L adds to f: each fine step's defect in
// the equations of motion times its multiplier, the quadrature error of the cost (in f), and the excess over
// limits between the coarse knots times their multipliers.
//
// Equalities: lambda of the equations of motion comes from the costates that price the forces of coarse
// steps; other lambda are interpolated. Limits: the multiplier of a coarse knot or step is applied where the
// motion exceeds the limit most within half a step of it. The coarse forces are constant over coarse steps,
// but the optimal forces are not: each fine force moves to the minimum, within its bounds, of the quadratic
// model of L. A force that jumps within a coarse step then jumps within a fine one.
//
// The multipliers of limits on speeds make lambda jump, and the time of the jump within a step is not known.
// The second estimate shows the effect: lambda piecewise linear, limits by their mean over the step.
//
// Source: [becker-rannacher-2001] in docs/sources.md; docs/theory.md section 6.
#ifndef OC_PROGRAM_RESIDUAL_H
#define OC_PROGRAM_RESIDUAL_H
#include "optim/rows/layout.h"

DM_BEGIN_C

// Estimated objectives of the finer program (including the tie-break of oc_transcription_tie, like the
// program).
typedef struct oc_residual {
  double objective;
  double other;  // from the second estimate
  double forces; // the part of `objective` from forces that leave their coarse values
} oc_residual;

// Add the estimate of one program to `out`.
//   a, from  the solved program and its solution with multipliers
//   b        the same task with an integer multiple of the number of steps; its price of a ratio
//            (optim/rows/ratio.h) is set to that of a
// Returns DM_OK; or, with `out` unchanged, DM_NO_MEMORY or the status of the evaluation of b. Cost: one
// evaluation of b's functions, Jacobian and Hessian.
dm_status oc_residual_add(oc_residual *out, const oc_transcription *a, const oc_point *from,
                          oc_transcription *b);

// The complementarity gap of a solution: the sum of multipliers times distances to the limits, 0 for an exact
// solution.
double oc_residual_complementarity(const oc_nlp *nlp, const oc_point *at, const double *g);

DM_END_C
#endif
