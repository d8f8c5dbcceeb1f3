// problems/readers/model/touching.h: the shapes of a robot's file that touch others.
//
//   MJCF   geoms, where contype and conaffinity of two have a common bit, or a <pair> names both,
//          and no <exclude> names their bodies. Friction is the larger of the two, or that of the
//          higher priority; condim 1 means no friction.
//   URDF   <collision> elements, without friction
#ifndef PB_MODEL_TOUCHING_H
#define PB_MODEL_TOUCHING_H
#include "lib/multibody/model.h"
#include "problems/readers/model/tree_builder.h"

// A shape, in the frame of its body.
typedef struct pb_touch {
  const char *name; // its own, or its body's: BODY, BODY_2 ..; a dot becomes '_'
  const char *kind; // "sphere", "capsule", "cylinder", "box", "plane", or another word of the file
  pb_place at;
  int body;        // in dm_tree.body; -1: the world
  bool moves;      // a joint moves its body
  dm_pose frame;   // in the body's frame
  double size[3];  // radius and half length of the axis, or half lengths     [m]
  double friction; // NAN: the file does not give one
  int priority, condim;
  unsigned type, affinity; // bits
} pb_touch;

typedef struct pb_touch_pair {
  int shape[2];
  double friction; // NAN: that of the shapes
  int condim;      // 0: that of the shapes
} pb_touch_pair;

typedef struct pb_touches {
  int n, nexclude, npair;
  bool links;          // of a URDF, where links at a common joint do not touch
  pb_touch *list;      // [n]
  int (*exclude)[2];   // [nexclude] bodies
  pb_touch_pair *pair; // [npair]
} pb_touches;

// Read them again from the content of the robot's file.
//   m  its tree
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line.
dm_status pb_touches_read(pb_reader *r, const pb_source *file, const dm_model *m, pb_touches *out);

// Whether shapes a and b touch, and their friction (NAN: the file does not give one).
bool pb_touches_meet(const pb_touches *t, int a, int b, double *friction);
#endif
