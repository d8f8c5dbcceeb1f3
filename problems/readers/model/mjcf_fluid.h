// problems/readers/model/mjcf_fluid.h: the fluid of MuJoCo's <option>, which dmoc does not model. Air that
// hardly acts on a robot gives a warning; a robot in water can be looked at, and not simulated.
//
//   density     the mass of fluid in the box of a body's inertia, as a share of the body's mass
//   viscosity   the rate 3 pi d viscosity / m at which the body's speed decays, d the mean side of that box,
//               in the time sqrt(d/9.81) of its own fall
#ifndef PB_MODEL_MJCF_FLUID_H
#define PB_MODEL_MJCF_FLUID_H
#include "problems/readers/model/mjcf_parts.h"

// Compare both shares with 2 % for all bodies that move. Returns DM_OK, with a warning if there is a fluid;
// above 2 % DM_BAD_INPUT, or the reason in tree's `unmodelled` for a draft; DM_NO_MEMORY.
dm_status pb_mjcf_fluid(const pb_mjcf_parts *w);
#endif
