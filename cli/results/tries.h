// cli/results/tries.h: NAME-tries.csv, the trials of a search for controller parameters, with their
// scores.
//
//   what,try,score,fresh,PATH,..
//
// one row per trial: its number, its score by verify.criteria, its score on draws not used in the
// search, and the numbers of the problem file by their paths. `what` is
//
//   file      the original numbers of the file
//   whole     all levels were run
//   screened  some levels were run, and others of its generation were better: no score
//   failed    no score: no motion or no gains
//   mean      the mean of the last generation, if it has a score
//   taken     the numbers written, the last row
#ifndef CLI_RESULTS_TRIES_H
#define CLI_RESULTS_TRIES_H
#include "problems/readers/task/tunables.h"

#include <stdio.h>

// Numbers with their scores, NAN if missing.
typedef struct cli_scored {
  int number;      // of the trial
  const double *x; // [factors] logarithms of the factors
  double score, fresh;
} cli_scored;

// Rows between the first and the last; zeroed: none.
typedef struct cli_tries {
  const pb_tunables *t; // borrowed
  FILE *rows;           // writes to text
  char *text;
  size_t size;
} cli_tries;

// Begin a list of trials of t. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_tries_open(cli_tries *l, const pb_tunables *t);
void cli_tries_close(cli_tries *l);

// Append a trial.
void cli_tries_add(cli_tries *l, const char *what, cli_scored s);

// Write the table: the file's own numbers, the trials, the numbers written. Returns DM_OK, or
// DM_NO_MEMORY if trials were lost.
dm_status cli_tries_write(const cli_tries *l, FILE *f, cli_scored file, cli_scored taken);
#endif
