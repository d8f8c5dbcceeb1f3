// lib/multibody/outline.h: the lines and masses of a tree for pictures, each fixed to a joint.
//
//   link    from a joint to a child joint. The last link of a chain ends at the farthest frame
//           fixed to it and at its contact points, or else at the end of an equivalent uniform rod
//           with mass m, center c and inertia I about the center: sqrt(3 I / m) beyond the center,
//           but at most the distance of the center from the joint
//   box     a body whose center is on its joint: the cuboid with its mass and inertia
//   rod     a distance that a constraint keeps
//   spring  a segment of a spring's path
//
// Source: closed forms of the inertia of a rod and a cuboid, m l^2 / 12 and m (a^2 + b^2) / 12.
#ifndef DM_MULTIBODY_OUTLINE_H
#define DM_MULTIBODY_OUTLINE_H
#include "lib/multibody/constraint.h"
#include "lib/multibody/contact_geometry.h"
#include "lib/multibody/spring.h"

DM_BEGIN_C

typedef enum dm_outline_kind {
  DM_OUTLINE_LINK,
  DM_OUTLINE_BOX,
  DM_OUTLINE_ROD,
  DM_OUTLINE_SPRING
} dm_outline_kind;

typedef struct dm_outline_line {
  dm_outline_kind kind;
  dm_segment at;
} dm_outline_line;

// A mass, or the axis of a revolute joint.
typedef struct dm_outline_mark {
  int joint;
  dm_vec at;   // in the joint's frame                                     [m]
  double mass; // kg; 0: an axis
} dm_outline_mark;

typedef struct dm_outline {
  const dm_model *m;
  int nline, nmark;
  dm_outline_line *line; // [nline]
  dm_outline_mark *mark; // [nmark]
  dm_vec *tip;           // [nj] end of the body that a joint carries, in its frame  [m]
  bool *last;            // [nj] carries mass, and no revolute joint follows
} dm_outline;

// The outline of a tree with its constraints, springs and contacts (NULL: none); m must outlive it.
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_outline_new(dm_outline **out, const dm_model *m, const dm_constraints *constraints,
                         const dm_springs *springs, const dm_contacts *contacts);
void dm_outline_free(dm_outline *o); // accepts NULL

// The world position of a point fixed to a joint (-1: the world); X [nj] from dm_tree_frames.
dm_vec dm_outline_place(const dm_pose *X, int joint, dm_vec point);

DM_END_C
#endif
