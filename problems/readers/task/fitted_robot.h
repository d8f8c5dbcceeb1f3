// problems/readers/task/fitted_robot.h: write a URDF or MJCF file with fitted numbers.
#ifndef PB_TASK_FITTED_ROBOT_H
#define PB_TASK_FITTED_ROBOT_H
#include "problems/readers/format/sources.h"
#include "problems/readers/task/identification.h"

#include <stdio.h>

// Write the robot's file of x with the numbers in which `fitted`, a robot with the same tree, differs:
// <inertial> of links (with everything fixed to them), damping and dry friction of joints, and in MJCF
// armature, with 17 digits. Comments at the top name numbers that the format or the file does not have.
//   folder  place of the files that it names, relative to the new file
//   lost    [nlost] texts of other fitted numbers, for these comments
// Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence: x has no robot's file, or this file
// includes others, or it scales masses, or it has bodies that are fixed to others (MJCF).
dm_status pb_fitted_robot_write(FILE *f, const pb_identification *x, const dm_robot *fitted,
                                const char *folder, int nlost, const char *const *lost,
                                dm_message *msg);

// The robot's file of x, or NULL.
const struct pb_source *pb_fitted_robot_file(const pb_identification *x);

// "fitted.urdf" or "fitted.xml"; NULL: x has no robot's file.
const char *pb_fitted_robot_name(const pb_identification *x);
#endif
