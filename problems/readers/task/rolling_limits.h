// problems/readers/task/rolling_limits.h: what a problem with rolling constraints may not have beside
// them, and the velocities at its ends.
#ifndef PB_TASK_ROLLING_LIMITS_H
#define PB_TASK_ROLLING_LIMITS_H
#include "problems/readers/format/reader.h"
#include "problems/readers/format/yaml.h"
#include "problems/readers/task/sections.h"

// Refuse the first section or key of a file that does not work with rolling constraints: the message
// names it and a way out. Does nothing without such constraints. Returns DM_OK, DM_NO_MEMORY or
// DM_BAD_INPUT.
dm_status pb_rolling_check(const pb_reader *r, const pb_node *root, const pb_sections *s,
                           const pb_robot *robot, const oc_task *task);
#endif
