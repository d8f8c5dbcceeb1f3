// problems/readers/model/urdf_weigh.h: compute the mass of a URDF link without <inertial> from its
// <collision> shapes with uniform density; a mesh counts as its convex hull.
#ifndef PB_MODEL_URDF_WEIGH_H
#define PB_MODEL_URDF_WEIGH_H
#include "problems/readers/model/linkage.h"
#include "problems/readers/model/tree_builder.h"

// Set mass and inertia of a link's body from its shapes; a link without shapes is unchanged.
//   name  of the robot's file; mesh files are relative to it
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_urdf_weigh(pb_xml *x, const char *name, const pb_link *link, double density,
                        dm_body *body);
#endif
