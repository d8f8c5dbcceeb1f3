// problems/readers/task/read_feedback.h: read `feedback:`.
#ifndef PB_TASK_READ_FEEDBACK_H
#define PB_TASK_READ_FEEDBACK_H
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"

// The parameters that `dmoc tune` varies, and its budget (problems/readers/task/tunables.h).
typedef struct pb_tune {
  const pb_node *vary; // NULL: the default selection
  int tries, seed;
  double time, step;
} pb_tune;

extern const pb_key pb_feedback_keys[], pb_tune_keys[];

// Read the section into out (zeroed), arrays in the arena. A NULL node sets only the controller's
// limits, to the robot's. The seed of its sensors is not set. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_feedback_read(pb_reader *r, const pb_node *node, const pb_context *c,
                           pb_feedback *out);
#endif
