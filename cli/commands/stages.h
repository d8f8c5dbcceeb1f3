// cli/commands/stages.h: the stages of which commands consist, each in the source of its main
// command. A stage adds to a call (cli/stages/call.h), to result.json and to the summary.
//
//   motion          optimize | simulate | balance, or read from a result folder
//   gains           TVLQR along the motion, the controller in terms of measurements, the estimator
//   verify          random starts on each plant; each axis of mismatch separately; the region of
//                   attraction
//   export          the controller as C
//   page            report.html
//   linearization   A, B at each knot, controllability and observability
//
// Unless noted, each returns an exit status: CLI_DONE; CLI_OUTCOME for a negative result; or
// CLI_INPUT and CLI_FAULT after reporting why. No stage calls a later one.
#ifndef CLI_COMMANDS_STAGES_H
#define CLI_COMMANDS_STAGES_H
#include "cli/stages/call.h"
#include "cli/stages/passage.h"
#include "problems/readers/model/machines.h"

// -- walking through the stages

// Run the stages from the motion to a goal, each using the results of earlier ones. For a call on a
// result folder, the goal's stage is repeated, and earlier stages are read from the folder if
// available: a verdict is kept. On the way to export, --force ignores a negative verdict. Returns
// the exit status of the last stage.
int cli_walk(cli_call *call, cli_goal goal);

// Run the stages after the existing motion, up to a goal.
int cli_walk_on(cli_call *call, cli_goal goal);

// Run a single stage on the way to a goal.
int cli_walk_stage(cli_call *call, cli_goal stage, cli_goal goal);

// A command whose row has a goal instead of a function: open, walk, close.
int cli_walk_command(const cli_args *args);

// The same for an open call, if the problem has feedback; otherwise only its motion or simulation.
int cli_run(cli_call *call, cli_goal goal);

// -- motion

// Provide the motion: read from the result folder and checked against the current problem, or
// optimized, or, without a horizon, simulated or balanced. Returns CLI_INPUT if its steps are not
// steps of a map that can be linearized.
int cli_motion(cli_call *call);

// Solve the problem's task: trajectory.csv, convergence.csv and related files.
int cli_optimize(cli_call *call);

// Solve the phases of a problem as one program, on finer grids if the plant requires it. Each phase
// gets a folder inside the call's, with its motion and the later stages up to a goal.
int cli_phases(cli_call *call, cli_goal goal);

// Integrate as in the problem's simulate section. simulate: all knots, into the motion; streamed:
// only every `every`-th knot, into trajectory.csv; flow: by a second-order discrete Lagrangian.
int cli_simulate(cli_call *call);
int cli_simulate_streamed(cli_call *call);
int cli_flow(cli_call *call);

// Stay at the equilibrium of the problem's balance section.
int cli_balance(cli_call *call);

// -- feedback

// The gains along the motion, and the controller; with `stored`, those of the result folder if it
// has them. Writes gains.csv, measured.csv; cli_estimate writes the estimator's files.
int cli_gains(cli_call *call, bool stored);

// Describe the measurement, rate, delay and estimator of a problem's gains, or of its
// receding-horizon control; returns text.
enum { CLI_MANNER = 192 };
const char *cli_manner(const pb_problem *p, bool recedes, char text[CLI_MANNER]);

// Make the estimator along the motion, which provides the gains with states: estimator.csv.
int cli_estimate(cli_call *call);

// Verify the gains: verify.csv. starts: of samples, from the previous phase, NULL: by spread; ends:
// of samples, recorded for the next phase; NULL: not recorded. cli_robustness: on a plant of this
// kind and if the problem requests it, each axis separately and the region of attraction:
// robustness.csv, region.csv.
int cli_verify(cli_call *call, const cli_passage *starts, cli_passage *ends);
int cli_robustness(cli_call *call, pb_plant kind);

// Compute the controller's score by the problem's criteria, if there are any: criteria.csv.
int cli_criteria(cli_call *call);

// Export the controller, if it was verified successfully, or with --force: controller.c, .h, its
// trace and replay. Otherwise result.json states the reason.
int cli_export(cli_call *call);

// The name of a phase as part of an identifier of C: "a-b" is a_b, "1" is phase_1. Returns text.
enum { CLI_PHASE_NAME = 56 };
const char *cli_phase_identifier(const char *phase, char text[CLI_PHASE_NAME]);

// Record the prefix of the controller's files before they are begun (NULL: controller), and remove
// the files of an earlier controller with another prefix.
void cli_set_controller_prefix(cli_call *call, const char *prefix);

// -- pages

// Make the page of the folder that a call was written to, report.html (cli/report/page.h); the
// second function only if the folder already has one; the third converts its files for other
// programs (cli/exchange/formats.h), if it has them. Each returns the exit status of a failure
// after reporting which file is missing or outdated; the result itself is complete without it.
int cli_report_written(cli_call *call);
int cli_report_again(cli_call *call);
int cli_convert_again(cli_call *call);

// Both of these, called by cli_call_close (cli_call.written) after a stage on a folder.
int cli_shown_again(cli_call *call);

// Report that a file of the call's folder was not made, and why; returns status.
int cli_fail_shown(const cli_call *call, int status, const char *file, const char *why);

// -- linearization

// Controllability and observability at knots first to last: reach.csv.
int cli_controllability(cli_call *call, int first, int last);
#endif
