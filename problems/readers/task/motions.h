// problems/readers/task/motions.h: the motions that a problem file gives: `guess:` and `simulate:`.
#ifndef PB_TASK_MOTIONS_H
#define PB_TASK_MOTIONS_H
#include "problems/readers/task/problem.h"
#include "problems/readers/task/task.h"

extern const pb_key pb_guess_keys[], pb_simulate_keys[];

// Fill p->guess and what belongs to it; the task is there. A free final time that was given no
// guess takes that of the CSV file, where it is within its bounds.
dm_status pb_guess_read(pb_reader *r, const pb_sections *s, pb_problem *p);

// Fill p->sim_*; p->task is there where p->has_task.
dm_status pb_simulate_read(pb_reader *r, const pb_sections *s, pb_problem *p);
#endif
