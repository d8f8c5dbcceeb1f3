// control/loop/stopped_plant.h: plants whose joints meet mechanical stops, g(q) >= 0: the stops push
// and do not pull, and give nothing back of an impact.
//
// The discrete map steps by lib/contact/contact_integrator.h, which meets a stop at a knot; the
// continuous equations by lib/contact/stopped_motion.h, which finds the time of each impact. They
// share nothing but the system and the stops.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_STOPPED_PLANT_H
#define FB_LOOP_STOPPED_PLANT_H
#include "control/loop/plant.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

// As fb_plant_discrete and fb_plant_continuous, with stops of restitution 0 and without friction;
// what the system and the stops point at must outlive the plant.
//   met  counts the steps in which a stop was met or pushed, from what it is on; NULL: not counted
// Return as these do, and DM_UNAVAILABLE for kinematic coordinates and for other contacts.
dm_status fb_plant_discrete_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                    long *met);
dm_status fb_plant_continuous_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                      double tol, long *met);

DM_END_C
#endif
