// problems/readers/task/read_feedback.h: `feedback:`.
#ifndef PB_TASK_READ_FEEDBACK_H
#define PB_TASK_READ_FEEDBACK_H
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"

// What `dmoc tune` changes, and how long it tries (problems/readers/task/tunables.h).
typedef struct pb_tune {
  const pb_node *vary; // NULL: what is usual
  int tries, seed;
  double time, step;
} pb_tune;

extern const pb_key pb_feedback_keys[], pb_tune_keys[];

// Read the section into out (zeroed), arrays in the arena; a NULL node leaves it but for the law's
// limits, which are then the robot's. The seed of its sensors is not set. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_feedback_read(pb_reader *r, const pb_node *node, const pb_context *c,
                           pb_feedback *out);
#endif
