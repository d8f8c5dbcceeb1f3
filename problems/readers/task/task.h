// problems/readers/task/task.h: the sections of a problem file that make an optimal control task:
// horizon, rule, start, goal, bounds, cost.
#ifndef PB_TASK_TASK_H
#define PB_TASK_TASK_H
#include "optim/transcription/task.h"
#include "problems/readers/model/robot.h"

extern const pb_key pb_horizon_keys[], pb_rule_keys[], pb_end_keys[], pb_bounds_keys[],
    pb_cost_keys[];

extern const pb_key pb_file_keys[]; // of the whole file (problem.c), for pb_sections

// The sections of a file as they stand in it; NULL: not there.
typedef struct pb_sections {
  const char *name;
  const char *transcription;
  const pb_node *model, *inputs, *horizon, *rule, *start, *goal, *bounds, *cost, *guess, *solver,
      *feedback, *verify, *simulate, *balance;
} pb_sections;

// q and v of `start:` or `goal:`, NAN where free, where what is free in q is to be found (NAN: not
// said), and how they are brought onto the constraints.
typedef struct pb_end {
  const double *q, *v, *near; // [n]
  const char *assemble;
} pb_end;

// Read one end by pb_end_keys; a NULL node is free everywhere.
dm_status pb_end_read(const pb_reader *r, const char *path, const pb_node *node, pb_end *out);

// Fill task->system and the names from a robot and `rule:`.
dm_status pb_system_read(const pb_reader *r, const pb_node *rule, const pb_robot *robot,
                         oc_task *task);

// The limits of all inputs: of forces the model's, of kinematic coordinates those of q; in their
// place what is said of them (NULL, or NAN: nothing).
dm_status pb_inputs_limit(const pb_reader *r, const dm_model *m, const double *q_min,
                          const double *q_max, const pb_range *said, oc_task *task);

// Refuse a step h [s] that is shorter than rounding lets be told from none, at the node that asks
// for it.
dm_status pb_step_check(const pb_reader *r, const char *path, const pb_node *node, double h);

// Fill the rest of a task, its arrays in the arena. s->horizon is there.
dm_status pb_task_read(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task,
                       pb_fineness *fine);
#endif
