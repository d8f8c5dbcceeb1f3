// problems/readers/task/foresight.h: checks of a task before the search, which refuse or warn with line and
// column.
#ifndef PB_TASK_FORESIGHT_H
#define PB_TASK_FORESIGHT_H
#include "optim/task/task.h"
#include "problems/readers/format/reader.h"
#include "problems/readers/format/yaml.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"

// Refuse a robot without motors at a node, with the `inputs:` line to write. The robot has passive joints.
dm_status pb_refuse_no_motor(const pb_reader *r, const pb_node *node, const pb_robot *robot);

// Warn of passive joints (pb_robot.passive) if the robot has inputs. If it has no inputs, refuse a task that
// needs them: its cost has weights on inputs or their rates (not in a phase), or its start gives all of q and
// v and it has a goal without a design. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_foresee_motors(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task);

// Refuse a final time (if free, its upper bound) in which a coordinate cannot reach its goal at its speed
// limit. First order only. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_foresee_speeds(const pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task);

// Warn of a start or goal at rest for which the inputs need more than their limits. Only for fully actuated
// robots without constraints. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_foresee_rest(pb_reader *r, const pb_sections *s, const oc_task *task);

// Warn of each input without effect: at the start and at two other states its force is zero on every
// dynamic coordinate, or constraints carry all of it. Costs three evaluations of forces and constraints,
// O(nc^2 n). Returns DM_OK or DM_NO_MEMORY.
dm_status pb_foresee_inputs(pb_reader *r, const pb_sections *s, const oc_task *task);

// Refuse dry friction that holds every coordinate at rest where a motion starts, whatever the inputs within their
// limits, if the goal is elsewhere; warn if it holds only a coordinate whose input is to move it. Returns DM_OK,
// DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_foresee_friction(pb_reader *r, const pb_sections *s, const oc_task *task);

// Refuse a controller that the design would refuse after the search: a rate or an estimator if the damping
// of a joint is over within a step (oc_task.system.lag; only a warning if a free final time may be short
// enough), a rate without a sample in the longest motion, or with more than FB_MOST_SAMPLES in the shortest.
// node: the section. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_foresee_controller(pb_reader *r, const pb_node *node, const pb_context *c,
                                const pb_feedback *f);
#endif
