// problems/readers/task/formula_limits.h: the section `constraints`, ranges of formulas by name:
//
//   constraints:
//     cone: {formula: "tan(30 deg) z - hypot(x, y)", within: [0, none], from: 20 %}
//
// Each formula is an output with the name of its constraint (problems/readers/task/task_formulas.h).
#ifndef PB_TASK_FORMULA_LIMITS_H
#define PB_TASK_FORMULA_LIMITS_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

extern const pb_key pb_formula_limit_keys[];

// Append the limits of the section (NULL: none) to limit [*n], which has room for one per entry. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT at the entry that is refused.
dm_status pb_formula_limits_read(pb_reader *r, const pb_node *constraints, const pb_robot *robot,
                                 const oc_task *task, oc_output_limit *limit, int *n);
#endif
