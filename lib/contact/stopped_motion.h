// lib/contact/stopped_motion.h: the continuous equations under unilateral constraints g(q) >= 0 that
// give nothing back, such as the mechanical stops of joints.
//
//   motion   M a + .. = f + G_C' lambda,   G_C a + D2g_C(v,v) = 0,   lambda >= 0       C is closed
//   impact   v+ = v + W G' r,   0 <= r,   G v+ >= 0, complementary           least kinetic energy
//
// with W = M^-1 less what holonomic constraints take up. An interval is cut at its events:
//
//   1  what touches and approaches takes an impact (lib/base/nnls.h)
//   2  C: of what touches and does not leave, the rows whose lambda >= 0 keep G a + D2g(v,v) >= 0
//   3  go on under C until another constraint is met, or one of C would pull: the time of that event
//      by halvings and secants; one that is met and left within the interval is looked for where a
//      cubic of the gap falls below zero
//   4  from there go on with 1
//
// It shares nothing with the steps of lib/contact/contact_integrator.h but the constraints.
//
// Source: paper 002, eq. 2; docs/theory.md section 24.
#ifndef DM_CONTACT_STOPPED_MOTION_H
#define DM_CONTACT_STOPPED_MOTION_H
#include "lib/mechanics/system.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

typedef struct dm_stopped_motion dm_stopped_motion;

// Make a workspace for a system and its constraints, both copied; what they point at must outlive
// it. Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE for kinematic coordinates, friction, or a
// restitution that is not 0.
dm_status dm_stopped_motion_new(dm_stopped_motion **out, const dm_system *s,
                                const dm_unilateral *g);
void dm_stopped_motion_free(dm_stopped_motion *w); // NULL is accepted

// y' = f(y) [2n] into rate; self is the caller's (lib/base/ode.h).
typedef dm_status dm_motion_rate(void *self, const double *y, double *rate);

// How y' = f(y) is taken on by `time`, y = (q,v) [2n]: DM_OK, or why not, with y as it was.
typedef dm_status (*dm_advance)(void *self, dm_motion_rate *f, void *of, double time, double *y);

// Take y = (q,v) [2n] on by h [s] under inputs u [nu].
//   advance  takes on what lies between events, called with self
// Returns DM_OK; what `advance` or the system returned; DM_MAX_ITER where 200 events are too few. y
// changes on DM_OK alone. The result follows from what is given alone. Does not allocate. Cost: a
// call of advance, and some 30 for each event.
dm_status dm_stopped_motion_step(dm_stopped_motion *w, const double *u, double h, double *y,
                                 dm_advance advance, void *self);

// How many constraints took an impact or were closed in the last step, each as often as it did.
int dm_stopped_motion_met(const dm_stopped_motion *w);

DM_END_C
#endif
