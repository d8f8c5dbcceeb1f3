// problems/readers/task/read_outputs.h: what a task asks of outputs: `start: {outputs}`, `goal:
// {outputs}`, `bounds: {outputs}`, `via:` and `cost: {outputs}`.
#ifndef PB_TASK_READ_OUTPUTS_H
#define PB_TASK_READ_OUTPUTS_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_via_keys[];         // of one entry of `via:`
extern const pb_key pb_output_cost_keys[]; // of one entry of `cost: {outputs}`

// Does an entry of `via:` have this key? Coordinates (q) and their speeds (v) are outputs then, too.
bool pb_via_has(const pb_sections *s, const char *key);

// Does the goal ask for an output that is a function of speeds?
bool pb_goal_has_speeds(const pb_sections *s, const pb_robot *robot);

// Read all that a task asks of the outputs of a robot into task->outputs, whose arrays are the
// arena's. Its steps and time are read. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_task_outputs_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                               oc_task *task);

// Have the robot evaluate what the task asks for, and nothing else: task->outputs.y from now on.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_task_outputs_ask(pb_reader *r, pb_robot *robot, oc_task *task);
#endif
