// cli/results/units.h: the units of what the columns of tables are about, in result.json (`units`).
#ifndef CLI_RESULTS_UNITS_H
#define CLI_RESULTS_UNITS_H
#include "cli/console/json.h"
#include "problems/readers/task/problem.h"

// Put {q: {NAME: "rad", ..}, v: .., p: .., u: ..} into result, in place of what is there; NAME as in
// columns (cli_column_name). A problem
// with phases, whose parts have results of their own, has none.
void cli_units_put(cli_json *result, const pb_problem *p);
#endif
