// cli/results/robustness.h: robustness.csv and region.csv, results of verification besides the
// samples.
#ifndef CLI_RESULTS_ROBUSTNESS_H
#define CLI_RESULTS_ROBUSTNESS_H
#include "cli/results/tables.h"
#include "problems/readers/task/problem.h"

enum { CLI_ROBUSTNESS_COLUMNS = 7, CLI_REGION_COLUMNS = 3 };

// axis,part,level,held,samples,low,high: success at one level of one axis, with the confidence
// interval [low, high] of its rate. Write a row.
void cli_robustness_row(FILE *f, const char *axis, const char *part, double level, int held,
                        int samples, double low, double high);

// The name of part number `part` in the table: axes first, then coordinates of the tree, then
// coordinates of the model, then parameters of parts in verify.errors.parts.
const char *cli_robustness_name(const pb_problem *p, int part);

// direction,held,failed: radius [2 x directions], the largest sizes that succeeded, then the
// smallest that failed, in spreads.
void cli_region_write(FILE *f, int directions, const double *radius);
#endif
