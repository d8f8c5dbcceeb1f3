// problems/readers/model/mjcf_key.h: read <keyframe> of MuJoCo's XML: named states.
#ifndef PB_MODEL_MJCF_KEY_H
#define PB_MODEL_MJCF_KEY_H
#include "problems/readers/model/mjcf_parts.h"

// Read all named keyframes, t->key: qpos and qvel by the coordinate names seen from outside;
// missing values are the reference configuration at rest. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with the line.
dm_status pb_mjcf_keys(pb_mjcf_parts *w);
#endif
