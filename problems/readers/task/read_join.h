// problems/readers/task/read_join.h: read `join:` of a phase, how it begins after the phase before it:
//
//   join: {law: momentum, swap: [[left, right]], mirror: [roll], travel: {x: [0.1, 1]}}
//   join: {from: {ball.x: hand.x}, into: {}}
#ifndef PB_TASK_READ_JOIN_H
#define PB_TASK_READ_JOIN_H
#include "optim/task/join.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_join_keys[];

// A phase as a join uses it.
typedef struct pb_joined {
  const oc_task *task;
  const pb_robot *robot;
  const pb_feedback *feedback;
  bool touches; // does it end at a touch (`until`)?
} pb_joined;

// Read the join of a phase with the previous one, arrays in the arena, and how gains use the cost-to-go
// across it; phase: its mapping. periodic: it leads from the last phase to the first. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_join_read(pb_reader *r, const pb_node *phase, bool periodic, const pb_joined *before,
                       const pb_joined *after, oc_join *out, pb_carry *carry);
#endif
