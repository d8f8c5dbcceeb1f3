// problems/readers/model/mjcf.h: a robot in MuJoCo's XML (MJCF) as a tree.
//
// Bodies are bodies, depth first as they stand, with a frame of no mass for each site that has a
// name. hinge: a turn; slide; ball: a quaternion; free: NAME.x NAME.y NAME.z and a quaternion NAME.qw
// .. NAME.qz, which are MuJoCo's qpos. Several joints of one body follow one another, each in the frame
// reached so far; where their places differ, bodies BODY/JOINT without mass stand between them. A
// joint has the value that MuJoCo has, with its ref. Motors are inputs, forces on joints within gear x
// gain x ctrlrange; <equality> of joints by a line makes one of them follow the other, exactly.
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef PB_MODEL_MJCF_H
#define PB_MODEL_MJCF_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

// Read an open file of the root <mujoco> into the empty tree t, with its gravity, motors and springs.
//   name  of the file as the problem has it: meshes stand beside that
//   base  PB_FLOATING: its free joints turn by rz ry rx, not by a quaternion; else PB_FIXED or
//         PB_QUATERNION
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with file and line in the reader's message.
dm_status pb_mjcf_read(pb_tree *t, pb_xml *x, const char *name, pb_base base);
#endif
