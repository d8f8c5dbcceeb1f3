// problems/readers/model/urdf.h: a robot in the Unified Robot Description Format as a tree.
//
// Links become bodies, joints coordinates, in depth-first order with children as they stand in the
// document. revolute and continuous: a turn; prismatic: a slide; fixed: no coordinate; floating:
// NAME.x NAME.y NAME.z NAME.rz NAME.ry NAME.rx (rotation Rz Ry Rx); planar: NAME.x NAME.y in the
// plane and NAME.rz about its normal, the axis. A mimic joint follows the coordinate of another.
#ifndef PB_MODEL_URDF_H
#define PB_MODEL_URDF_H
#include "problems/readers/format/xml.h"
#include "problems/readers/model/tree_builder.h"

// Read an open file of the root <robot> into the empty tree t. base: the root link floats, by base.x
// .. base.rx; else it is fixed to the world. name: of the file, not read.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line in the reader's message.
dm_status pb_urdf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base);
#endif
