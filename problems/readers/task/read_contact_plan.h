// problems/readers/task/read_contact_plan.h: contacts and dry friction of a plan.
#ifndef PB_TASK_READ_CONTACT_PLAN_H
#define PB_TASK_READ_CONTACT_PLAN_H
#include "lib/multibody/robot_contact_laws.h"
#include "optim/nlp/options.h"
#include "optim/task/join.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/names.h"
#include "problems/readers/task/sections.h"

// Compile the contacts and the dry friction of a robot for a file with a horizon, into *laws (NULL: none) and the
// task's system, with names of their rows. Refuses sections that cannot be beside them.
dm_status pb_contact_plan_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                               const pb_robot *robot, dm_robot_contact_laws **laws,
                               dm_system *system, pb_names *names);

// Refuse a task, which has been read, that plans through contact cannot have; check its ends
// (problems/readers/task/contact_ends.h) and its dry friction (pb_foresee_friction).
dm_status pb_contact_plan_check(pb_reader *r, const pb_node *root, const pb_sections *s,
                                oc_task *task);

// Refuse phases that plans through contact cannot have together, and take their common contact.epsilon.
//   task, of  of each phase [phases->n]
dm_status pb_contact_phases_check(pb_reader *r, const pb_node *phases, const oc_task *const *task,
                                  const oc_options *const *of, oc_options *options);

// Refuse a periodic motion in phases that cannot close: a contact sticks at every knot of the given schedules, and
// `travel` would move it.
//   task, join  of each phase [n]
dm_status pb_contact_gait_check(pb_reader *r, const oc_task *const *task, const oc_join *join,
                                int n);

// Read `contact:` into the laws and the options; without laws it must not be there.
//   knots  of the schedule: those of a plan, or the steps of a simulation
dm_status pb_contact_schedule_read(pb_reader *r, const pb_sections *s, int knots,
                                   dm_robot_contact_laws *laws, oc_options *options);
#endif
