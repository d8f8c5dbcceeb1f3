// cli/results/tries.h: NAME-tries.csv, what a search of a law's numbers tried, and what came of each.
//
//   what,try,score,fresh,PATH,..
//
// one row a try: its number, its score by verify.criteria, the score on draws that the search has not
// seen, and the numbers of the problem file by their paths. `what` is
//
//   file      the numbers of the file as it was
//   whole     all levels were run
//   screened  some levels were run, and others of its generation were better: no score
//   failed    it has no score: no motion, no gains
//   mean      the mean of the last generation, where it has a score
//   taken     what is written, the last row
#ifndef CLI_RESULTS_TRIES_H
#define CLI_RESULTS_TRIES_H
#include "problems/readers/task/tunables.h"

#include <stdio.h>

// Numbers with their scores, NAN where they have none.
typedef struct cli_scored {
  int number;      // of the try
  const double *x; // [factors] their changes
  double score, fresh;
} cli_scored;

// Rows between the first and the last; zeroed: none.
typedef struct cli_tries {
  const pb_tunables *t; // borrowed
  FILE *rows;           // into text
  char *text;
  size_t size;
} cli_tries;

// Begin a list of tries of t. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_tries_open(cli_tries *l, const pb_tunables *t);
void cli_tries_close(cli_tries *l);

// One more of those.
void cli_tries_add(cli_tries *l, const char *what, cli_scored s);

// The table: the file's own numbers, those added, those that are written. Returns DM_OK, or DM_NO_MEMORY
// where those added found no room.
dm_status cli_tries_write(const cli_tries *l, FILE *f, cli_scored file, cli_scored taken);
#endif
