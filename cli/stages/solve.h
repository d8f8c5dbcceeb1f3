// cli/stages/solve.h: the task of a job solved on the job's grid (optim/solve.h), and what is said
// and written of that.
#ifndef CLI_STAGES_SOLVE_H
#define CLI_STAGES_SOLVE_H
#include "cli/console/log.h"
#include "cli/stages/follow.h"
#include "cli/stages/job.h"
#include "cli/stages/refine.h"
#include "optim/grid_error.h"

typedef struct cli_solve {
  cli_job *job;
  oc_solution *solution;
  oc_solve_settings set;
  bool same;             // the guess is a motion on the same grid: it may have multipliers
  cli_following plant;   // what a plant makes of the motion; followed by none yet: no y
  cli_coarseness coarse; // it is solved, and no plant does what it says
  int rounds;            // of bounds narrowed so that limits on outputs are kept between knots
  bool refitted;         // stiff damping was fitted anew to the steps of a free final time
  oc_grid_error error;   // of the solution
  const oc_solution
      *coarser; // of the grid of half the steps, to begin from its multipliers; or NULL
  dm_trajectory *const *motions; // of phases, to begin from in the place of the guess; or NULL
  cli_progress progress;
  oc_iterate at; // the last iterate; iteration < 0: none yet
} cli_solve;

// Into set the file's method, solver and limits of the search, and --solver; without a word there is a
// choice (optim/solve.h). false after saying which word cannot be.
bool cli_solve_choose(const cli_job *job, oc_solve_settings *set);

// Build the program of the job's task, and solve it from the job's guess in the time that there is
// left (cli_job_time_left); the motion becomes the job's. Each returns an exit status and has said why. w is
// to be freed whatever they return; it must not move in between.
int cli_solve_new(cli_solve *w, cli_job *job);
int cli_solve_run(cli_solve *w);
void cli_solve_free(cli_solve *w);

// Free w, and put another one, solved, in its place.
void cli_solve_replace(cli_solve *w, const cli_solve *by);

// Count the search that w went on from as its own: iterations, guesses, times.
void cli_solve_add_effort(cli_solve *w, const cli_solve *before);

// Whether the solver says that it is solved; and, of second order, by a motion of the system's own
// steps as well; and what it says, in a word.
bool cli_solve_is_done(const cli_solve *w);
bool cli_solve_is_whole(const cli_solve *w);
const char *cli_solve_word(const cli_solve *w);

// result.json, the summary and what is to be warned of; of second order, how well the motion
// agrees with the solution that it follows.
void cli_solve_report(const cli_solve *w);
void cli_solve_report_agreement(const cli_solve *w);

// trajectory.csv and outputs.csv of the job's motion, which a plant has followed or not (NULL). Returns
// CLI_DONE, or what went wrong.
int cli_motion_write(cli_job *job, const cli_following *plant);

// The files of the motion, or of phases those that they have together. Returns CLI_DONE, or CLI_INPUT after saying why.
int cli_solve_write(cli_solve *w);
#endif
