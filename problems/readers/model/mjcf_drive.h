// problems/readers/model/mjcf_drive.h: read <actuator> of MuJoCo's XML as inputs.
//
//   on a joint           a motor; several on one joint are summed
//   on a tendon          of one joint: a motor; of several: a force along it; of a path: its
//                        tension
//   at a site            a wrench in the site's frame
//   position, velocity   the input is the force, not the target
//   armature, damping    added to the driven part, times gear^2
#ifndef PB_MODEL_MJCF_DRIVE_H
#define PB_MODEL_MJCF_DRIVE_H
#include "problems/readers/model/mjcf_parts.h"

// Read all actuators: motors of the tree, whose ranges are summed per joint and whose larger end is
// the effort of the coordinate, and driven loads. Warns about servos, whose feedback laws are not
// part of the robot, and about elements that are not inputs. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with the line.
dm_status pb_mjcf_drive(pb_mjcf_parts *w);
#endif
