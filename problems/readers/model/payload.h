// problems/readers/model/payload.h: read `model.payload`, loads fixed rigidly to the robot, in
// addition to its file.
#ifndef PB_MODEL_PAYLOAD_H
#define PB_MODEL_PAYLOAD_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_payload_keys[]; // keys of one payload

// Append a body per payload to a tree, fixed to the body or link that it names: one section, or a
// list; NULL: none. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT.
dm_status pb_payload_read(pb_tree *t, const pb_node *node);
#endif
