// problems/readers/model/rolling.h: read rolling constraints, the entries of `model.constraints` with
// a type of lib/multibody/rolling.h, and the wheels of a robot file that `model.rolling` lists.
#ifndef PB_MODEL_ROLLING_H
#define PB_MODEL_ROLLING_H
#include "problems/readers/model/tree_builder.h"

// A part reader (parts.h), after that of constraints: into out->rolling. Rows that follow from the
// others along the whole motion are left out with a warning. Refuses an axle along the normal of the
// ground, wheels of a robot file without a round shape, and constraints that leave no motion.
dm_status pb_rolling_read(const pb_part_source *from, dm_robot *out);
#endif
