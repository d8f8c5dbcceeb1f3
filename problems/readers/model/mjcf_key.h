// problems/readers/model/mjcf_key.h: <keyframe> of MuJoCo's XML: states with a name.
#ifndef PB_MODEL_MJCF_KEY_H
#define PB_MODEL_MJCF_KEY_H
#include "problems/readers/model/mjcf_parts.h"

// Read all keyframes that have a name, t->key: qpos and qvel by the names of coordinates from outside; what
// they do not say is where the bodies stand as written, at rest. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with the line.
dm_status pb_mjcf_keys(pb_mjcf_parts *w);
#endif
