// cli/results/violations.h: violations.csv, by how much each row of a program is off at its solution.
#ifndef CLI_RESULTS_VIOLATIONS_H
#define CLI_RESULTS_VIOLATIONS_H
#include "cli/results/tables.h"
#include "optim/nlp/nlp.h"

// k,ROW..: one row a knot, a column for each row of the program by its name at that knot: what it is
// beyond its bounds at x [n], to three digits, of several of one name the largest. Rows of no knot
// stand in a last one without k. Returns DM_OK, DM_NO_MEMORY, or what the rows cannot be evaluated
// for; nothing is written then.
dm_status cli_violations_write(FILE *f, const oc_nlp *nlp, const double *x);
#endif
