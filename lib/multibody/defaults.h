// lib/multibody/defaults.h: the parts of a tree as most are, to be changed where they differ.
//
//   dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
//   hinge.damping = 0.1;
#ifndef DM_MULTIBODY_DEFAULTS_H
#define DM_MULTIBODY_DEFAULTS_H
#include "lib/multibody/tree.h"

DM_BEGIN_C

// A turn about the unit vector (x,y,z), or a slide along it, that has no limits, no damping, and
// copies no other coordinate.
dm_coordinate dm_coordinate_turn(const char *name, double x, double y, double z);
dm_coordinate dm_coordinate_slide(const char *name, double x, double y, double z);

// A body in the world whose joint is the first coordinate, there at q = 0, without mass.
dm_body dm_body_default(const char *name);

// A force or torque on the first coordinate, without limits.
dm_input dm_input_default(const char *name);

DM_END_C
#endif
