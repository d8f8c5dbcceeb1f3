// problems/readers/model/joint_forces.h: read the lists of forces in joints by joint names, for
// example `model: {friction: [...]}`. Keys and readers follow from lib/multibody/joint_force.h.
#ifndef PB_MODEL_JOINT_FORCES_H
#define PB_MODEL_JOINT_FORCES_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

// For each kind: the keys of an entry, pb_friction_keys, and a part reader (parts.h),
// pb_friction_read. Dry friction of the robot's file comes first; an entry for the same joint
// replaces it.
#define PB_DECLARE_JOINT(KIND, kind, ...)                                                          \
  extern const pb_key pb_##kind##_keys[];                                                          \
  dm_status pb_##kind##_read(const pb_part_source *from, dm_robot *out);
DM_JOINT_FORCES(PB_DECLARE_JOINT)
#undef PB_DECLARE_JOINT
#endif
