// problems/readers/task/read_estimator.h: read `feedback.estimator:`, the encoders and their
// accuracy.
#ifndef PB_TASK_READ_ESTIMATOR_H
#define PB_TASK_READ_ESTIMATOR_H
#include "control/feedback/estimator.h"
#include "lib/multibody/robot.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_estimator_keys[];

// Read the sensors' noise except its seed, arrays in the arena; a NULL node leaves it unchanged.
dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, const dm_robot *robot,
                            const dm_system *system, int delay, fb_sensor_noise *sensors,
                            bool *by_map);
#endif
