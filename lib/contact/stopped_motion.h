// lib/contact/stopped_motion.h: the continuous equations under unilateral constraints g(q) >= 0
// with zero restitution, such as mechanical joint stops.
//
//   motion   M a + .. = f + G_C' lambda,   G_C a + D2g_C(v,v) = 0,   lambda >= 0       C is closed
//   impact   v+ = v + W G' r,   0 <= r,   G v+ >= 0, complementary           least kinetic energy
//
// with W = M^-1 projected on the holonomic constraints. An interval is split at its events:
//
//   1  contacts that approach take an impact (lib/contact/row_impulses.h)
//   2  C: of the contacts that do not separate, the rows whose lambda >= 0 keep G a + D2g(v,v) >= 0
//   3  integrate under C until another constraint is met, or one of C would pull; locate this event
//      by bisections and secants; a constraint that is met and left within the interval is detected
//      by a cubic interpolant of the gap that falls below zero
//   4  continue with 1
//
// It is independent of lib/contact/contact_integrator.h, except for the constraints.
//
// Source: paper 002, eq. 2; docs/theory.md section 24.
#ifndef DM_CONTACT_STOPPED_MOTION_H
#define DM_CONTACT_STOPPED_MOTION_H
#include "lib/mechanics/system.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

typedef struct dm_stopped_motion dm_stopped_motion;

// Create a workspace for a system and its constraints, both copied; their data must outlive it.
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE for kinematic coordinates, friction, or a nonzero
// restitution.
dm_status dm_stopped_motion_new(dm_stopped_motion **out, const dm_system *s,
                                const dm_unilateral *g);
void dm_stopped_motion_free(dm_stopped_motion *w); // accepts NULL

// y' = f(y) [2n] into rate; self is the argument of the caller (lib/base/ode.h).
typedef dm_status dm_motion_rate(void *self, const double *y, double *rate);

// Integrates y' = f(y), y = (q,v) [2n], over `time`. Returns DM_OK, or an error with y unchanged.
typedef dm_status (*dm_advance)(void *self, dm_motion_rate *f, void *of, double time, double *y);

// Integrate y = (q,v) [2n] over h [s] with inputs u [nu].
//   advance  integrates between events, called with self
// Returns DM_OK; the status of `advance` or of the system; DM_MAX_ITER after 200 events. y changes
// only on DM_OK. The result depends on the arguments only. Does not allocate. Cost: a
// call of advance, and about 30 for each event.
dm_status dm_stopped_motion_step(dm_stopped_motion *w, const double *u, double h, double *y,
                                 dm_advance advance, void *self);

// The number of impacts and closures of constraints in the last step, with repetitions.
int dm_stopped_motion_met(const dm_stopped_motion *w);

DM_END_C
#endif
