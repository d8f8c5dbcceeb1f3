// problems/readers/model/mjcf_fluid.h: the fluid of MuJoCo's <option>, which dmoc does not model.
// Air with little effect on the robot gives a warning; a robot in water can be inspected but not
// simulated.
//
//   density     the mass of fluid in the inertia box of a body, relative to the body's mass
//   viscosity   the decay rate 3 pi d viscosity / m of the body's speed, d the mean side of that
//               box, times the time sqrt(d/9.81) of its free fall
#ifndef PB_MODEL_MJCF_FLUID_H
#define PB_MODEL_MJCF_FLUID_H
#include "problems/readers/model/mjcf_parts.h"

// Compare both measures with 2 % for all moving bodies. Returns DM_OK, with a warning if there is a
// fluid; above 2 % DM_BAD_INPUT, or for a draft DM_OK with the reason in the tree's `unmodelled`;
// DM_NO_MEMORY.
dm_status pb_mjcf_fluid(const pb_mjcf_parts *w);
#endif
