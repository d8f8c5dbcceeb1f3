// problems/bodies.h: a tree written in YAML, under `model: {bodies: [...]}`.
#ifndef PB_BODIES_H
#define PB_BODIES_H
#include "problems/schema.h"
#include "problems/tree.h"

extern const pb_key pb_body_keys[]; // of one body

// Append the bodies of a list to a tree: parents first, each with its joints.
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_bodies_read(pb_tree *t, const pb_node *list);
#endif
