// problems/readers/task/read_cones.h: read `bounds: {friction}`, the cones of the impulses of pinned points:
//
//   friction: {pin: 0.6, other: {coefficient: 0.6, normal: [0, 0, 1]}}
//
// With the force f on the first point of a constraint, its normal part f_n along `normal` and its parts f_1, f_2 along
// two tangents, |f_1| + |f_2| <= coefficient f_n, as in plans through contact.
#ifndef PB_TASK_READ_CONES_H
#define PB_TASK_READ_CONES_H
#include "problems/readers/task/sections.h"

extern const pb_key pb_cone_keys[];

// Read the cones into task->cones, in the arena. A NULL node has no cones. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_cones_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                        oc_task *task);
#endif
