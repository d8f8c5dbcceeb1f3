// problems/readers/task/second_order.h: `transcription: second-order`: what a file says of it, and
// what it does not take.
#ifndef PB_TASK_SECOND_ORDER_H
#define PB_TASK_SECOND_ORDER_H
#include "problems/readers/task/problem.h"
#include "problems/readers/task/task.h"

// Fill p->second and p->action, and refuse what such a transcription does not take, or what takes
// it where there is none. The task, where there is one, and p->solver are there.
dm_status pb_action_read(pb_reader *r, const pb_node *root, const pb_sections *s, pb_problem *p);
#endif
