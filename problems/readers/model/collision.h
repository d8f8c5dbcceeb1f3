// problems/readers/model/collision.h: collision shapes, and their reader for the <collision>
// elements of a URDF.
//
//   sphere     unchanged
//   capsule    unchanged: `length` is the length of its axis
//   cylinder   on a moving link: a capsule with the same axis and radius, whose half-spheres extend
//              beyond its ends; on a fixed link: unchanged
//   box        on a moving link: a small enclosing capsule or sphere; on a fixed link: unchanged
//   mesh       a small capsule or sphere that encloses its vertices
#ifndef PB_MODEL_COLLISION_H
#define PB_MODEL_COLLISION_H
#include "lib/multibody/model.h"
#include "lib/multibody/shape.h"
#include "problems/readers/format/schema.h"

// A shape of a file, in the frame of its body.
typedef struct pb_shape {
  const char *name;
  int body; // in dm_tree.body; -1: the world
  dm_shape shape;
  dm_pose frame;
  bool swept;              // a sphere or a capsule, which can avoid other shapes
  double point[3], end[3]; // if swept: the center, or both ends of the axis  [m]
  // for a shape from <collision>, else NULL: the enclosed geometry, "box" or "mesh arm.stl", and
  // the largest distance by which the shape exceeds it [m]
  const char *about;
  double excess;
} pb_shape;

// Make a shape the capsule around the axis from s->point to s->end (which differ) with radius
// s->shape.radius.
void pb_shape_capsule(pb_shape *s);

// Read the shapes of all links (which: true) or of the listed links. Shapes are named after their
// links, LINK_1 LINK_2 .. for a link with several; a dot in a name becomes '_'.
//   urdf    the content of the robot's file; NULL: none
//   shapes  out: [n] in the arena; none if which is false
// A mesh file is relative to the URDF; package://NAME/REST is searched as NAME/REST in the folders
// above it. A shape that exceeds its box or mesh by more than 2 cm raises a warning. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with file and line.
dm_status pb_collision_read(pb_reader *r, const pb_node *which, const pb_source *urdf,
                            const dm_model *m, int *n, pb_shape **shapes);
#endif
