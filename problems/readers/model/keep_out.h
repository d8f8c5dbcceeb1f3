// problems/readers/model/keep_out.h: `keep_out:`, shapes that bodies and the world have, and which of
// them stay apart.
#ifndef PB_MODEL_KEEP_OUT_H
#define PB_MODEL_KEEP_OUT_H
#include "lib/multibody/output.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_keep_out_keys[];

// A shape of a file, in the frame of its body.
typedef struct pb_shape {
  const char *name;
  int body; // in dm_tree.body; -1: the world
  dm_shape shape;
  dm_pose frame;
  bool swept;              // a sphere or a capsule, which may stay out of others
  double point[3], end[3]; // of those: the centre, or both ends of the axis  [m]
} pb_shape;

typedef struct pb_keep_out {
  int n, npairs;
  pb_shape *shape;  // [n]
  int (*pair)[2];   // [npairs] the first is swept, on a body that moves
  double clearance; // m
} pb_keep_out;

// Read the section (NULL: nothing) against a model. Arrays are the arena's. A box, say, of a body
// that moves stays out of spheres and capsules alone: where there are others, a warning says so.
dm_status pb_keep_out_read(pb_reader *r, const pb_node *node, const dm_model *m, pb_keep_out *out);

// The shape that a node names.
dm_status pb_shape_find(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_keep_out *k, int *shape);

// Fill o with the clearance of two shapes. Returns false where neither is a sphere or a capsule.
bool pb_clearance_of(const pb_keep_out *k, int a, int b, dm_output *o);
#endif
