// problems/readers/model/mesh_weight.h: mass and inertia of a mesh of density 1 (per volume, for a
// shell per area), by one of MuJoCo's four rules.
//
//   exact    the enclosed volume, as signed tetrahedra over the triangles
//   convex   the volume of the convex hull
//   legacy   tetrahedra from the center of the triangles, without signs: more than the volume if
//            the mesh is not convex; MuJoCo's default
//   shell    the surface
#ifndef PB_MODEL_MESH_WEIGHT_H
#define PB_MODEL_MESH_WEIGHT_H
#include "lib/multibody/spatial.h"
#include "problems/readers/format/mesh.h"

typedef enum pb_mesh_rule {
  PB_MESH_CONVEX,
  PB_MESH_LEGACY,
  PB_MESH_EXACT,
  PB_MESH_SHELL,
  PB_MESH_RULES
} pb_mesh_rule;

extern const char *const pb_mesh_rule_words[PB_MESH_RULES];

// Replace the triangles of a mesh by the convex hull of its points. Returns DM_OK, DM_BAD_INPUT if
// the points lie in a plane, or DM_NO_MEMORY.
dm_status pb_mesh_wrap(pb_arena *arena, pb_mesh *mesh);

// Compute mass and inertia of a mesh about the origin.
//   solid  out: whether all volume rules agree: the mesh is closed and convex
// Returns DM_OK; DM_BAD_INPUT without a positive volume (the points lie in a plane, or the
// triangles are inside out); DM_NO_MEMORY.
dm_status pb_mesh_weigh(pb_arena *arena, const pb_mesh *mesh, pb_mesh_rule rule, dm_inertia *out,
                        bool *solid);
#endif
