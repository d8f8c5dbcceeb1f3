// control/feedback/plan.h: a plan between its knots, a step h apart, as the C of a law has it.
//
//   q(s) = q0 + s d + s (1-s) ((1-s) (h v0 - d) + s (d - h v1)),   d = q1 - q0,   s in [0,1]
//
// It is the cubic that has the places and the speeds of both knots; momenta and inputs are on the
// line. All is in the order of operations of the text (control/codegen/controller.h), so that both
// give the same bits. Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_PLAN_H
#define FB_FEEDBACK_PLAN_H
#include "control/feedback/tvlqr.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

// The last of the knots 0 .. N, h apart, at or before the time t [s], and the share of the step after
// it that is left, in [0,1): 0 where it is rounding. Before the start it is knot 0, after the end N.
int fb_plan_knot(int N, double h, double t, double *share);

// q [n] at the share s of the step, and v [n] its rate, from q0, v0 and q1, v1 [n] at either side.
void fb_plan_cubic(int n, double h, double s, const double *q0, const double *v0, const double *q1,
                   const double *v1, double *q, double *v);

// x [len] at the share s of the line from row k of a table [rows x len] to the next; from the last
// row on it is that.
void fb_plan_line(const double *table, int rows, size_t len, int k, double s, double *x);

// The speeds v [(N+1) x n] of the plan f of the system s at its knots, by its momenta, on the
// constraints. Returns DM_OK, DM_NO_MEMORY, or why there is none at *knot. Allocates scratch.
dm_status fb_plan_speeds(const fb_tvlqr *f, const dm_system *s, double *v, int *knot);

// x [2n] = (q,p) of the plan f at the time t [s], its speeds v [(N+1) x n] given; rate [n] is scratch.
void fb_plan_state(const fb_tvlqr *f, const double *v, double t, double *x, double *rate);

// Where the continuous motion that is at q with v [n] was a step h before, under u, as a robot's encoders
// see it: by Runge and Kutta's rule of order 4 in eighths of the step, into before [n]; scratch
// [12 n]. Returns DM_OK, or why there is no acceleration. No allocation.
dm_status fb_plan_before(dm_continuous *m, int n, double h, const double *q, const double *v,
                         const double *u, double *scratch, double *before);

DM_END_C
#endif
