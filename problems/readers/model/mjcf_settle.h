// problems/readers/model/mjcf_settle.h: springdamper of joints: stiffness and damping from a time
// constant T and a damping ratio z, with the inertia J = 1/(M^-1)_ii of the joint in the reference
// configuration:
//
//   stiffness J / (T z)^2, damping 2 J / T
#ifndef PB_MODEL_MJCF_SETTLE_H
#define PB_MODEL_MJCF_SETTLE_H
#include "problems/readers/model/mjcf_parts.h"

// Add the springs and dampers of joints with springdamper; call before joints are coupled. Returns
// DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT.
dm_status pb_mjcf_settle(pb_mjcf_parts *w);

// Add the spring of a single-axis joint with rest position springref.
dm_status pb_mjcf_joint_spring(pb_mjcf_parts *w, const pb_mjcf_joint *j, double stiffness);
#endif
