// problems/readers/task/read_outputs.h: read the conditions of a task on outputs: `start:
// {outputs}`, `goal: {outputs}`, `bounds: {outputs}`, `via:` and `cost: {outputs}`.
#ifndef PB_TASK_READ_OUTPUTS_H
#define PB_TASK_READ_OUTPUTS_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_via_keys[];         // keys of one entry of `via:`
extern const pb_key pb_output_cost_keys[]; // keys of one entry of `cost: {outputs}`

// Whether an entry of `via:` has this key. If so, coordinates (q) or their speeds (v) are outputs
// as well.
bool pb_via_has(const pb_sections *s, const char *key);

// Whether the goal has a condition on an output that depends on speeds.
bool pb_goal_has_speeds(const pb_sections *s, const pb_robot *robot);

// Read all conditions on a robot's outputs into task->outputs, whose arrays are in the arena. The
// task's steps and time must be set. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_task_outputs_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                               oc_task *task);

// Restrict the evaluated outputs to those that the task uses: task->outputs.y from now on. Returns
// DM_OK or DM_NO_MEMORY.
dm_status pb_task_outputs_ask(pb_reader *r, pb_robot *robot, oc_task *task);
#endif
