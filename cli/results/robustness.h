// cli/results/robustness.h: robustness.csv and region.csv, what was verified beyond the samples.
#ifndef CLI_RESULTS_ROBUSTNESS_H
#define CLI_RESULTS_ROBUSTNESS_H
#include "cli/results/tables.h"
#include "problems/readers/task/problem.h"

enum { CLI_ROBUSTNESS_COLUMNS = 7, CLI_REGION_COLUMNS = 3 };

// axis,part,level,held,samples,low,high: of a level of an axis alone, with the interval of its rate
// [low, high]. The header, then a row.
void cli_robustness_header(FILE *f);
void cli_robustness_row(FILE *f, const char *axis, const char *part, double level, int held,
                        int samples, double low, double high);

// The name of part number `part` as the table is read back: axes first, then coordinates of the
// tree, then those of the model.
const char *cli_robustness_name(const pb_problem *p, int part);

// direction,held,failed: radius [2 x directions], the largest sizes that held, then the least that
// failed, in spreads.
void cli_region_write(FILE *f, int directions, const double *radius);
#endif
