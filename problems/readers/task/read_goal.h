// problems/readers/task/read_goal.h: read `goal:` of a problem file: the end of the motion, or that
// the motion is periodic:
//
//   goal: start
//   goal: {periodic: true, travel: {x: 0.5, y: [0, 0.1], z: free}, turns: {wheel: 1}}
#ifndef PB_TASK_READ_GOAL_H
#define PB_TASK_READ_GOAL_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_goal_keys[];

// The node that declares a motion periodic, for messages; NULL: it is not.
const pb_node *pb_goal_periodic(const pb_node *goal);

// Read the goal. A periodic one sets task->periodic and the travels, in the arena, and leaves all
// of out free; otherwise out is set. A NULL node is free everywhere. Returns DM_OK, DM_NO_MEMORY or
// DM_BAD_INPUT.
dm_status pb_goal_read(pb_reader *r, const pb_node *goal, const dm_model *m, pb_end *out,
                       oc_task *task);

// Read the travel of a coordinate: a number, [low, high], or free.
dm_status pb_travel_read(const pb_reader *r, const char *path, const pb_node *node,
                         double range[2]);

// Check the travels against the task's bounds and start, which must be set; warn about a travel
// that changes L.
dm_status pb_goal_check(pb_reader *r, const pb_node *goal, const oc_task *task);

// Warn about a periodic motion that may be anywhere along a translation (oc_travel_anywhere); call
// when the task is complete.
dm_status pb_goal_warn_anywhere(pb_reader *r, const pb_node *start, const dm_model *m,
                                const oc_task *task);

// Warn about a goal without conditions, or with positions but without velocities; kinematic coordinates may stop instantly.
// speeds: its outputs have conditions on velocities.
dm_status pb_goal_warn(pb_reader *r, const pb_node *node, const pb_end *goal, bool speeds,
                       const bool *kinematic);
#endif
