// problems/readers/model/mjcf_geom.h: the <geom> of a robot in MuJoCo's XML: a shape on a body, what it
// weighs, and what it looks like.
//
//   box cylinder sphere capsule ellipsoid   solids of one density, in closed form
//   mesh                                    the solid that its triangles enclose, as a sum of
//                                           tetrahedra
//   plane hfield                            weigh nothing
#ifndef PB_MODEL_MJCF_GEOM_H
#define PB_MODEL_MJCF_GEOM_H
#include "problems/readers/format/mesh.h"
#include "problems/readers/model/mjcf_file.h"

typedef struct pb_mjcf_geom {
  pb_mjcf_element at;
  const struct pb_mjcf_shape *shape;
  const char *kind; // its word
  dm_pose frame;    // in its body's
  double size[3];   // radius and half length, half lengths, or half axes     [m]
  int group;
} pb_mjcf_geom;

// Read a geom of a body whose elements are of class `around`. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT for a shape without its sizes.
dm_status pb_mjcf_geom_read(const pb_mjcf *m, const xmlNode *e, int around, pb_mjcf_geom *out);

// The corners of its mesh: of a file beside m->name, or of the file itself. Returns as above, and
// DM_IO with why where a file is not to be had.
dm_status pb_mjcf_geom_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, pb_mesh *out, dm_message *why);

// Add its inertia about the origin of its body, by its mass or its density, where its group counts.
dm_status pb_mjcf_geom_weigh(const pb_mjcf *m, const pb_mjcf_geom *g, dm_inertia *sum);

// Its colour and opacity, by rgba or its material; unchanged where it has none.
dm_status pb_mjcf_geom_colour(const pb_mjcf *m, const pb_mjcf_geom *g, double colour[4]);
#endif
