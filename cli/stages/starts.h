// cli/stages/starts.h: solve a run's task from many initial guesses (optim/multistart.h), and
// report the result.
//
// The search from the problem's own guess comes first, and its solution is one of the optima. If
// neither the file nor --starts requests more, other guesses are used only if that guess led to no
// motion and another one did: a first success is then a matter of chance. This search may cost as
// much again, or as many iterations as take about a second.
#ifndef CLI_STAGES_STARTS_H
#define CLI_STAGES_STARTS_H
#include "cli/stages/solve.h"
#include "optim/multistart.h"

typedef struct cli_starts {
  cli_call *call;
  oc_multistart found; // the optima
  cli_json *replaced;  // replacements of the file's values, except for a goal
  oc_setup set;
  oc_known own; // the solution from the problem's own guess, if there is one
  int taken;    // index of the optimum used for the run's motion; -1: none yet
  bool asked;   // requested by the file or by --starts
  double best;  // the best objective shown that the plant follows; INFINITY: none yet
  cli_progress progress;
} cli_starts;

// Read the settings of --starts and the file. Free w in any case. Returns an exit status after
// reporting errors.
int cli_starts_open(cli_starts *w, cli_call *call);
void cli_starts_free(cli_starts *w);

// Whether to solve the task from other guesses as well, after the search from its own guess.
bool cli_starts_are_wanted(const cli_starts *w, const cli_solve *own);

// Search for optima; the first is the given solution, if it is one. Returns an exit status.
int cli_starts_search(cli_starts *w, const cli_solve *own);

// Initialize the call with optimum i: its goal replaces the file's, its motion is the guess, with
// its multipliers. The call must have no solution at the moment. Returns an exit status.
int cli_starts_take(cli_starts *w, int i);

// Return to the problem's own guess and grid after a solution was found.
void cli_starts_leave(cli_starts *w);

// If other guesses were neither requested nor excluded, and the goal is on circles: try the line to
// each equivalent goal, and print a hint if one costs less than the solution with this objective
// and number of iterations. Returns an exit status.
int cli_starts_hint(const cli_starts *w, double objective, int iterations);

// Write result.json, the summary and optima.csv. Returns CLI_DONE, or CLI_INPUT after reporting
// why.
int cli_starts_report(const cli_starts *w);
#endif
