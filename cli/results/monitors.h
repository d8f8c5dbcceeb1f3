// cli/results/monitors.h: monitors.csv, with a column for each monitored quantity of a motion
// (lib/discrete/monitor.h), and in result.json its mean, its range, its means over tenths of the
// run, and its drift.
#ifndef CLI_RESULTS_MONITORS_H
#define CLI_RESULTS_MONITORS_H
#include "cli/console/json.h"
#include "lib/discrete/monitor.h"

#include <stdio.h>

// Write the row of knot k at time t, with an empty cell for NAN.
void cli_monitors_row(FILE *f, int k, double t, const double value[DM_MONITORS]);

// Write the statistics of one series with at least one value into o; step h [s].
void cli_monitors_report_one(const dm_series *series, double h, cli_json *o);

// Write the statistics of all recorded series into result.monitors.NAME, nested at dots; step h
// [s].
void cli_monitors_report(const dm_series series[DM_MONITORS], double h, cli_json *result);
#endif
