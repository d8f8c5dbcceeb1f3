// problems/readers/task/read_task.h: the sections of a problem file that make an optimal control task:
// horizon, rule, start, goal, bounds, cost.
#ifndef PB_TASK_READ_TASK_H
#define PB_TASK_READ_TASK_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/task/fineness.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_horizon_keys[], pb_rule_keys[], pb_start_keys[], pb_bounds_keys[],
    pb_cost_keys[];

// Read `start:` by pb_start_keys; a NULL node is free everywhere. What is held says no v: 0 stands
// for it.
dm_status pb_start_read(const pb_reader *r, const pb_node *node, pb_end *out);

// Whether a start that was read is held.
bool pb_start_is_at_rest(const pb_end *start);

// Give a task whose `start:` is held its start velocity, that of a step from q to q before
// (lib/discrete/assembly.h), by the system as it is fitted to its steps; any other keeps its own.
dm_status pb_start_rest(const pb_reader *r, const pb_node *start, oc_task *task);

// Fill task->system and the names from a robot and `rule:`.
dm_status pb_system_read(const pb_reader *r, const pb_node *rule, const pb_robot *robot,
                         oc_task *task);

// The limits of all inputs [r->nu], in the arena: of forces the model's, of kinematic coordinates
// those given of q. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_inputs_limit(const pb_reader *r, const dm_model *m, const double *q_min,
                          const double *q_max, double **low, double **high);

// Refuse a step h [s] that is shorter than rounding lets be told from none, at the node that asks
// for it.
dm_status pb_step_check(const pb_reader *r, const char *path, const pb_node *node, double h);

// Fill the rest of a task, its arrays in the arena. s->horizon is there.
dm_status pb_task_read(pb_reader *r, const pb_sections *s, const pb_robot *robot, oc_task *task,
                       pb_fineness *fine);
#endif
