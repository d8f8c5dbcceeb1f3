// problems/readers/model/mjcf_settle.h: springdamper of joints: stiffness and damping by a time constant T and
// a damping ratio z, with the inertia J = 1/(M^-1)_ii of the joint where all bodies stand as written:
//
//   stiffness J / (T z)^2, damping 2 J / T
#ifndef PB_MODEL_MJCF_SETTLE_H
#define PB_MODEL_MJCF_SETTLE_H
#include "problems/readers/model/mjcf_parts.h"

// Give joints that say so their springs and dampers; before anything is coupled. Returns DM_OK, DM_NO_MEMORY,
// or DM_BAD_INPUT.
dm_status pb_mjcf_settle(pb_mjcf_parts *w);

// The spring of a joint of one axis, at rest at its springref.
dm_status pb_mjcf_joint_spring(pb_mjcf_parts *w, const pb_mjcf_joint *j, double stiffness);
#endif
