// problems/readers/task/reach.h: does a posture exist that has the outputs of a via point or goal?
#ifndef PB_TASK_REACH_H
#define PB_TASK_REACH_H
#include "problems/readers/task/sections.h"

// Warn before the search about conditions on outputs that no configuration within the limits satisfies. Robots
// with ball joints are not checked, because their quaternions have constraints. Returns DM_OK, or DM_NO_MEMORY.
dm_status pb_reach_check(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                         const oc_task *task);
#endif
