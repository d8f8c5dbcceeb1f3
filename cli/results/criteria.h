// cli/results/criteria.h: criteria.csv, the levels of the criteria at which a controller succeeded.
#ifndef CLI_RESULTS_CRITERIA_H
#define CLI_RESULTS_CRITERIA_H
#include "cli/results/tables.h"
#include "problems/readers/task/problem.h"

// criterion,vary,part,level,survived: write the rows of one criterion with its levels [levels]. part: "" if all parts are varied together, or the criterion has no parts.
void cli_criteria_rows(FILE *f, const pb_problem *p, const fb_criterion *row, const bool *survived);
#endif
