// problems/readers/task/foresight.h: tasks that cannot be done, as far as their file shows it: said
// where they are read, before a search.
#ifndef PB_TASK_FORESIGHT_H
#define PB_TASK_FORESIGHT_H
#include "optim/transcription/task.h"
#include "problems/readers/format/reader.h"
#include "problems/readers/format/yaml.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"

// Refuse at a node that no motor moves the robot, with the line to write; it has passive joints.
dm_status pb_refuse_no_motor(const pb_reader *r, const pb_node *node, const pb_robot *robot);

// Passive joints (pb_robot.passive): beside forces a warning. Without inputs a task that needs them is
// refused: its cost weighs inputs or their rates (except in a phase, which may fly by itself), or its
// start gives all of q and v and its goal something, which only a design could meet. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_foresee_motors(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task);

// Refuse a time, or the longest of a free one, in which a coordinate does not come from its start to its
// goal at the speed that it is limited to in each step; first order alone. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_foresee_speeds(const pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task);

// Warn of a start or a goal at rest that forces within their limits do not keep: of robots with one
// force for each coordinate and without constraints. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_foresee_rest(pb_reader *r, const pb_sections *s, const oc_task *task);

// Warn of each input that acts on nothing: its force is zero at the start and at two generic points on
// every coordinate that moves, or constraints carry all of it. Cost of three evaluations of forces and
// constraints, O(nc2 n). Returns DM_OK or DM_NO_MEMORY.
dm_status pb_foresee_inputs(pb_reader *r, const pb_sections *s, const oc_task *task);

// Refuse a controller that its design would refuse after the search: a rate or an estimator beside a
// joint whose damping is over within a step (oc_task.system.lag; a warning if a free final time may be
// short enough); a rate without a sample in the longest motion (of a task or a balance: other files have
// no duration). node: the section. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_foresee_controller(pb_reader *r, const pb_node *node, const pb_context *c,
                                const pb_feedback *f);
#endif
