// lib/base/ode.h: integrates y' = f(y) over an interval to a tolerance.
//
// Two methods with adaptive steps, each with its own error estimate:
//
//   explicit           Runge-Kutta method of order 8 by Dormand and Prince, 12 evaluations of f;
//                      error estimate from embedded formulas of order 5 and 3
//   linearly implicit  Euler's method, (1 - hJ/m) (y+ - y) = (h/m) f(y), in m = 1, 2, .. 8
//   substeps, extrapolated to m = infinity; error estimate from the last two columns
//
// An integration starts with the explicit method and a step over the whole interval, since motions
// are smooth within a controller's step. If stability rather than accuracy limits the steps (h
// |df/dy| > 2 in four consecutive steps), it switches to the implicit method. J is computed by
// differences; its accuracy affects the length of steps, not the order of the error.
//
// Source: [hairer-1993] II.5, II.10, [hairer-1996] IV.2, IV.9 in docs/sources.md.
#ifndef DM_BASE_ODE_H
#define DM_BASE_ODE_H
#include "lib/base/status.h"

typedef enum dm_ode_method { DM_ODE_EXPLICIT, DM_ODE_IMPLICIT } dm_ode_method;

// f(y) [n] into rate [n]; self is the caller's data. If f does not return DM_OK or a rate is not
// finite, the step is shortened.
typedef dm_status dm_ode_rate(void *self, const double *y, double *rate);

// A workspace; it belongs to one thread.
typedef struct dm_ode dm_ode;

// Statistics of an integration.
typedef struct dm_ode_info {
  int steps, rejected, rates; // accepted steps; rejected steps; evaluations of f
  dm_ode_method method;       // final method
} dm_ode_info;

// Create a workspace for n states.
//   tol  of the error of a step, root mean square over i of e_i / (s_i + |y_i|); >= 1e-13
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_ode_new(dm_ode **out, int n, double tol);
void dm_ode_free(dm_ode *w); // accepts NULL

// The scales s [n] > 0 of the states, in their units, for the caller to change; initially 1.
double *dm_ode_sizes(dm_ode *w);

// Integrate y [n] over `time`, positive or negative, starting with method `first`.
//   info  statistics; may be NULL
// Returns DM_OK. If no step is short enough, or 20000 steps do not suffice: the status of f if it
// failed since the last accepted step, DM_NOT_FINITE if a number was not finite, else DM_MAX_ITER.
// y changes on DM_OK only. The result does not depend on previous calls. Does not allocate. Cost:
// 12 evaluations of f per explicit step; n + 36, and 8 factorizations of size n, per implicit step.
dm_status dm_ode_integrate(dm_ode *w, dm_ode_rate *f, void *self, dm_ode_method first, double time,
                           double *y, dm_ode_info *info);

#endif
