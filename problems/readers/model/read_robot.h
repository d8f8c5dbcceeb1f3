// problems/readers/model/read_robot.h: read `model:` and `inputs:` of a problem file, or a robot
// file alone, as a model.
#ifndef PB_MODEL_READ_ROBOT_H
#define PB_MODEL_READ_ROBOT_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_model_keys[];

// Build the robot of a problem file; r then knows its coordinates and inputs (borrowed from it).
//   model     the section
//   inputs    the list, `all`, or NULL: every coordinate with an effort limit
//   outputs   the list, of which forces by formulas have some, or NULL
//   base      a floating base overrides the section; PB_FIXED: as in the section
//   out       zeroed; the caller frees it, whatever is returned
dm_status pb_robot_read(pb_reader *r, const pb_node *model, const pb_node *inputs,
                        const pb_node *outputs, pb_base base, pb_robot *out);

// Build the robot of a URDF or MJCF text alone, with its own gravity, or -9.81 m/s2 along z.
dm_status pb_robot_text(pb_reader *r, const char *text, size_t size, pb_base base, pb_robot *out);

// The tree coordinates of external coordinates q [n]: q itself, or in the arena; NULL: out of
// memory.
const double *pb_robot_enter(const pb_reader *r, const pb_robot *robot, const double *q);
#endif
