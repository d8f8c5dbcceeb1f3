// problems/readers/model/collision.h: shapes, and those that the <collision> elements of a URDF say.
//
//   sphere     as it is
//   capsule    as it is: `length` is that of its axis
//   cylinder   of a link that moves the capsule about its axis of the same radius, whose half-spheres
//              stand over its ends; as it is where the link stands still
//   box        of a link that moves a small capsule or sphere about it; as it is else
//   mesh       a small capsule or sphere about its vertices
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
  bool swept;              // a sphere or a capsule, which may stay out of others
  double point[3], end[3]; // of those: the centre, or both ends of the axis  [m]
  // of a link by its <collision>, NULL else: what it is about, "box" or "mesh arm.stl", and how far
  // it stands out of that at most [m]
  const char *about;
  double excess;
} pb_shape;

// Make a shape the capsule about the axis from s->point to s->end, which differ, of s->shape.radius.
void pb_shape_capsule(pb_shape *s);

// The shapes of all links (which: true) or of those that it lists, named by their links, LINK_1
// LINK_2 .. of a link with several; a dot of a name becomes '_'.
//   urdf    the robot's file as it was read; NULL: there is none
//   shapes  out: [n], the arena's; none where which is false
// A mesh is looked for beside the URDF, and package://NAME/REST as NAME/REST in the folders above it.
// Shapes about boxes and meshes that stand out by more than 2 cm raise a warning. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with file and line.
dm_status pb_collision_read(pb_reader *r, const pb_node *which, const pb_source *urdf,
                            const dm_model *m, int *n, pb_shape **shapes);
#endif
