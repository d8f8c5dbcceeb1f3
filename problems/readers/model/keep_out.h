// problems/readers/model/keep_out.h: `keep_out:`, shapes that bodies and the world have, and which of
// them stay apart.
#ifndef PB_MODEL_KEEP_OUT_H
#define PB_MODEL_KEEP_OUT_H
#include "lib/multibody/output.h"
#include "problems/readers/model/collision.h"

extern const pb_key pb_keep_out_keys[];

typedef struct pb_keep_out {
  int n, npairs;
  int nlisted;      // those of the section; the others are of links, by <collision>
  pb_shape *shape;  // [n]
  int (*pair)[2];   // [npairs] the first is swept, on a body that moves
  double clearance; // m
} pb_keep_out;

// Read the section (NULL: nothing) against a model, and the <collision> of links in its URDF (NULL:
// it has none) where the section asks for it. Arrays are the arena's. A box, say, of a body that moves
// stays out of spheres and capsules alone: where there are others, a warning says so.
dm_status pb_keep_out_read(pb_reader *r, const pb_node *node, const pb_source *urdf,
                           const dm_model *m, pb_keep_out *out);

// The shape that a node names.
dm_status pb_shape_find(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_keep_out *k, int *shape);

// Fill o with the clearance of two shapes. Returns false where neither is a sphere or a capsule.
bool pb_clearance_of(const pb_keep_out *k, int a, int b, dm_output *o);
#endif
