// problems/readers/task/read_estimator.h: `feedback.estimator:`, what encoders read and how well.
#ifndef PB_TASK_READ_ESTIMATOR_H
#define PB_TASK_READ_ESTIMATOR_H
#include "control/feedback/estimator.h"
#include "lib/multibody/model.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_estimator_keys[];

// The sensors' noise but for its seed, arrays in the arena; a NULL node leaves it.
dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, const dm_model *m,
                            const dm_system *system, int delay, fb_sensor_noise *sensors,
                            bool *by_map);
#endif
