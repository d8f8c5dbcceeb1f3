// cli/results/monitors.h: monitors.csv, with a column for each figure that is watched along a motion
// (lib/discrete/monitor.h), and in result.json its mean, its range, its means over tenths of the
// run, and its drift.
#ifndef CLI_RESULTS_MONITORS_H
#define CLI_RESULTS_MONITORS_H
#include "cli/console/json.h"
#include "lib/base/status.h"
#include "lib/discrete/monitor.h"

#include <stdio.h>

// Write the header; then the row of knot k at time t, with an empty cell for NAN.
void cli_monitors_header(FILE *f);
void cli_monitors_row(FILE *f, int k, double t, const double value[DM_MONITORS]);

// All that there was, into result.monitors.NAME, dots nested; h [s] the step.
void cli_monitors_report(const dm_series series[DM_MONITORS], double h, cli_json *result);

// Read monitors.csv back: *table [rows x (2 + DM_MONITORS)] is to be freed.
dm_status cli_monitors_read(double **table, int *rows, const char *path, dm_message *msg);
#endif
