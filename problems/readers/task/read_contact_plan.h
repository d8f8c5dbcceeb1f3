// problems/readers/task/read_contact_plan.h: contacts and dry friction of a plan.
#ifndef PB_TASK_READ_CONTACT_PLAN_H
#define PB_TASK_READ_CONTACT_PLAN_H
#include "problems/readers/format/schema.h"
#include "problems/readers/task/problem.h"
#include "problems/readers/task/sections.h"

// Compile the contacts and the dry friction of the robot for a file with a horizon, into the system of the task,
// with names of their rows. Refuses sections that cannot be beside them.
dm_status pb_contact_plan_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                               pb_problem *p);

// Refuse a task, which has been read, that plans through contact cannot have, and ends inside an obstacle.
dm_status pb_contact_plan_check(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_problem *p);
#endif
