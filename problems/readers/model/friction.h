// problems/readers/model/friction.h: read `model: {friction: [...]}`, by joint names.
#ifndef PB_MODEL_FRICTION_H
#define PB_MODEL_FRICTION_H
#include "lib/multibody/joint_friction.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_friction_keys[]; // keys of one entry

// Compile a list; NULL: none, *out is NULL. Free with dm_frictions_free. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_friction_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                           dm_frictions **out);
#endif
