// lib/multibody/outline.h: what a picture of a tree shows: lines and masses that its joints carry.
//
//   link    from a joint to the next one that it carries. The last link of a chain ends at the frame
//           that is fixed to it furthest out, or else where the uniform rod would that has its mass
//           m, centre c and inertia I about the centre: sqrt(3 I / m) behind the centre, and no
//           further than that is from the joint
//   box     a body whose centre is on its joint: the cuboid of its mass and inertia
//   rod     a distance that a constraint keeps
//   spring  a piece of a spring's path
//
// Source: closed forms of a rod's and a cuboid's inertia, m l^2 / 12 and m (a^2 + b^2) / 12.
#ifndef DM_MULTIBODY_OUTLINE_H
#define DM_MULTIBODY_OUTLINE_H
#include "lib/multibody/constraint.h"
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

// A mass, or an axis about which something turns.
typedef struct dm_outline_mark {
  int joint;
  dm_vec at;   // in its frame                                            [m]
  double mass; // kg; 0: an axis
} dm_outline_mark;

typedef struct dm_outline {
  const dm_model *m;
  int nline, nmark;
  dm_outline_line *line; // [nline]
  dm_outline_mark *mark; // [nmark]
  dm_vec *tip;           // [nj] where what a joint carries ends, in its frame   [m]
  bool *last;            // [nj] it carries mass, and nothing turns after it
} dm_outline;

// The outline of a tree with its constraints and springs (NULL: none); m must outlive it. Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_outline_new(dm_outline **out, const dm_model *m, const dm_constraints *constraints,
                         const dm_springs *springs);
void dm_outline_free(dm_outline *o); // accepts NULL

// A point that a joint carries (-1: the world), in the world; X [nj] by dm_tree_frames.
dm_vec dm_outline_place(const dm_pose *X, int joint, dm_vec point);

DM_END_C
#endif
