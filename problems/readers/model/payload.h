// problems/readers/model/payload.h: `model.payload`: what a robot carries rigidly, beside what its
// file says.
#ifndef PB_MODEL_PAYLOAD_H
#define PB_MODEL_PAYLOAD_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_payload_keys[]; // of one

// Append to a tree a body for each payload, fixed to the body or link that it names: one section,
// or a list of them; NULL: none. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT.
dm_status pb_payload_read(pb_tree *t, const pb_node *node);
#endif
