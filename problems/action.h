// problems/action.h: `transcription: second-order`: what a file says of it, and what it does not
// take.
#ifndef PB_ACTION_H
#define PB_ACTION_H
#include "problems/problem.h"
#include "problems/task.h"

// Fill p->second and p->action, and refuse what such a transcription does not take, or what takes
// it where there is none. The task, where there is one, and p->solver are there.
dm_status pb_action_read(pb_reader *r, const pb_node *root, const pb_sections *s, pb_problem *p);
#endif
