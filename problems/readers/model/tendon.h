// problems/readers/model/tendon.h: the coordinate or path length along which springs, dampers and
// cables act (lib/multibody/tendon.h), by name.
//
//   joint: COORDINATE                     s = q_i                              m or rad
//   bodies: [a, b], points: [x0, x1]      s = |x1 - x0|                        m
//   path: [{body, point}, ...]            s = sum_k |x_k+1 - x_k|              m
#ifndef PB_MODEL_TENDON_H
#define PB_MODEL_TENDON_H
#include "lib/multibody/tendon.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_path_keys[]; // keys of one point of a path

// Rows of a key table for a section with the members joint, bodies, points, path.
#define PB_TENDON_KEYS(section)                                                                    \
  PB_KEY(section, joint, .type = PB_TEXT,                                                          \
         .about = "Coordinate s that it acts on; give one of `joint`, `bodies`, `path`"),          \
      PB_KEY(section, bodies, .type = PB_NODE, .words = "[body, body]",                            \
             .about =                                                                              \
                 "Instead: s is the distance between two points; either body may be `world`"),     \
      PB_KEY(section, points, .type = PB_NODE, .unit = "m", .note = "the bodies' origins",         \
             .words = "[[x, y, z], [x, y, z]]",                                                    \
             .about = "One point on each of `bodies`, in the body frame"),                         \
      PB_KEY(section, path, .type = PB_LIST, .sub = pb_path_keys,                                  \
             .about = "Instead: s is the length of the path through two or more points")

// The index of the coordinate of m that a node names; a rotation of a ball joint is refused. path
// is the path of the node.
dm_status pb_coordinate_read(const pb_reader *r, const char *path, const pb_node *node,
                             const dm_model *m, int *coord);

// The index of the body that a node names, -1 for the world. path is the path of the node.
dm_status pb_body_read(const pb_reader *r, const char *path, const pb_node *node, const dm_model *m,
                       int *body);

// Read one body, or a list of one or two distinct bodies; the second defaults to the world (-1).
// path is the path of the node.
dm_status pb_bodies_pair_read(const pb_reader *r, const char *path, const pb_node *node,
                              const dm_model *m, int body[2]);

// Bodies (-1: the world) with a point in the frame of each.
typedef struct pb_points {
  int n;
  int *body;          // [n] in dm_tree.body
  double (*point)[3]; // [n] m
} pb_points;

// Read a list of distinct bodies, exactly two or at least two (many), and as many points (NULL:
// their origins). path is the path of the section.
dm_status pb_points_read(const pb_reader *r, const char *path, const pb_node *bodies,
                         const pb_node *points, bool many, const dm_model *m, pb_points *out);

// Convert a tendon of a robot's file to the model: mimic joints are replaced by the joints they
// follow, and locked joints by constants.
//   shift  out: the constant part, to be added to the model's length
// If a combination contains no moving joint, out->ncoord is 0.
dm_status pb_tendon_compile(const pb_reader *r, const pb_tree *t, const dm_model *m,
                            const dm_tendon *x, dm_tendon *out, double *shift);

// Read the tendon of a section that was read with PB_TENDON_KEYS: exactly one of the three forms.
// Its name is not set. Arrays are in the arena.
dm_status pb_tendon_read(const pb_reader *r, const char *path, const pb_node *section,
                         const dm_model *m, dm_tendon *out);
#endif
