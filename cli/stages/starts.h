// cli/stages/starts.h: a job's task solved from many guesses (optim/multistart.h), and what is said of
// that.
//
// The search from the problem's own guess comes first, and its solution is one of the optima. If the file
// and --starts say nothing, others are searched for only if that guess led to no motion and another one
// did: a first success is then a matter of chance. That search costs as much again, or what takes about a
// second, counted in iterations.
#ifndef CLI_STAGES_STARTS_H
#define CLI_STAGES_STARTS_H
#include "cli/stages/solve.h"
#include "optim/multistart.h"

typedef struct cli_starts {
  cli_job *job;
  oc_multistart found; // its optima
  cli_json *replaced;  // of the file's values, before a goal was
  oc_multistart_settings set;
  int taken;   // which optimum is the job's motion; -1: none yet
  bool asked;  // by the file or by --starts
  double best; // the best objective shown that the plant follows; INFINITY: none so far
  cli_progress progress;
} cli_starts;

// Read what --starts and the file ask for. w is to be freed whatever it returns: an exit status, which
// has been said why.
int cli_starts_open(cli_starts *w, cli_job *job);
void cli_starts_free(cli_starts *w);

// Is the task to be solved from other guesses as well, after the search from its own?
bool cli_starts_are_wanted(const cli_starts *w, const cli_solve *own);

// Look for optima; the first is that solution, if it is one. Returns an exit status.
int cli_starts_search(cli_starts *w, const cli_solve *own);

// Let the job begin from optimum i of those found: with its goal in place of the file's, its motion
// for a guess, and its multipliers. The job has no solution at the moment. Returns an exit status.
int cli_starts_take(cli_starts *w, int i);

// Begin from the problem's own guess again, and its grid; after a solution was found.
void cli_starts_leave(cli_starts *w);

// If nobody searched from other guesses, or asked not to, and the goal is on circles: try the line to each
// of the goals that are the same place, and say so if one costs less than the solution, `objective`,
// found in so many iterations. Returns an exit status.
int cli_starts_hint(const cli_starts *w, double objective, int iterations);

// result.json, the summary and optima.csv. Returns CLI_DONE, or CLI_INPUT after saying why.
int cli_starts_report(const cli_starts *w);
#endif
