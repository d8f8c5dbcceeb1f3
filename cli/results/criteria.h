// cli/results/criteria.h: criteria.csv, which levels of the criteria a law survived.
#ifndef CLI_RESULTS_CRITERIA_H
#define CLI_RESULTS_CRITERIA_H
#include "cli/results/tables.h"
#include "problems/readers/task/problem.h"

// criterion,vary,part,level,survived: a row of the table of criteria has its levels [levels]. The
// header, then the rows of one. part: "" where all parts are varied at once, or there are none.
void cli_criteria_header(FILE *f);
void cli_criteria_rows(FILE *f, const pb_problem *p, const fb_criterion *row, const bool *survived);
#endif
