// problems/readers/task/read_guess.h: read `guess:`.
#ifndef PB_TASK_READ_GUESS_H
#define PB_TASK_READ_GUESS_H
#include "problems/readers/task/guess.h"
#include "problems/readers/task/sections.h"

extern const pb_key pb_guess_keys[];

// Read the section for a task into out (zeroed). Free its motion with dm_trajectory_free, whatever
// is returned; its inputs are in the arena. A free final time without a guess takes the duration of
// the CSV file if that is within its bounds; then task->T is set. Warns about a table whose angles
// look like degrees. m: the kinds of the coordinates. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_guess_read(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task,
                        pb_guess *out);
#endif
