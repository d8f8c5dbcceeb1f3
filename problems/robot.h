// problems/robot.h: the `model:` and `inputs:` of a problem file, or a robot file alone, as a
// model.
#ifndef PB_ROBOT_H
#define PB_ROBOT_H
#include "problems/problem.h"
#include "problems/schema.h"

extern const pb_key pb_model_keys[];

// Build the robot of a problem file; r then knows its coordinates and inputs (borrowed from it).
//   model     the section; inputs: the list, or NULL: every coordinate with an effort limit
//   floating  the base floats whatever the section says
//   out       zeroed; to be freed by the caller, whatever is returned
dm_status pb_robot_read(pb_reader *r, const pb_node *model, const pb_node *inputs, bool floating,
                        pb_robot *out);

// Build the model of a URDF file's text alone, in gravity -9.81 m/s2 along z.
dm_status pb_robot_urdf(pb_reader *r, const char *text, size_t size, bool floating, dm_model **out);
#endif
