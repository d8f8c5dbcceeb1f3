// problems/readers/model/read_robot.h: the `model:` and `inputs:` of a problem file, or a robot file
// alone, as a model.
#ifndef PB_MODEL_READ_ROBOT_H
#define PB_MODEL_READ_ROBOT_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_model_keys[];

// Build the robot of a problem file; r then knows its coordinates and inputs (borrowed from it).
//   model     the section; inputs: the list, `all`, or NULL: every coordinate with an effort limit
//   base      floats whatever the section says; PB_FIXED: as it says
//   out       zeroed; to be freed by the caller, whatever is returned
dm_status pb_robot_read(pb_reader *r, const pb_node *model, const pb_node *inputs, pb_base base,
                        pb_robot *out);

// The same of a robot file's text alone, URDF or MJCF, in gravity -9.81 m/s2 along z, or its own.
dm_status pb_robot_text(pb_reader *r, const char *text, size_t size, pb_base base, pb_robot *out);

// q [n] from outside at the robot's joints: q itself, or in the arena; NULL: no memory.
const double *pb_robot_enter(const pb_reader *r, const pb_robot *robot, const double *q);
#endif
