// problems/readers/model/urdf_rotors.h: read <transmission> of a URDF: rotors, with Drake's
// elements. A rotor with inertia J that rotates N times as fast as its joint is an armature N^2 J.
// (To model the other effects of its rotation together with its link, add a body with a mimic joint
// in model.bodies.)
#ifndef PB_MODEL_URDF_ROTORS_H
#define PB_MODEL_URDF_ROTORS_H
#include "problems/readers/model/linkage.h"
#include "problems/readers/model/tree_builder.h"

// Add the rotors of all transmissions to the existing joints of a tree. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_urdf_rotors(pb_xml *x, const pb_linkage *g, pb_tree *t);
#endif
