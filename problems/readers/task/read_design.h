// problems/readers/task/read_design.h: the reader of `design:`.
#ifndef PB_TASK_READ_DESIGN_H
#define PB_TASK_READ_DESIGN_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/design.h"

extern const pb_key pb_design_keys[]; // keys of one parameter

// Read the list (NULL: none); its numbers are in the file's tree. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_design_read(const pb_reader *r, const pb_node *root, const pb_node *list,
                         pb_design *out);
#endif
