// problems/readers/model/friction.h: read `model: {friction: [...]}`, by joint names.
#ifndef PB_MODEL_FRICTION_H
#define PB_MODEL_FRICTION_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_friction_keys[]; // keys of one entry

// A part reader (parts.h): dry friction of the robot's file, then the list, which replaces that of the same joint, into
// out->frictions.
dm_status pb_friction_read(const pb_part_source *from, dm_robot *out);
#endif
