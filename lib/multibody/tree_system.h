// lib/multibody/tree_system.h: a tree as a dm_system.
#ifndef DM_MULTIBODY_TREE_SYSTEM_H
#define DM_MULTIBODY_TREE_SYSTEM_H
#include "lib/mechanics/system.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The unconstrained tree m with its damping and joint inputs; the midpoint rule for L and for
// forces.
dm_system dm_system_of(const dm_model *m);

DM_END_C
#endif
