// problems/readers/task/read_mpc.h: read `mpc:`, receding-horizon control.
#ifndef PB_TASK_READ_MPC_H
#define PB_TASK_READ_MPC_H
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_mpc_keys[];

// Read the section into out (zeroed), after `feedback`, whose weights and limits it has. Refuses
// parts that the on-board code does not support (control/feedback/receding.h, mechanics.h). Returns
// DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_mpc_read(pb_reader *r, const pb_node *node, const pb_context *c, bool has_feedback,
                      const pb_feedback *f, pb_mpc *out);

// Whether `verify` can run it: refuses a missing section, and the exported controller as a plant. Returns as above.
dm_status pb_mpc_check_verify(const pb_reader *r, const pb_node *verify, const pb_mpc *mpc,
                              const pb_verification *v);
#endif
