// optim/interior/quadratic_step.h: one step of sequential quadratic programming, for starts near a solution: the
// barrier method on the program's model at an iterate v0 with multipliers y0,
//
//   minimize g'd + d'W d/2   subject to   c(v0) + J d = 0,   low <= v0 + d <= high
//
// with W the Hessian of the Lagrangian function, whose values and those of J stay fixed. Bounds may become active
// or inactive without further evaluations of the program. From a solution's multipliers the barrier parameter is
// first that of the solution; if a bound stops its first step, the method restarts with a larger one.
//
// Source: [nocedal-wright-2006], chapter 18, in docs/sources.md.
#ifndef OC_INTERIOR_QUADRATIC_STEP_H
#define OC_INTERIOR_QUADRATIC_STEP_H
#include "optim/interior/phase.h"

// Move v, y, z of the iterate to the solution of the model there, after oc_barrier_evaluate. Returns
// OC_PHASE_SOLVED; OC_PHASE_STOPPED after the deadline; or the reason why the model is not solved, with the iterate
// anywhere. Then oc_barrier.known is false. Cost: a Hessian, and a factorization for each of its steps.
oc_phase_end oc_quadratic_solve(oc_phase *p);
#endif
