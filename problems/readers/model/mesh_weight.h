// problems/readers/model/mesh_weight.h: the mass and inertia of a mesh, of density 1 (per volume, or of a
// shell per area), by one of MuJoCo's four rules.
//
//   exact    the volume that the sides enclose, each side's tetrahedron with its sign
//   convex   that of the convex hull
//   legacy   the same tetrahedra from the center of the sides, without signs: more than the volume
//            where the mesh is not convex; the default of MuJoCo
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

// Give a mesh the sides of its points' convex hull. Returns DM_OK, DM_BAD_INPUT where the points lie in a
// plane, DM_NO_MEMORY.
dm_status pb_mesh_wrap(pb_arena *arena, pb_mesh *mesh);

// Weigh a mesh about the origin.
//   solid  out: whether all rules of a volume say the same: the mesh is closed and convex
// Returns DM_OK; DM_BAD_INPUT where there is no volume (the points lie in a plane, or the sides are turned
// inside out); DM_NO_MEMORY.
dm_status pb_mesh_weigh(pb_arena *arena, const pb_mesh *mesh, pb_mesh_rule rule, dm_inertia *out,
                        bool *solid);
#endif
