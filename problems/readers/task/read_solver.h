// problems/readers/task/read_solver.h: read `solver:`.
#ifndef PB_TASK_READ_SOLVER_H
#define PB_TASK_READ_SOLVER_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/solver.h"

extern const pb_key pb_solver_keys[];

// Read the section; NULL: defaults. Its text is in the arena. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_solver_read(const pb_reader *r, const pb_node *node, pb_solver *out);
#endif
