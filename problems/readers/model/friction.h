// problems/readers/model/friction.h: `model: {friction: [...]}`, by names.
#ifndef PB_MODEL_FRICTION_H
#define PB_MODEL_FRICTION_H
#include "lib/multibody/joint_friction.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_friction_keys[]; // of one of them

// Compile a list; NULL: none, *out NULL. To be freed by dm_frictions_free. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_friction_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                           dm_frictions **out);
#endif
