// problems/readers/model/keep_out.h: read `keep_out:`, the shapes of bodies and of the world, and
// the pairs of shapes that must stay apart.
#ifndef PB_MODEL_KEEP_OUT_H
#define PB_MODEL_KEEP_OUT_H
#include "lib/multibody/output.h"
#include "problems/readers/model/collision.h"

extern const pb_key pb_keep_out_keys[];

typedef struct pb_keep_out {
  int n, npairs;
  int nlisted;      // shapes of the section; the others come from <collision> of links
  pb_shape *shape;  // [n]
  int (*pair)[2];   // [npairs] the first is swept and on a moving body
  double clearance; // m
} pb_keep_out;

// Read the section (NULL: none) against a model, and the <collision> elements of its URDF (NULL:
// none) if the section asks for them. Arrays are in the arena. A shape on a moving body that is
// neither sphere nor capsule, such as a box, avoids only spheres and capsules; a warning reports
// the pairs that are left out.
dm_status pb_keep_out_read(pb_reader *r, const pb_node *node, const pb_source *urdf,
                           const dm_model *m, pb_keep_out *out);

// Find the shape that a node names.
dm_status pb_shape_find(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_keep_out *k, int *shape);

// Fill o with the clearance between two shapes. Returns false if neither is a sphere or a capsule.
bool pb_clearance_of(const pb_keep_out *k, int a, int b, dm_output *o);
#endif
