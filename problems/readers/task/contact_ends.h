// problems/readers/task/contact_ends.h: the gaps of contacts at the given ends of a plan.
#ifndef PB_TASK_CONTACT_ENDS_H
#define PB_TASK_CONTACT_ENDS_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/task/sections.h"

// Refuse a start whose gaps are not all given, and an end inside an obstacle by more than 1e-4 of the robot's
// length. An end that is less deep inside, as by rounded numbers, is moved out of it by the smallest change of its
// coordinates, with a warning. Ends with all coordinates of a gap given count. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_contact_ends_check(pb_reader *r, const pb_node *root, const pb_sections *s,
                                oc_task *task);
#endif
