// problems/readers/task/read_criteria.h: read the rows of `verify.criteria:`.
#ifndef PB_TASK_READ_CRITERIA_H
#define PB_TASK_READ_CRITERIA_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_criteria_keys[];

// Read the list node (NULL: none) into out->criteria; a row without a part is expanded to one row
// per part.
//   node  of verify.criteria
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_criteria_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                           pb_verification *out);
#endif
