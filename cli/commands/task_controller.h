// cli/commands/task_controller.h: one controller for all phases of a task, beside the controllers of
// its phases.
#ifndef CLI_COMMANDS_TASK_CONTROLLER_H
#define CLI_COMMANDS_TASK_CONTROLLER_H
#include "cli/stages/call.h"

// Check that names of phases give different names in C before their controllers are made. Returns
// CLI_DONE, or CLI_OUTCOME after reporting it.
int cli_task_names(cli_call *call);

// Write controller.c and controller.h of a task into its folder, once its phases are exported; if
// one controller cannot be made of them, result.json states the reason.
//   phase  [call->run.p->phases.n] open calls
// Returns an exit status.
int cli_task_export(cli_call *call, cli_call *const *phase);

// The line of the summary.
void cli_task_tell(cli_call *call);
#endif
