// cli/results/violations.h: violations.csv, the violation of each row of a program at its solution.
#ifndef CLI_RESULTS_VIOLATIONS_H
#define CLI_RESULTS_VIOLATIONS_H
#include "cli/results/tables.h"
#include "optim/nlp/nlp.h"

// k,ROW..: one row per knot, and a column for each program row by its name at that knot: the amount
// beyond its bounds at x [n], to three digits; if several have the same name, the largest. Rows
// without a knot are in a last line without k. Returns DM_OK, DM_NO_MEMORY, or the status of
// evaluating the rows; nothing is written in that case.
dm_status cli_violations_write(FILE *f, const oc_nlp *nlp, const double *x);
#endif
