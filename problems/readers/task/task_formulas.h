// problems/readers/task/task_formulas.h: expressions of a task, which become outputs of the robot behind those listed:
// `minimize`, `maximize`, and `cost-1`, `cost-2` for entries of `cost.outputs`; NAME for an entry of `constraints`.
#ifndef PB_TASK_TASK_FORMULAS_H
#define PB_TASK_TASK_FORMULAS_H
#include "problems/readers/model/outputs.h"

enum { PB_COST_FORMULA_NAME = 32 };

// The name of the output of entry i of `cost.outputs`.
const char *pb_cost_formula_name(int i, char name[PB_COST_FORMULA_NAME]);

// List the expressions of the sections `constraints` and `cost` (NULL: none), in the arena. Returns DM_OK or
// DM_NO_MEMORY.
dm_status pb_task_formulas_list(const pb_reader *r, const pb_node *constraints, const pb_node *cost,
                                pb_extra_formulas *out);
#endif
