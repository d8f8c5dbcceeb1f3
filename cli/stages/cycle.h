// cli/stages/cycle.h: reports on a periodic motion in phases: how deviations grow from period to period, and samples
// that walk for many periods.
#ifndef CLI_STAGES_CYCLE_H
#define CLI_STAGES_CYCLE_H
#include "cli/stages/call.h"
#include "optim/program/phases.h"

// Report the multipliers of a cycle (optim/program/cycle.h) in the group `cycle`, with gains in `cycle.feedback`, and in
// the summary. Does nothing if the motion is not periodic or has no multipliers.
//   motion  [t->n]
//   gains   [t->n] by phase; NULL: without feedback
// Returns CLI_DONE, or CLI_FAULT if out of memory.
int cli_cycle_report(cli_call *call, const oc_phases_task *t, const dm_trajectory *const *motion,
                     const double *const *gains);

// The same for the call's motion if its task is periodic without phases, with the gains K of the run or without.
// Does nothing for gains that act a step late, integrate errors or command motors with a lag, whose loop has more states.
int cli_cycle_report_motion(cli_call *call, bool feedback);

// Run the samples of `verify` for verify.periods periods on the discrete and on the continuous plant, and report them
// in the group `verify` of the call of all phases.
//   run  of the phases, with gains and laws
// Returns CLI_DONE; CLI_OUTCOME if too few keep walking, or after an interrupt; CLI_INPUT or CLI_FAULT after reporting
// the reason.
int cli_cycle_verify(cli_call *call, pb_run *const *run);

// The last lines of the summary of cli_cycle_verify.
void cli_cycle_tell(cli_call *call);
#endif
