// problems/readers/task/read_task.h: read the sections of a problem file that define an optimal
// control task: horizon, rule, start, goal, bounds, cost.
#ifndef PB_TASK_READ_TASK_H
#define PB_TASK_READ_TASK_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/task/fineness.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_horizon_keys[], pb_rule_keys[], pb_start_keys[], pb_bounds_keys[],
    pb_cost_keys[];

// Read `start:` by pb_start_keys; a NULL node is free everywhere. A start with held: true may not
// give v, and has v = 0 until pb_start_rest.
dm_status pb_start_read(const pb_reader *r, const pb_node *node, pb_end *out);

// Whether a start has held: true.
bool pb_start_is_at_rest(const pb_end *start);

// Set the start velocity of a task whose start has held: true, from a step with q before and after
// (lib/discrete/assembly.h), using the system fitted to its steps; other tasks are unchanged.
dm_status pb_start_rest(const pb_reader *r, const pb_node *start, oc_task *task);

// Fill task->system and the names from a robot and `rule:`.
dm_status pb_system_read(const pb_reader *r, const pb_node *rule, const pb_robot *robot,
                         oc_task *task);

// The limits of all inputs [r->nu], in the arena: the model's for forces, the given limits of q for
// kinematic coordinates. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_inputs_limit(const pb_reader *r, const dm_model *m, dm_bounds q, double **low,
                          double **high);

// Refuse, at this node, a step h [s] that is too short to be distinguished from zero by rounding.
dm_status pb_step_check(const pb_reader *r, const char *path, const pb_node *node, double h);

// Fill the rest of a task, its arrays in the arena. s->horizon must exist.
dm_status pb_task_read(pb_reader *r, const pb_sections *s, const pb_robot *robot, oc_task *task,
                       pb_fineness *fine);
#endif
