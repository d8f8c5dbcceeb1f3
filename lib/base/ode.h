// lib/base/ode.h: y' = f(y) from one state to another, to a tolerance.
//
// Steps of one of two methods, each with an estimate of its own error, which sets their length:
//
//   explicit           Dormand and Prince's Runge-Kutta method of order 8, 12 evaluations of f; the
//                      error by formulas of order 5 and 3
//   linearly implicit  Euler's method, (1 - hJ/m) (y+ - y) = (h/m) f(y), in m = 1, 2, .. 8 parts,
//                      extrapolated to m = infinity; the error by the last two columns
//
// An integration begins with the explicit method, and with all of its length: motions are smooth
// within a controller's step. Where accuracy would let steps be longer than stability does
// (h |df/dy| > 2, at four steps in a row) it goes on with the other. J is by differences; it
// decides on how long steps can be, not on the order of the error.
//
// Source: [hairer-1993] II.5, II.10, [hairer-1996] IV.2, IV.9 in docs/sources.md.
#ifndef DM_BASE_ODE_H
#define DM_BASE_ODE_H
#include "lib/base/status.h"

typedef enum dm_ode_method { DM_ODE_EXPLICIT, DM_ODE_IMPLICIT } dm_ode_method;

// f(y) [n] into rate [n]; self is the caller's. A state for which it does not return DM_OK, or
// which has a rate that is not finite, is avoided by shorter steps.
typedef dm_status dm_ode_rate(void *self, const double *y, double *rate);

// A workspace; it belongs to one thread.
typedef struct dm_ode dm_ode;

// What an integration took.
typedef struct dm_ode_info {
  int steps, rejected, rates; // accepted; tried in vain; evaluations of f
  dm_ode_method method;       // at its end
} dm_ode_info;

// Make a workspace for states of n numbers.
//   tol  of a step's error, the root mean square over i of e_i / (s_i + |y_i|); >= 1e-13
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_ode_new(dm_ode **out, int n, double tol);
void dm_ode_free(dm_ode *w); // NULL is accepted

// The sizes s [n] > 0 of the states, each in its unit, in a workspace to be changed; 1 at first.
double *dm_ode_sizes(dm_ode *w);

// Take y [n] on by `time`, either way, beginning with a method.
//   info  what it took; NULL: not told
// Returns DM_OK; where no step is short enough, or 20000 are too few, what f returned where it failed
// on the way to the next one, DM_NOT_FINITE where a number was not finite, else DM_MAX_ITER. y changes on DM_OK alone.
// The numbers follow from what is given, not from what the workspace did before. Does not allocate.
// Cost: 12 evaluations of f an explicit step; n + 36 and 8 factorizations of n rows an implicit one.
dm_status dm_ode_integrate(dm_ode *w, dm_ode_rate *f, void *self, dm_ode_method first, double time,
                           double *y, dm_ode_info *info);

#endif
