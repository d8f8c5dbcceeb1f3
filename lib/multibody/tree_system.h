// lib/multibody/tree_system.h: a tree as a system: what the rest of the library takes.
#ifndef DM_MULTIBODY_TREE_SYSTEM_H
#define DM_MULTIBODY_TREE_SYSTEM_H
#include "lib/mechanics/system.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The tree m under its own damping and inputs at joints, unconstrained, by the midpoint rule for
// both.
dm_system dm_system_of(const dm_model *m);

DM_END_C
#endif
