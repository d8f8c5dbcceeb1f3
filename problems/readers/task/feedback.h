// problems/readers/task/feedback.h: `feedback:` and `verify:`: gains, what a controller is given
// and when, and how it is tried.
#ifndef PB_TASK_FEEDBACK_H
#define PB_TASK_FEEDBACK_H
#include "problems/readers/task/problem.h"
#include "problems/readers/task/task.h"

extern const pb_key pb_feedback_keys[], pb_verify_keys[];

// Fill the problem from either section; a NULL node says that it is not there. `verify` is refused
// without `feedback`, which is read first.
dm_status pb_feedback_read(const pb_reader *r, const pb_node *node, pb_problem *p);
dm_status pb_verify_read(const pb_reader *r, const pb_node *node, pb_problem *p);
#endif
