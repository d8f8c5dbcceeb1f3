// lib/multibody/defaults.h: parts of a tree with default values, to be changed as needed.
//
//   dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
//   hinge.damping = 0.1;
#ifndef DM_MULTIBODY_DEFAULTS_H
#define DM_MULTIBODY_DEFAULTS_H
#include "lib/multibody/tree.h"

DM_BEGIN_C

// A revolute joint about the unit vector (x,y,z), or a prismatic joint along it, without limits,
// without damping, and not a mimic joint.
dm_coordinate dm_coordinate_turn(const char *name, double x, double y, double z);
dm_coordinate dm_coordinate_slide(const char *name, double x, double y, double z);

// A massless body attached to the world by coordinate 0, at the origin for q = 0.
dm_body dm_body_default(const char *name);

// A force or torque on coordinate 0, without limits.
dm_input dm_input_default(const char *name);

DM_END_C
#endif
