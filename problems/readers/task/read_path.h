// problems/readers/task/read_path.h: `path:`, a curve in space that outputs follow in a timing of
// their own.
#ifndef PB_TASK_READ_PATH_H
#define PB_TASK_READ_PATH_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_followed_keys[];

// Read it into task->outputs.follow, whose arrays are the arena's; s->path NULL: nothing. The rest of
// the task, its outputs included, is read.
//   near  [r->n] where the first posture is looked for, NAN: anywhere; kept
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_path_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                       const double *near, oc_task *task);
#endif
