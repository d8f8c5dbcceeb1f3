// problems/readers/model/urdf_rotors.h: <transmission> of a URDF: rotors, as Drake has them: the inertia J of a
// rotor that turns N times as fast as its joint is an armature N^2 J. (What the rotor turns besides, with
// its link, is a body with a joint that mimics: model.bodies.)
#ifndef PB_MODEL_URDF_ROTORS_H
#define PB_MODEL_URDF_ROTORS_H
#include "problems/readers/model/linkage.h"
#include "problems/readers/model/tree_builder.h"

// Add the rotors of all transmissions to the joints of a tree, which are there. Returns DM_OK, DM_NO_MEMORY,
// or DM_BAD_INPUT with the line.
dm_status pb_urdf_rotors(pb_xml *x, const pb_linkage *g, pb_tree *t);
#endif
