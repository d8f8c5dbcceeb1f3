#include "cli/results/monitors.h"
#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

#include <math.h>

static void put_monitors(FILE *f, const cli_sheet *s) {
  enum { COLUMNS = 2 + DM_MONITORS };
  const cli_table *table = cli_figure_table(s->d, &cli_file_monitors);
  if (!table->x) return;
  const double *first = table->x;
  int stride = cli_sheet_stride(table->rows);
  fprintf(f, "$m << EOD\n");
  for (int k = 0; k < table->rows; k += stride) {
    // t, then each monitor; what is conserved less its first value
    double x[COLUMNS];
    for (int i = 1; i < COLUMNS; i++) {
      bool change = i > 1 && i != 2 + DM_MONITOR_CONSTRAINT;
      x[i] = table->x[k * COLUMNS + i] - (change ? first[i] : 0);
    }
    cli_sheet_put(f, x + 1, COLUMNS - 1);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// the axis of monitors first to last, less what they were but for constraints
static void put_axis(FILE *f, const cli_table *table, int first, int last) {
  enum { COLUMNS = 2 + DM_MONITORS };
  double min = INFINITY, max = -INFINITY;
  for (int j = first; j <= last; j++) {
    // changes are drawn, of constraints the residual itself
    double low, high, start = j == DM_MONITOR_CONSTRAINT ? 0 : table->x[2 + j];
    cli_axis_range(table->x + 2 + j, table->rows, COLUMNS, &low, &high);
    min = fmin(min, low - start);
    max = fmax(max, high - start);
  }
  cli_axis_between(f, min, max, 0);
}

// what is conserved, less what it was; constraints; the symplectic form
static void draw_monitors(cli_sheet *s) {
  static const struct {
    const char *label, *unit;
    int first, last;
    const char *names[4];
  } of[] = {{"energy - its start",
             "J",
             DM_MONITOR_ENERGY,
             DM_MONITOR_ENERGY_STEP,
             {"of knots", "of steps"}},
            {"moment - its start",
             "N m s",
             DM_MONITOR_MOMENT,
             DM_MONITOR_VERTICAL,
             {"x", "y", "z", "vertical"}},
            {"momentum - its start",
             "N s",
             DM_MONITOR_MOMENTUM,
             DM_MONITOR_MOMENTUM + 2,
             {"x", "y", "z"}},
            {"constraints", "", DM_MONITOR_CONSTRAINT, DM_MONITOR_CONSTRAINT, {"largest residual"}},
            {"form - 1", "", DM_MONITOR_FORM, DM_MONITOR_CLOUD, {"by derivatives", "by a cloud"}}};
  const cli_table *table = cli_figure_table(s->d, &cli_file_monitors);
  if (!table->x) return;

  // a panel for those of a group that were watched
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    bool begun = false;
    for (int j = of[i].first; j <= of[i].last; j++) {
      if (isnan(table->x[2 + j])) continue;
      if (!begun) {
        put_axis(s->f, table, of[i].first, of[i].last);
        cli_sheet_begin(s, of[i].label, of[i].unit);
        begun = true;
      }
      cli_sheet_curve(s, "$m", 2 + j, "lines", j - of[i].first, of[i].names[j - of[i].first]);
    }
    if (begun) cli_sheet_end(s, false);
  }
}

const cli_plot cli_plot_monitors = {
    .word = "monitors",
    .help = "conserved quantities of a simulation: energy, moment, momentum, constraints, the "
            "symplectic form",
    .needs = {&cli_file_monitors},
    .blocks = put_monitors,
    .draw = draw_monitors,
};
