// cli/results/units.h: the units of the quantities in table columns, in result.json (`units`).
#ifndef CLI_RESULTS_UNITS_H
#define CLI_RESULTS_UNITS_H
#include "cli/console/json.h"
#include "problems/readers/task/problem.h"

// Set {q: {NAME: "rad", ..}, v: .., p: .., u: ..} in result, replacing existing units; NAME as in
// columns (cli_column_name). A problem with phases has none, because its parts have their own
// results.
void cli_units_put(cli_json *result, const pb_problem *p);
#endif
