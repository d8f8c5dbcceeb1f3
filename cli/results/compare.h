// cli/results/compare.h: compare.csv, the histories of descents that `descend --compare` ran.
#ifndef CLI_RESULTS_COMPARE_H
#define CLI_RESULTS_COMPARE_H
#include "cli/results/tables.h"
#include "optim/descent/descent.h"

typedef enum cli_compare_status {
  CLI_COMPARE_GOES_ON, // not the last row of its run
  CLI_COMPARE_SOLVED,
  CLI_COMPARE_LIMIT,
  CLI_COMPARE_INFEASIBLE,
  CLI_COMPARE_STALLED,
  CLI_COMPARE_FAILED
} cli_compare_status;

typedef struct cli_compare_row {
  int method, start, iteration;
  cli_compare_status status;
  double cost, goal, slope;
  oc_work work;
  double order; // of convergence, in the last row of a run; NAN: fewer than three steps of its tail
} cli_compare_row;

// Write a row, after cli_table_begin; and read row i of a table that cli_compare_read read.
void cli_compare_put(FILE *f, const cli_compare_row *r);
dm_status cli_compare_read(cli_table *table, const pb_file *file, dm_message *msg);
cli_compare_row cli_compare_get(const cli_table *table, int i);
#endif
