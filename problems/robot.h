// problems/robot.h: the `model:` and `inputs:` of a problem file, or a robot file alone, as a
// model.
#ifndef PB_ROBOT_H
#define PB_ROBOT_H
#include "lib/load.h"
#include "lib/system.h"
#include "problems/schema.h"

extern const pb_key pb_model_keys[];

// All that a file says of what moves.
typedef struct pb_robot {
  dm_model *model;
  dm_constraints *constraints; // NULL: none
  dm_loads *loads;             // NULL: none
} pb_robot;

void pb_robot_free(pb_robot *robot); // zeroed is accepted

// It as a system, by the midpoint rule for both; robot must outlive it.
dm_system pb_robot_system(const pb_robot *robot);

// The unit of input i: "N", "N m", or "1" where it multiplies a wrench of another size.
const char *pb_robot_unit(const pb_robot *robot, int i);

// Build the robot of a problem file; r then knows its coordinates and inputs (borrowed from it).
//   model     the section; inputs: the list, or NULL: every coordinate with an effort limit
//   floating  the base floats whatever the section says
//   out       zeroed; to be freed by the caller, whatever is returned
dm_status pb_robot_read(pb_reader *r, const pb_node *model, const pb_node *inputs, bool floating,
                        pb_robot *out);

// Build the model of a URDF file's text alone, in gravity -9.81 m/s2 along z.
dm_status pb_robot_urdf(pb_reader *r, const char *text, size_t size, bool floating, dm_model **out);
#endif
