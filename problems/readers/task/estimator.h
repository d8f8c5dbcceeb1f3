// problems/readers/task/estimator.h: `feedback.estimator:`, what encoders read and how well.
#ifndef PB_TASK_ESTIMATOR_H
#define PB_TASK_ESTIMATOR_H
#include "problems/readers/task/problem.h"
#include "problems/readers/task/task.h"

extern const pb_key pb_estimator_keys[];

// Fill p->sensors but for the seed; a NULL node leaves p without an estimator.
dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, pb_problem *p);
#endif
