// problems/readers/task/read_identify.h: read `identify:`, the settings of `dmoc identify`.
#ifndef PB_TASK_READ_IDENTIFY_H
#define PB_TASK_READ_IDENTIFY_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/identification.h"

extern const pb_key pb_identify_keys[];

// Read the section; NULL: defaults. r knows the names of the robot. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_identify_read(pb_reader *r, const pb_node *node, const dm_model *model,
                           pb_identify *out);
#endif
