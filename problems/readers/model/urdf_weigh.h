// problems/readers/model/urdf_weigh.h: the mass of a link of a URDF that has no <inertial>, by its <collision>
// shapes at one density; a mesh by its convex hull.
#ifndef PB_MODEL_URDF_WEIGH_H
#define PB_MODEL_URDF_WEIGH_H
#include "problems/readers/model/linkage.h"
#include "problems/readers/model/tree_builder.h"

// Give the body of a link the mass of its shapes; one without shapes stays as it is.
//   name  of the robot's file, beside which meshes stand
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_urdf_weigh(pb_xml *x, const char *name, const pb_link *link, double density,
                        dm_body *body);
#endif
