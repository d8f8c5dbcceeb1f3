// cli/stages/starts.h: a job's task solved from many guesses (optim/multistart.h), and what is said of
// that.
#ifndef CLI_STAGES_STARTS_H
#define CLI_STAGES_STARTS_H
#include "cli/console/log.h"
#include "cli/stages/job.h"
#include "optim/multistart.h"

typedef struct cli_starts {
  cli_job *job;
  oc_multistart found; // its optima
  cli_json *replaced;  // of the file's values, before a goal was
  int seed, taken;     // which optimum is the job's motion; -1: none yet
  cli_progress progress;
} cli_starts;

// Look for optima as --starts or the file says; none is found where it says nothing, or the file's
// guess alone. w is to be freed whatever it returns: an exit status, which has been said why.
int cli_starts_search(cli_starts *w, cli_job *job);
void cli_starts_free(cli_starts *w);

// Let the job begin from optimum i of those found: with its goal in place of the file's, its motion
// for a guess, and its multipliers. Returns an exit status.
int cli_starts_take(cli_starts *w, int i);

// Begin from the problem's own guess again, and its grid; after a solution was found.
void cli_starts_leave(cli_starts *w);

// Where the file says nothing of starts, and its goal is on circles: try the line to each of the goals
// that are the same place, and say so where one costs less than the solution, `objective`, found in
// so many iterations. Returns an exit status.
int cli_starts_hint(cli_job *job, double objective, int iterations);

// result.json, the summary and optima.csv. Returns CLI_DONE, or CLI_INPUT after saying why.
int cli_starts_report(const cli_starts *w);
#endif
