// cli/commands/stages.h: the stages that commands are made of, each beside the command that is
// mainly it. A stage adds to a job (cli/stages/job.h), to result.json and to the summary.
//
//   motion          optimize | simulate | balance, or read from a result folder
//   gains           TVLQR along the motion, its law in what is measured, the estimator
//   verify          seeded starts on each plant; each axis of mismatch alone; the region of starts
//   export          the law as C
//   page            report.html
//   linearization   A, B of each knot, and what inputs reach and outputs show
//
// Each returns an exit status, unless it says otherwise: CLI_DONE; CLI_OUTCOME where the numbers say no; CLI_INPUT and
// CLI_FAULT after saying why. No stage calls one that is later in this list.
#ifndef CLI_COMMANDS_STAGES_H
#define CLI_COMMANDS_STAGES_H
#include "cli/stages/job.h"
#include "problems/readers/model/machines.h"

// -- the way through the stages

// Walk from the motion to a goal, each stage on what those before it have kept. Of a job on a
// result folder the goal's stage is done anew, and those before it are read where the folder has
// them: a verdict stands. On the way to export, --force goes on from a verdict that says no.
// Returns the exit status of the stage that was the last.
int cli_walk(cli_job *job, cli_goal goal);

// The stages after the motion, which the job has, up to a goal.
int cli_walk_on(cli_job *job, cli_goal goal);

// One of these alone, on the way to a goal.
int cli_walk_stage(cli_job *job, cli_goal stage, cli_goal goal);

// A command whose row has a goal in place of a function: open, walk, close.
int cli_walk_command(const cli_args *args);

// The same of a job that is open, where the problem asks for feedback; else its motion, or what it
// simulates, and nothing after it.
int cli_run(cli_job *job, cli_goal goal);

// -- the motion

// job->x: read from the result folder and held against the problem as it is now, or optimized, or,
// where the problem has no horizon, simulated or balanced. CLI_INPUT where its steps are none of
// the map that can be linearized.
int cli_motion(cli_job *job);

// Solve the problem's task: trajectory.csv, convergence.csv and what belongs to them.
int cli_optimize(cli_job *job);

// Solve the phases of a problem as one program, on finer grids where the plant asks for it: a folder
// for each in the job's, with its motion and what comes after that up to a goal, phase by phase.
int cli_phases(cli_job *job, cli_goal goal);

// Integrate as the problem's simulate section says: whole, into job->x; kept, only those knots into
// trajectory.csv that `every` asks for; flow, by a discrete Lagrangian of second order.
int cli_simulate(cli_job *job);
int cli_simulate_streamed(cli_job *job);
int cli_flow(cli_job *job);

// Stay where the problem's balance section says.
int cli_balance(cli_job *job);

// Where the problem's gains hold its end: job->x becomes the motion and then rest there. Returns
// DM_OK, or what failed, with job->msg and job->x as it was.
dm_status cli_append_rest(cli_job *job);

// -- its feedback

// The gains along job->x, and the law that runs: with `stored`, those of the result folder where it
// has them. gains.csv, measured.csv; the estimator's files by cli_estimate.
int cli_gains(cli_job *job, bool stored);

// How the controller of a problem runs, in words; returns text.
enum { CLI_MANNER = 192 };
const char *cli_manner(const pb_problem *p, char text[CLI_MANNER]);

// The filter along the motion, through which job->f then sees the state: estimator.csv.
int cli_estimate(cli_job *job);

// Whether the gains hold: verify.csv, and by cli_robustness, on a plant of this kind and where the
// problem asks for it, each axis alone and the region of starts: robustness.csv, region.csv.
int cli_verify(cli_job *job);
int cli_robustness(cli_job *job, pb_plant kind);

// The score of the law by the problem's criteria, where it has any: criteria.csv.
int cli_criteria(cli_job *job);

// The law for a robot, where a verification says that it holds, or with --force: controller.c, .h,
// its trace and replay. Else result.json says why there is none.
int cli_export(cli_job *job);

// -- what is seen of it

// The page of the folder that a job was written to, report.html (cli/report/page.h); the second, where
// the folder has one already; the third, its files for other programs (cli/exchange/formats.h)
// where it has them. Each returns the exit status of what fails, after saying which file is not there
// or is as it was; the result is whole without it.
int cli_report_written(cli_job *job);
int cli_report_again(cli_job *job);
int cli_convert_again(cli_job *job);

// Both of these, to be called by cli_job_close (cli_job.written) after a stage on a folder.
int cli_shown_again(cli_job *job);

// Say that a file of the folder that a job was written to was not made, and why; returns status.
int cli_fail_shown(const cli_job *job, int status, const char *file, const char *why);

// -- its linearization

// What inputs reach and outputs show, at knots first to last: reach.csv.
int cli_controllability(cli_job *job, int first, int last);
#endif
