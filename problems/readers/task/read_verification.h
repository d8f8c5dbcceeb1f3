// problems/readers/task/read_verification.h: `verify:`.
#ifndef PB_TASK_READ_VERIFICATION_H
#define PB_TASK_READ_VERIFICATION_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_verify_keys[];

// Read the section into out (zeroed), arrays in the arena; a NULL node leaves it. It is refused
// without feedback. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_verify_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                         bool has_feedback, pb_verification *out);

// Say of bounds on outputs how long the end is held, and refuse what the law of `feedback:` has no use for or cannot have, and pushes that have no room in a
// motion whose time is known; c is of the same file. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_verify_check(const pb_reader *r, const pb_node *node, const pb_context *c,
                          const pb_feedback *f, pb_verification *v);
#endif
