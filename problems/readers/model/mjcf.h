// problems/readers/model/mjcf.h: read a robot in MuJoCo's XML (MJCF) into a tree.
//
// Bodies are added depth first in document order, with a massless frame for each named site. hinge:
// a rotation; slide: a translation; ball: a quaternion; free: NAME.x NAME.y NAME.z and a quaternion
// NAME.qw .. NAME.qz, as in MuJoCo's qpos. Several joints of one body form a chain, each in the
// frame reached so far; if their positions differ, massless bodies BODY/JOINT are inserted. Joint
// values are MuJoCo's, including ref. Motors are inputs, forces on joints within gear x gain x
// ctrlrange; a linear <equality> of joints makes one of them follow the other exactly.
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef PB_MODEL_MJCF_H
#define PB_MODEL_MJCF_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

// Read an open file with root <mujoco> into the empty tree t, with gravity, motors and springs.
//   name  of the file in the problem: mesh files are relative to it
//   base  PB_FLOATING: free joints use the angles rz ry rx, not a quaternion; else PB_FIXED or
//         PB_QUATERNION
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line in the reader's message.
dm_status pb_mjcf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base);
#endif
