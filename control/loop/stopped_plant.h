// control/loop/stopped_plant.h: plants whose joints have mechanical stops, g(q) >= 0: the stops
// push but do not pull, and impacts are perfectly inelastic.
//
// The discrete map uses lib/contact/contact_integrator.h, where an impact occurs at a knot; the
// continuous equations use lib/contact/stopped_motion.h, which finds the time of each impact. They
// share only the system and the stops.
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_STOPPED_PLANT_H
#define FB_LOOP_STOPPED_PLANT_H
#include "control/loop/plant.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

// Like fb_plant_discrete and fb_plant_continuous, with stops of restitution 0 and without friction;
// the data that the system and the stops point to must outlive the plant.
//   met  in and out: incremented for each step in which a stop was met or pushed; NULL: not counted
// Return the same status, and DM_UNAVAILABLE for kinematic coordinates and for other contacts.
dm_status fb_plant_discrete_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                    long *met);
dm_status fb_plant_continuous_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                      double tol, long *met);

DM_END_C
#endif
