// problems/readers/model/mjcf_geom.h: the <geom> of a robot in MuJoCo's XML: a shape on a body,
// with its mass and its visual geometry.
//
//   box cylinder sphere capsule ellipsoid   solids of uniform density, in closed form
//   mesh                                    the solid enclosed by its triangles, as a sum of
//                                           tetrahedra
//   plane hfield                            no mass
#ifndef PB_MODEL_MJCF_GEOM_H
#define PB_MODEL_MJCF_GEOM_H
#include "problems/readers/format/mesh.h"
#include "problems/readers/model/mjcf_file.h"

typedef struct pb_mjcf_geom {
  pb_mjcf_element at;
  const struct pb_mjcf_shape *shape;
  const char *kind; // MJCF word
  dm_pose frame;    // in the body's frame
  double size[3];   // radius and half length, half lengths, or half axes  [m]
  int group;
} pb_mjcf_geom;

// Read a geom of a body with elements of default class `around`. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT for a shape without its sizes.
dm_status pb_mjcf_geom_read(const pb_mjcf *m, const pb_xml_node *e, int around, pb_mjcf_geom *out);

// The vertices of its mesh: from a file relative to m->name, or inline. Returns as above, and DM_IO
// with the reason in why if a file cannot be read.
dm_status pb_mjcf_geom_mesh(const pb_mjcf *m, const pb_mjcf_geom *g, pb_mesh *out, dm_message *why);

// Add its inertia about the origin of its body, by its mass or its density, if its group is
// included.
dm_status pb_mjcf_geom_weigh(const pb_mjcf *m, const pb_mjcf_geom *g, dm_inertia *sum);

// Its color and opacity, by rgba or its material; unchanged without these.
dm_status pb_mjcf_geom_colour(const pb_mjcf *m, const pb_mjcf_geom *g, double colour[4]);
#endif
