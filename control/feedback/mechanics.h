// control/feedback/mechanics.h: the mechanics of a tree as the on-board code computes them
// (control/onboard/tree.c, impulse.c, map.c): p = M(q) v, D1 and D2 of a step, and the step of the
// map, with the same bits in the library and on the robot.
//
//   p   of q and v                                      momenta by measured velocities
//   D2  of two positions a step apart, and the forces   momenta by positions
//   x1  of x and u                                      a filter's prediction
//
// The step takes a fixed number of rounds q1 <- q1 + S (p0 + D1(q0,q1,u)) from the linear
// prediction, with S = dq1/dp0 of the plan. Each round multiplies the error in q1 by about the
// deviation from the plan. If the rounds do not reduce the residual, the linear prediction stays.
//
// Source: [featherstone-2008], [marsden-west-2001] in docs/sources.md; docs/theory.md sections 19
// and 21.
#ifndef FB_FEEDBACK_MECHANICS_H
#define FB_FEEDBACK_MECHANICS_H
#include "control/feedback/estimator.h"
#include "lib/mechanics/system.h"
#include "lib/multibody/robot.h"

DM_BEGIN_C

typedef struct fb_mechanics fb_mechanics;
struct tree_tables;

// What a robot's mechanics are needed for: p of velocities, or also steps; those of a horizon, which knows
// ball joints in the midpoint rule (control/onboard/ball.c).
typedef enum fb_mechanics_of { FB_OF_VELOCITIES, FB_OF_STEPS, FB_OF_HORIZON } fb_mechanics_of;

// Make the mechanics of a robot's tree with joint springs and forces fixed to bodies, and of its system
// s, for steps of h [s]. Returns DM_OK; DM_NO_MEMORY; DM_UNAVAILABLE with a sentence that names the
// unsupported part: ball joints, if not for a horizon, constraints, damping that decays within a step; for steps also
// prescribed coordinates, other forces and springs, and rules with inner nodes. Else *out is NULL.
dm_status fb_mechanics_new(fb_mechanics **out, const dm_robot *r, const dm_system *s, double h,
                           fb_mechanics_of what, dm_message *msg);
void fb_mechanics_free(fb_mechanics *w); // NULL is accepted

// Whether they can be made, as above.
dm_status fb_mechanics_check(const dm_robot *r, const dm_system *s, fb_mechanics_of what,
                             dm_message *msg);

// Its tables (tree_tables of control/onboard/types.inc), borrowed.
const struct tree_tables *fb_mechanics_tables(const fb_mechanics *w);

// p [n] of q and v [n]; D1 and D2 [n] of a step from q0 to q1 [n] under u [nu]; the step from x
// [2n] under u, with A [2n x 2n] of the plan's step, where x1 [2n] holds the linear prediction. No
// allocation.
void fb_mechanics_momentum(fb_mechanics *w, const double *q, const double *v, double *p);
void fb_mechanics_impulses(fb_mechanics *w, const double *q0, const double *q1, const double *u,
                           double *D1, double *D2);
void fb_mechanics_step(fb_mechanics *w, const double *x, const double *u, const double *A,
                       double *x1);

// The step as a predictor of a filter.
fb_predictor fb_mechanics_predictor(fb_mechanics *w);

DM_END_C
#endif
