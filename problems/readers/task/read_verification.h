// problems/readers/task/read_verification.h: read `verify:`.
#ifndef PB_TASK_READ_VERIFICATION_H
#define PB_TASK_READ_VERIFICATION_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_verify_keys[];

// Read the section into out (zeroed), arrays in the arena; a NULL node leaves it unchanged. The
// section is refused without feedback. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_verify_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                         bool has_feedback, pb_verification *out);

// Set the duration of bounds that apply while the end is held. Refuse disturbances that the
// controller of `feedback:` cannot have or would ignore, and pushes that do not fit into a motion of
// known duration; c belongs to the same file. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_verify_check(const pb_reader *r, const pb_node *node, const pb_context *c,
                          const pb_feedback *f, pb_verification *v);
#endif
