// problems/readers/model/parts.h: the parts of a robot, from the sections of `model` and from the robot's file. There is
// one reader for each kind of lib/multibody/robot.h, and a table of them, so that no kind is forgotten.
#ifndef PB_MODEL_PARTS_H
#define PB_MODEL_PARTS_H
#include "problems/readers/model/tree_builder.h"

// Read the parts of all kinds into a robot without parts; free them with dm_robot_free, also on failure. Returns
// DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT at the part that is refused.
dm_status pb_parts_read(const pb_part_source *from, dm_robot *out);

// Refuse a node if a spring's energy or a load's force is not defined at q [nq]; the message names the part and
// begins with `path`. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_parts_check(const pb_reader *r, const pb_node *node, const char *path,
                         const dm_robot *robot, const double *q);
#endif
