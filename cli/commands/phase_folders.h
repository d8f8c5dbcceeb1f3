// cli/commands/phase_folders.h: the phases of a motion that was solved, a result folder each, with the
// stages after their motions.
//
//   motions  forwards, as if each problem were alone
//   gains    from the last to the first: the cost-to-go of each goes back through its join
//   verify   from the first to the last: samples go on through joins, and count where all end
//   export   a controller of each, where enough samples come through all
#ifndef CLI_COMMANDS_PHASE_FOLDERS_H
#define CLI_COMMANDS_PHASE_FOLDERS_H
#include "cli/stages/follow.h"
#include "cli/stages/job.h"

// What was found of one phase.
typedef struct cli_phase_motion {
  dm_trajectory **x; // taken over: NULL afterwards
  const cli_following *plant;
  int rounds; // of narrower bounds on outputs (cli_between_report)
  bool solved, coarse;
  const char *status; // of the solution
  double objective;
} cli_phase_motion;

// Write the folders of job's phases up to a goal, and what all samples came to into job.result.
//   motion  [job->p->phases.n]
// Returns an exit status, the worst of all.
int cli_phase_folders(cli_job *job, const cli_phase_motion *motion, cli_goal goal);
#endif
