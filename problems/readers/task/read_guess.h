// problems/readers/task/read_guess.h: `guess:`.
#ifndef PB_TASK_READ_GUESS_H
#define PB_TASK_READ_GUESS_H
#include "problems/readers/task/guess.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_guess_keys[];

// Read the section for a task into out (zeroed), whose motion is to be freed by dm_trajectory_free,
// whatever is returned; its inputs are the arena's. A free final time that was given no guess takes
// that of the CSV file, where it is within its bounds: then task->T is set. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
// A table whose angles look like degrees has a warning. m: the coordinates' kinds, as files name them.
dm_status pb_guess_read(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task,
                        pb_guess *out);
#endif
