// problems/readers/model/drives.h: read `model.drives`: a motor with its gear, rotor and spring on a joint.
//
//   gear, rotor     M_jj += gear^2 rotor
//   reaction        a body on the joint's parent that rotates gear times as fast as the joint: its
//                   energy is rotor/2 (w + gear q')^2, with w of the parent about the motor's axis
//   stiffness       a coordinate JOINT.motor with the rotor's inertia and the input, and the torque
//                   stiffness (JOINT.motor - JOINT) on the joint
//   torque .. rate  limits of the input (lib/multibody/drive_limits.h)
//
// Source: docs/theory.md section 35; [spong-1987].
#ifndef PB_MODEL_DRIVES_H
#define PB_MODEL_DRIVES_H
#include "lib/multibody/drive_limits.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_drive_keys[]; // of one entry

// Add the drives of a list (NULL: none) to a tree, whose bodies and locks are known: inertia,
// bodies, coordinates, springs and dampers; and the efforts of the joints. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT at the entry that is refused.
dm_status pb_drives_read(pb_tree *t, const pb_node *list);

// Refuse inputs on joints that a drive moves through a spring.
dm_status pb_drives_check_input(const pb_tree *t, const pb_node *joint, int coord);

struct pb_robot;

// The limits of the drives of a tree by input of the robot's model, in the robot's memory, and its fastest
// series spring.
dm_status pb_drives_keep(const pb_tree *t, struct pb_robot *robot);

// Replace the rates [r->nu] that a file does not give, NAN or all of them (NULL), by those of the motors;
// `commands`: not of motors with a lag, whose commands may jump. It stays NULL without limits.
dm_status pb_drives_rates(const pb_reader *r, const dm_drive_limits *d, bool commands,
                          const double **rate);

// Refuse steps of length h [s] that do not resolve the fastest series spring; node: where the file
// sets the steps.
dm_status pb_drives_check_step(const pb_reader *r, const pb_node *node,
                               const struct pb_robot *robot, double h);
#endif
