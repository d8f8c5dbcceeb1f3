// problems/readers/task/cost_formulas.h: expressions in `cost:`, which become outputs of the robot behind those
// listed: `minimize`, `maximize`, and `cost-1`, `cost-2` for entries of `cost.outputs`.
#ifndef PB_TASK_COST_FORMULAS_H
#define PB_TASK_COST_FORMULAS_H
#include "problems/readers/model/outputs.h"

enum { PB_COST_FORMULA_NAME = 32 };

// The name of the output of entry i of `cost.outputs`.
const char *pb_cost_formula_name(int i, char name[PB_COST_FORMULA_NAME]);

// List the expressions of the section `cost` (NULL: none), in the arena. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_cost_formulas_list(const pb_reader *r, const pb_node *cost, pb_extra_formulas *out);
#endif
