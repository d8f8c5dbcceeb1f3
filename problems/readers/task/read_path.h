// problems/readers/task/read_path.h: read `path:`, a curve that outputs follow with free timing.
#ifndef PB_TASK_READ_PATH_H
#define PB_TASK_READ_PATH_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_followed_keys[];

// Read the path into task->outputs.follow, whose arrays are in the arena; s->path NULL: none. The
// rest of the task, including its outputs, must be read.
//   near  [r->n] where to look for the first configuration, NAN: anywhere; kept
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_path_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                       const double *near, oc_task *task);
#endif
