// problems/readers/model/mjcf_fluid.h: the fluid of MuJoCo's <option>, which dmoc does not have: air that
// hardly moves a robot is warned of, water is refused.
//
//   density     the mass of fluid in the box of a body's inertia, as a share of the body's mass
//   viscosity   the rate 3 pi d viscosity / m at which the body's speed decays, d the mean side of that box,
//               in the time sqrt(d/9.81) of its own fall
#ifndef PB_MODEL_MJCF_FLUID_H
#define PB_MODEL_MJCF_FLUID_H
#include "problems/readers/model/mjcf_parts.h"

// Returns DM_OK, with a warning where there is some fluid; DM_BAD_INPUT where one of both is above 1 % for
// some body that moves; DM_NO_MEMORY.
dm_status pb_mjcf_fluid(const pb_mjcf_parts *w);
#endif
