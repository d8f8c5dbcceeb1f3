// cli/results/monitors.h: what is watched along a motion: monitors.csv with a column for each, and
// in result.json its mean, its range, its means over tenths of the run, and its drift.
//
//   energy, energy.step             J; of the knot; -dLd/dh of the step taken from it
//   moment.x .y .z .vertical        N m s, about the world's origin; along gravity
//   momentum.x .y .z                N s
//   constraint                      the largest residual
//   form, form.cloud                the symplectic form over that of the start
//   (lib/studies/symplectic_form.h)
#ifndef CLI_RESULTS_MONITORS_H
#define CLI_RESULTS_MONITORS_H
#include "cli/console/json.h"

#include <stdbool.h>
#include <stdio.h>

enum { CLI_WINDOWS = 10 };

typedef enum cli_monitor {
  CLI_ENERGY,
  CLI_ENERGY_STEP,
  CLI_MOMENT,
  CLI_VERTICAL = CLI_MOMENT + 3,
  CLI_MOMENTUM,
  CLI_CONSTRAINT = CLI_MOMENTUM + 3,
  CLI_FORM,
  CLI_CLOUD,
  CLI_MONITORS
} cli_monitor;

// Of a figure that goes by: y is held less its first value, t in steps.
typedef struct cli_series {
  int count, counts[CLI_WINDOWS];
  double first, low, high, sums[CLI_WINDOWS];
  double t, tt, y, ty, yy; // sums
} cli_series;

typedef struct cli_monitors {
  FILE *f;
  int steps; // of the whole run
  cli_series series[CLI_MONITORS];
} cli_monitors;

// Write the header; f is borrowed.
void cli_monitors_begin(cli_monitors *w, FILE *f, int steps);

// What is watched at knot k; NAN: nothing there, an empty cell. A row is written with `row`.
void cli_monitors_add(cli_monitors *w, int k, double t, const double value[CLI_MONITORS], bool row);

// All that there was, into result.monitors.NAME, dots nested; h [s] the step.
void cli_monitors_report(const cli_monitors *w, double h, cli_json *result);
#endif
