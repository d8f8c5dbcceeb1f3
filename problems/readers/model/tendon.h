// problems/readers/model/tendon.h: what springs, dampers and cables act along: a coordinate or the
// length of a path (lib/multibody/tendon.h), by names.
//
//   joint: COORDINATE                     s = q_i                              m or rad
//   bodies: [a, b], points: [x0, x1]      s = |x1 - x0|                        m
//   path: [{body, point}, ...]            s = sum_k |x_k+1 - x_k|              m
#ifndef PB_MODEL_TENDON_H
#define PB_MODEL_TENDON_H
#include "lib/multibody/tendon.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_path_keys[]; // of one point of a path

// The rows of a table for a section with the members joint, bodies, points, path.
#define PB_TENDON_KEYS(section)                                                                    \
  PB_KEY(section, joint, .type = PB_TEXT),                                                         \
      PB_KEY(section, bodies, .type = PB_NODE, .words = "[body, body]"),                           \
      PB_KEY(section, points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",         \
             .words = "[[x, y, z], [x, y, z]]"),                                                   \
      PB_KEY(section, path, .type = PB_LIST, .sub = pb_path_keys)

// The index of the coordinate of m that a node names, to act on as it is: a turn of a ball joint is
// refused. path is that of the node.
dm_status pb_coordinate_read(const pb_reader *r, const char *path, const pb_node *node,
                             const dm_model *m, int *coord);

// The index of the body that a node names, -1 the world. path is that of the node.
dm_status pb_body_read(const pb_reader *r, const char *path, const pb_node *node, const dm_model *m,
                       int *body);

// Read a body, or a list of one or two different ones; the second is the world (-1) where it is left
// out. path is that of the node.
dm_status pb_bodies_pair_read(const pb_reader *r, const char *path, const pb_node *node,
                              const dm_model *m, int body[2]);

// Bodies, -1 the world, and a point in the frame of each.
typedef struct pb_points {
  int n;
  int *body;          // [n] in dm_tree.body
  double (*point)[3]; // [n] m
} pb_points;

// Read a list of different bodies, two of them or at least two (many), and as many points (NULL:
// their origins). path is that of the section.
dm_status pb_points_read(const pb_reader *r, const char *path, const pb_node *bodies,
                         const pb_node *points, bool many, const dm_model *m, pb_points *out);

// The tendon of a robot's file as one of the model: copies by what they follow, without what is locked.
//   shift  out: what is constant of its measure, which the model's is less
// Of a combination of nothing that moves out->ncoord is 0.
dm_status pb_tendon_compile(const pb_reader *r, const pb_tree *t, const dm_model *m,
                            const dm_tendon *x, dm_tendon *out, double *shift);

// Read the measure of a section that has been read by PB_TENDON_KEYS: exactly one of the three. Its
// name is not set. Arrays are the arena's.
dm_status pb_tendon_read(const pb_reader *r, const char *path, const pb_node *section,
                         const dm_model *m, dm_tendon *out);
#endif
