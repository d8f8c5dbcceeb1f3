#include "cli/results/monitors.h"
#include "cli/pictures/compare.h"
#include "cli/pictures/plots.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 2 + DM_MONITORS };

// What belongs together. What is conserved is drawn less its first value.
static const struct {
  const char *label, *unit;
  int first, last;
  const char *names[4];
} groups[] = {
    {"energy - its start",
     "J",
     DM_MONITOR_ENERGY,
     DM_MONITOR_ENERGY_STEP,
     {"of knots", "of steps"}},
    {"moment - its start",
     "N m s",
     DM_MONITOR_MOMENT,
     DM_MONITOR_VERTICAL,
     {"x", "y", "z", "vertical"}},
    {"momentum - its start", "N s", DM_MONITOR_MOMENTUM, DM_MONITOR_MOMENTUM + 2, {"x", "y", "z"}},
    {"constraints", "", DM_MONITOR_CONSTRAINT, DM_MONITOR_CONSTRAINT, {"largest residual"}},
    {"form - 1", "", DM_MONITOR_FORM, DM_MONITOR_CLOUD, {"by derivatives", "by a cloud"}}};
enum { GROUPS = sizeof groups / sizeof *groups };

// whether a folder has watched a monitor
static bool is_watched(const cli_exhibit *x, int monitor) {
  const cli_table *table = cli_exhibit_table(x, &cli_file_monitors);
  return table->x && !isnan(table->x[2 + monitor]);
}

// against the time of its rows
static cli_curve find_monitor(const cli_sheet *s, int i, int monitor) {
  const cli_table *table = cli_exhibit_table(s->all[i], &cli_file_monitors);
  const double *y = table->x + 2 + monitor;
  return (cli_curve){.n = table->rows,
                     .from = s->all[i]->begin,
                     .x = table->x + 1,
                     .x_next = COLUMNS,
                     .y = y,
                     .y_next = COLUMNS,
                     .less = monitor == DM_MONITOR_CONSTRAINT ? 0 : *y,
                     .colour = i,
                     .dash = i / CLI_COLOURS,
                     .name = s->all[i]->name};
}

// a panel for each monitor, of all folders that have watched it
static void compare_group(cli_sheet *s, int g, cli_curve *curves) {
  for (int j = groups[g].first; j <= groups[g].last; j++) {
    int n = 0;
    char label[64];
    for (int i = 0; i < s->n; i++)
      if (is_watched(s->all[i], j)) curves[n++] = find_monitor(s, i, j);
    snprintf(label, sizeof label, "%s, %s", groups[g].label, groups[g].names[j - groups[g].first]);
    cli_compare(s, label, groups[g].unit, curves, n, true);
  }
}

// those of a group that were watched, in one panel, or several where scales differ
static void draw_group(cli_sheet *s, int g) {
  cli_curve curves[DM_MONITORS];
  int n = 0;
  for (int j = groups[g].first; j <= groups[g].last; j++) {
    if (!is_watched(s->d, j)) continue;
    curves[n] = find_monitor(s, 0, j);
    curves[n].colour = j - groups[g].first;
    curves[n++].name = groups[g].names[j - groups[g].first];
  }
  cli_compare(s, groups[g].label, groups[g].unit, curves, n, false);
}

static void draw_monitors(cli_sheet *s) {
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  for (int g = 0; curves && g < GROUPS; g++) {
    if (s->n > 1)
      compare_group(s, g, curves);
    else
      draw_group(s, g);
  }
  free(curves);
}

const cli_plot cli_plot_monitors = {
    .word = "monitors",
    .help = "conserved quantities of a simulation: energy, moment, momentum, constraints, the "
            "symplectic form",
    .needs = {&cli_file_monitors},
    .most = CLI_MANY,
    .draw = draw_monitors,
};
