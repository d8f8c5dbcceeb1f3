// problems/readers/model/bodies.h: a tree written in YAML, under `model: {bodies: [...]}`.
#ifndef PB_MODEL_BODIES_H
#define PB_MODEL_BODIES_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_body_keys[]; // of one body

// The place of a node of the problem file, for what is made of it.
pb_place pb_place_of(const pb_tree *t, const pb_node *node);

// Append the bodies of a list to a tree, which may have some already: parents first, each with its
// joints. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_bodies_read(pb_tree *t, const pb_node *list);

// Where a frame stands in another one.
typedef struct pb_offset {
  double xyz[3], rpy[3]; // m; roll, pitch, yaw [rad]
} pb_offset;

extern const pb_key pb_offset_keys[], pb_inertia_keys[];

// The inertia of a body: [xx, yy, zz], or a section of moments and products; NULL: 0, as it was.
// Warns of one that no body can have. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_inertia_read(pb_tree *t, const char *path, const pb_node *node, dm_body *body);

// Refuse a body's name that is taken, or is that of the world.
dm_status pb_body_name_check(const pb_tree *t, const pb_node *node, const char *name);

// The index of the body a node names, -1: the world.
//   what   "a body", for the message;   world   whether the world is one of them
dm_status pb_body_find(const pb_tree *t, const char *path, const pb_node *node, const char *name,
                       const char *what, bool world, int *body);
#endif
