// cli/commands/phase_folders.h: write the solved phases of a motion to one result folder each,
// including the stages after the motion.
//
//   motions  forward, as if each problem were alone
//   gains    from the last phase to the first: the cost-to-go is carried back through joins
//   verify   from the first to the last: samples continue through joins, and are judged at the end
//   export   a controller per phase, and one for the task (cli/commands/task_controller.h), if
//            enough samples pass all phases
#ifndef CLI_COMMANDS_PHASE_FOLDERS_H
#define CLI_COMMANDS_PHASE_FOLDERS_H
#include "cli/stages/call.h"
#include "cli/stages/follow.h"

// The solution of one phase.
typedef struct cli_phase_motion {
  dm_trajectory **x; // ownership is taken: NULL afterwards
  const cli_following *plant;
  int rounds; // of narrowing output bounds (cli_between_report)
  bool solved, coarse;
  const char *status; // of the solution
  double objective;
} cli_phase_motion;

// Write the folders of the run's phases up to a goal, and the verdict on all samples to
// call.result.
//   motion  [call->run.p->phases.n]
// Returns the worst exit status.
int cli_phase_folders(cli_call *call, const cli_phase_motion *motion, cli_goal goal);

// Export the controllers of the phases of a result folder, and that of the task. Returns the worst
// exit status.
int cli_phase_folders_export(cli_call *call);
#endif
