// cli/stages/solve.h: solve the task of a call on its grid (optim/solve.h), report the result and
// write its files.
#ifndef CLI_STAGES_SOLVE_H
#define CLI_STAGES_SOLVE_H
#include "cli/console/log.h"
#include "cli/stages/call.h"
#include "cli/stages/follow.h"
#include "cli/stages/refine.h"
#include "optim/grid_error.h"

typedef struct cli_solve {
  cli_call *call;
  oc_solution *solution;
  oc_setup set;
  bool same;                  // the guess has the same grid, and may have multipliers
  cli_following plant;        // the motion of a plant; no y: not followed yet
  cli_coarseness coarse;      // solved, but no plant follows the motion
  int rounds;                 // rounds of narrowing bounds to enforce output limits between knots
  bool refitted;              // stiff damping was fitted again to the step of a free final time
  oc_grid_error error;        // of the solution
  const oc_solution *coarser; // solution with half the steps, for its multipliers; or NULL
  dm_trajectory *const *motions; // of phases, used instead of the guess; or NULL
  cli_progress progress;
  oc_iterate at; // the last iterate; iteration < 0: none yet
} cli_solve;

// Set the options of the problem, within the remaining time.
void cli_solve_choose(const cli_call *call, oc_setup *set);

// Build the program of the call's task, and solve it from the run's guess in the remaining time
// (cli_call_time_left); the motion is stored in the call. Each returns an exit status after
// reporting errors. Free w in any case; do not move it in between.
int cli_solve_new(cli_solve *w, cli_call *call);
int cli_solve_run(cli_solve *w);

// Report that phases are refused (oc_phases_new, with call->msg), and where the file has the phase. Returns an exit
// status.
int cli_refuse_phases(const cli_call *call, dm_status s);
void cli_solve_free(cli_solve *w);

// Free w and replace it by another, solved one.
void cli_solve_replace(cli_solve *w, const cli_solve *by);

// Add the effort of an earlier search to w: iterations, guesses, times.
void cli_solve_add_effort(cli_solve *w, const cli_solve *before);

// Whether the solver reports a solution; of second order, whether it is also a motion of the
// system's own steps; and the solver's status as a word.
bool cli_solve_is_done(const cli_solve *w);
bool cli_solve_is_whole(const cli_solve *w);
const char *cli_solve_word(const cli_solve *w);

// Write result.json, the summary and warnings; of second order also how well the motion agrees with
// the solution that it follows.
void cli_solve_report(const cli_solve *w);
void cli_solve_report_agreement(const cli_solve *w);

// Write trajectory.csv and outputs.csv of the run's motion, with the plant's motion if available
// (else NULL). Returns CLI_DONE, or an exit status after reporting errors.
int cli_motion_write(cli_call *call, const cli_following *plant);

// Write the files of the motion, or of phases their common files. Returns CLI_DONE, or CLI_INPUT
// after reporting why.
int cli_solve_write(cli_solve *w);

// Report why a program has no value at the guess of the call: a formula of the model or of an output
// without one, the call's message, or the status.
int cli_fail_start(cli_call *call, dm_status s);
#endif
