// control/loop/stopped_plant.h: plants whose joints have mechanical stops or dry friction, or a machine with
// contacts, g(q) >= 0: they push but do not pull, and impacts are perfectly inelastic.
//
// The discrete map uses lib/contact/contact_integrator.h, where an impact occurs at a knot; the
// continuous equations use lib/contact/stopped_motion.h, which finds the time of each impact. They
// share only the system and the stops. Contacts, which may have friction, are the former in short
// steps, which share only the system and the gaps with the map of plans through contact.
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

// The plant of a machine with contacts g and the laws s->contacts of the same contacts: each step is `parts` >= 1
// steps of the contact integrator. A motion that begins inside an obstacle begins at the nearest configuration
// outside (control/loop/contact_start.h). Returns as above.
dm_status fb_plant_contacts(fb_plant *out, const dm_system *s, const dm_unilateral *g, int parts);

// The same with one step of the integrator in a step, above ground of the height [ng] under each contact, which is
// borrowed and may be changed between steps. A start that is inside the ground is not moved. Returns as above.
dm_status fb_plant_feet(fb_plant *out, const dm_system *s, const dm_unilateral *g,
                        const double *height);

// The plant of a machine whose dry friction sticks, by the laws s->contacts of its joints: each step is `parts` >= 1
// knot steps (lib/contact/knot_step.h). Returns as above.
dm_status fb_plant_sticking(fb_plant *out, const dm_system *s, int parts);

DM_END_C
#endif
