// problems/readers/model/bodies.h: read a tree written in YAML, `model: {bodies: [...]}`.
#ifndef PB_MODEL_BODIES_H
#define PB_MODEL_BODIES_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_body_keys[]; // keys of one body

// The file position of a node, recorded for the parts made from it.
pb_place pb_place_of(const pb_tree *t, const pb_node *node);

// Append the bodies of a list to a tree, which may already have some. Parents come first, each with
// its joints. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_bodies_read(pb_tree *t, const pb_node *list);

// The pose of a frame in another frame.
typedef struct pb_offset {
  double xyz[3], rpy[3]; // m; roll, pitch, yaw [rad]
} pb_offset;

extern const pb_key pb_offset_keys[], pb_inertia_keys[];

// Read the inertia of a body: [xx, yy, zz], or a section of moments and products; NULL: unchanged
// (0). Warns about an inertia that no body can have. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_inertia_read(pb_tree *t, const char *path, const pb_node *node, dm_body *body);

// Refuse a body name that is taken or is the world's.
dm_status pb_body_name_check(const pb_tree *t, const pb_node *node, const char *name);

// Find the body that a node names; *body: its index, -1: the world.
//   what   "a body", for the message;   world   whether the world is allowed
dm_status pb_body_find(const pb_tree *t, const char *path, const pb_node *node, const char *name,
                       const char *what, bool world, int *body);
#endif
