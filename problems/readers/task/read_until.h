// problems/readers/task/read_until.h: read `until:`, the event at which a motion or a phase ends:
//
//   until: {touch: foot}    the gap `foot` is 0 at the last knot, and >= 0 at the knots between both ends
#ifndef PB_TASK_READ_UNTIL_H
#define PB_TASK_READ_UNTIL_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_until_keys[];

// Append the limits of an event to `limit` [*n], which must have room for two; the task's steps must be set. A
// NULL node appends none. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_until_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                        const oc_task *task, oc_output_limit *limit, int *n);
#endif
