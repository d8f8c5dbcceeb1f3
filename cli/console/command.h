// cli/console/command.h: a command, what it was given, and what becomes of it.
#ifndef CLI_CONSOLE_COMMAND_H
#define CLI_CONSOLE_COMMAND_H
#include <stdbool.h>
#include <stdio.h>

// Exit statuses: done; a numerical outcome (not converged, infeasible, gains that do not hold); bad
// input or usage; a fault of ours.
enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_INPUT = 2, CLI_FAULT = 3 };

// Keys that one sweep varies, at most; numbers that are tuned; and with those that a finer grid
// and a goal on a circle replace.
enum { CLI_VARY = 8, CLI_TUNED = 64, CLI_REPLACED = CLI_TUNED + 2 + 64 };

// Operands of a command that takes several, at most.
enum { CLI_OPERANDS = 256 };

typedef struct cli_args cli_args;

// Where a walk through the stages of a problem ends (cli/commands/stages.h).
typedef enum cli_goal { CLI_TO_MOTION, CLI_TO_GAINS, CLI_TO_VERIFY, CLI_TO_EXPORT } cli_goal;

// A command, in the source that runs it (cli/commands/commands.h): a function, or a goal.
typedef struct cli_command {
  const char *name, *what;
  const char *usage;                // operand, then the options it takes: "PROBLEM [-o DIR]"
  int (*run)(const cli_args *args); // returns an exit status; NULL: it walks to its goal
  cli_goal goal;
  bool shares;           // its work out to all MPI ranks; of others the first rank alone does it
  void (*more)(FILE *f); // adds to its help; NULL: nothing
  bool phases;           // it takes a file with `phases`; others take the folder of one phase
} cli_command;

struct cli_args {
  const cli_command *command;
  const char *operand; // the first
  struct {
    int n;
    const char *word[CLI_OPERANDS];
  } operands;   // all of them
  bool nowhere; // results are not written: another process does that, or nobody wants them
  bool silent;  // nothing on stdout
  bool again;   // the problem was read before: its warnings are said
  bool below;   // the result folder that it reads or writes stands in another one
  bool waits;   // for another command in the folder, rather than be refused
  bool whole, keep, now;
  struct {
    int n;
    const char *word[CLI_VARY];
  } vary;
  const struct pb_replace *replace; // [nreplace] of the problem's values: a case of a sweep,
  int nreplace, start;              // from the guess itself (0), or wandered off from it
  double spread;                    // so far                                   m or rad
  bool json, quiet, help, floating, paper, second, single, force, all, each, hessian;
  const char *out, *from, *what, *only, *q, *v, *a, *u, *knot, *window, *outputs, *output, *method,
      *kkt, *quasi, *tol, *starts, *wander, *x, *y, *table, *points, *times, *plane, *xrange,
      *yrange, *log, *names, *against, *solver, *inputs, *searches, *threads,
      *to; // NULL where not given
};
#endif
