// control/feedback/plan.h: interpolation of a plan between knots, a step h apart, as in a law's C
// code.
//
//   q(s) = q0 + s d + s (1-s) ((1-s) (h v0 - d) + s (d - h v1)),   d = q1 - q0,   s in [0,1]
//
// This cubic has the positions and the velocities of both knots (control/onboard/plan.c); momenta
// and inputs are interpolated linearly. Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_PLAN_H
#define FB_FEEDBACK_PLAN_H
#include "control/feedback/tvlqr.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

// Compute the speeds v [(N+1) x n] of the plan f of the system s at its knots, from its momenta, on
// the constraints. Returns DM_OK, DM_NO_MEMORY, or the reason why there is no velocity at *knot.
// Allocates scratch.
dm_status fb_plan_speeds(const fb_tvlqr *f, const dm_system *s, double *v, int *knot);

// Compute x [2n] = (q,p) of the plan f at time t [s], from its speeds v [(N+1) x n]; rate [n] is
// scratch.
void fb_plan_state(const fb_tvlqr *f, const double *v, double t, double *x, double *rate);

// Find where the continuous motion through q with v [n] was a step h before, under u, as encoders
// measure it: the fourth-order Runge-Kutta method in eighths of the step, into before [n]; scratch
// [12 n]. Returns DM_OK, or the reason why there is no acceleration. No allocation.
dm_status fb_plan_before(dm_continuous *m, int n, double h, const double *q, const double *v,
                         const double *u, double *scratch, double *before);

DM_END_C
#endif
