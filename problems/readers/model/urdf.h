// problems/readers/model/urdf.h: read a robot in the Unified Robot Description Format into a tree.
//
// Links become bodies and joints become coordinates, depth first, with children in document order.
// revolute and continuous: a rotation; prismatic: a translation; fixed: no coordinate; floating:
// NAME.x NAME.y NAME.z NAME.rz NAME.ry NAME.rx (rotation Rz Ry Rx); planar: NAME.x NAME.y in the
// plane and NAME.rz about its normal, the axis. A mimic joint follows the coordinate of another
// joint.
#ifndef PB_MODEL_URDF_H
#define PB_MODEL_URDF_H
#include "problems/readers/format/xml.h"
#include "problems/readers/model/tree_builder.h"

// Read an open file with root <robot> into the empty tree t. base: the joint of the root link, with
// coordinates base.x .. base.rx if it floats. name: of the file, for mesh files.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line in the reader's message.
dm_status pb_urdf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base);
#endif
