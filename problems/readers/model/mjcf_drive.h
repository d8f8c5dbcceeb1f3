// problems/readers/model/mjcf_drive.h: <actuator> of MuJoCo's XML as inputs.
//
//   on a joint           a motor; several on one joint sum
//   on a tendon          of one joint a motor; of several a force along it; of a path its tension
//   at a site            a wrench in the site's frame
//   position, velocity   their force is the input, not their target
//   armature, damping    of what it turns, times gear^2
#ifndef PB_MODEL_MJCF_DRIVE_H
#define PB_MODEL_MJCF_DRIVE_H
#include "problems/readers/model/mjcf_parts.h"

// Read all actuators: motors of the tree, whose ranges are summed by joint and whose larger end is the
// effort of a coordinate, and driven loads. Warns of servos, whose laws are not the robot's, and of what is
// no input. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_drive(pb_mjcf_parts *w);
#endif
