// cli/console/command.h: a command, its arguments, and exit statuses.
#ifndef CLI_CONSOLE_COMMAND_H
#define CLI_CONSOLE_COMMAND_H
#include "problems/readers/format/replace.h"

#include <stdbool.h>
#include <stdio.h>

// Exit statuses: done; a negative numerical outcome (not converged, infeasible, gains that fail);
// bad input or usage; an internal error.
enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_INPUT = 2, CLI_FAULT = 3 };

// Maximum number of keys varied by a sweep; of tuned numbers; and of all replaced values, with
// those for a finer grid and for a goal on a circle.
enum { CLI_VARY = 8, CLI_TUNED = 64, CLI_REPLACED = CLI_TUNED + 2 + 96 };

// Maximum numbers of processes of a command (cli/mpi/workers.h), and of guesses and cases.
enum { CLI_WORKERS = 256, CLI_MOST_STARTS = 1000000 };

// Maximum number of options of solvers on a command line.
enum { CLI_SOLVER_OPTIONS = 32 };

// Maximum numbers of operands, and of logs that are held out.
enum { CLI_OPERANDS = 256, CLI_HELD = 64 };

typedef struct cli_args cli_args;

// The last stage of a walk through the stages of a problem (cli/commands/stages.h).
typedef enum cli_goal { CLI_TO_MOTION, CLI_TO_GAINS, CLI_TO_VERIFY, CLI_TO_EXPORT } cli_goal;

// A command, defined in its source (cli/commands/commands.h): a function, or a goal.
typedef struct cli_command {
  const char *name, *what;
  const char *usage;                // operand, then its options: "PROBLEM [-o DIR]"
  int (*run)(const cli_args *args); // returns an exit status; NULL: it walks to its goal
  cli_goal goal;
  unsigned solves; // accepts the options of these solvers (optim/nlp/options.h)
  bool shares;     // distributes its work over all MPI ranks; other commands run only on rank 0
  void (*more)(FILE *f); // additional help; NULL: none
  bool phases; // accepts a file with `phases`; other commands take the folder of one phase
} cli_command;

struct cli_args {
  const cli_command *command;
  const char *operand; // the first
  struct {
    int n;
    const char *word[CLI_OPERANDS];
  } operands;   // all
  bool nowhere; // results are not written here: another process does it, or they are not wanted
  bool silent;  // no output on stdout
  bool again;   // the problem was read before: do not repeat its warnings
  bool below;   // the result folder is inside another one
  bool waits;   // wait for another command in the folder instead of failing
  bool whole, keep, now;
  struct {
    int n;
    const char *word[CLI_VARY];
  } vary;
  struct {
    int n;
    const char *word[CLI_HELD];
  } held;
  pb_replace options[CLI_SOLVER_OPTIONS]; // [nreplace] options of solvers as values of the file
  const pb_replace *replace; // [nreplace] replacements in the problem: these, or a case of a sweep,
  int nreplace, start;       // from the guess itself (0), or a perturbed one
  double spread;             // of the perturbation  [m or rad]
  bool json, quiet, help, floating, second, compare, laws, single, mpc, force, all, each, hessian,
      verbose;
  double starts, wander, searches, threads; // 0 if not given
  const char *out, *from, *what, *only, *q, *v, *a, *u, *knot, *window, *outputs, *output, *method,
      *x, *y, *table, *points, *times, *plane, *xrange, *yrange, *log, *names, *against, *inputs,
      *to, *prefix, *parameters, *kept, *formula; // NULL if not given
};
#endif
