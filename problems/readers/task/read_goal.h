// problems/readers/task/read_goal.h: `goal:` of a problem file: where a motion is to end, or that it is
// to end as it began,
//
//   goal: start
//   goal: {periodic: true, travel: {x: 0.5, y: [0, 0.1], z: free}, turns: {wheel: 1}}
#ifndef PB_TASK_READ_GOAL_H
#define PB_TASK_READ_GOAL_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_goal_keys[];

// What says that a motion is periodic, for messages about it; NULL: it is not.
const pb_node *pb_goal_periodic(const pb_node *goal);

// Read it: where the motion is periodic into task->periodic and its travels, in the arena, with all of
// out free; else into out. A NULL node is free everywhere. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_goal_read(pb_reader *r, const pb_node *goal, const dm_model *m, pb_end *out,
                       oc_task *task);

// Hold the travels against the task's bounds and start, which are read; warn of one that changes L.
dm_status pb_goal_check(pb_reader *r, const pb_node *goal, const oc_task *task);

// Warn of a periodic motion that may be anywhere along a translation (oc_travel_anywhere), when all of the
// task is read.
dm_status pb_goal_warn_anywhere(pb_reader *r, const pb_node *start, const dm_model *m,
                                const oc_task *task);
#endif
