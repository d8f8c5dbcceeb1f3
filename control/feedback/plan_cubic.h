// control/feedback/plan_cubic.h: a plan between two knots, a step h apart.
//
//   q(s) = q0 + s d + s (1-s) ((1-s) (h v0 - d) + s (d - h v1)),   d = q1 - q0,   s in [0,1]
//
// It is the cubic that has the places and the speeds of both knots. Source: docs/theory.md
// section 19.
#ifndef FB_FEEDBACK_PLAN_CUBIC_H
#define FB_FEEDBACK_PLAN_CUBIC_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// q [n] at the share s of the step, and v [n] its rate, from q0, v0 and q1, v1 [n] at either side.
void fb_plan_cubic(int n, double h, double s, const double *q0, const double *v0, const double *q1,
                   const double *v1, double *q, double *v);

DM_END_C
#endif
