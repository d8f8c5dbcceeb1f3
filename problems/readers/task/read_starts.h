// problems/readers/task/read_starts.h: read `starts:`.
#ifndef PB_TASK_READ_STARTS_H
#define PB_TASK_READ_STARTS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/starts.h"

extern const pb_key pb_starts_keys[];

// Read `auto`, a number or a section; NULL: not given. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_starts_read(const pb_reader *r, const pb_node *node, pb_starts *out);
#endif
