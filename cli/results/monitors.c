#include "cli/results/monitors.h"

#include "cli/results/registry.h"

#include <math.h>

void cli_monitors_row(FILE *f, int k, double t, const double value[DM_MONITORS]) {
  cli_put_knot(f, k, t);

  // empty cell if a monitor is undefined
  cli_put_numbers(f, value, DM_MONITORS);
  fputc('\n', f);
}

void cli_monitors_report_one(const dm_series *series, double h, cli_json *o) {
  dm_series_summary of = dm_series_summarize(series, h);
  cli_json_number(o, "start", of.start);
  cli_json_number(o, "mean", of.mean);
  cli_json_number(o, "low", of.low);
  cli_json_number(o, "high", of.high);
  cli_json_vector(o, "windows", of.window, of.windows);
  cli_json_number(o, "slope", of.slope);
  cli_json_number(o, "scatter", of.scatter);
}

void cli_monitors_report(const dm_series series[DM_MONITORS], double h, cli_json *result) {
  // for each monitor: mean and extremes, means over windows, slope of a fitted line and the scatter
  // about it
  cli_json *all = cli_json_object(result, "monitors");
  for (int i = 0; i < DM_MONITORS; i++) {
    if (!series[i].count) continue;
    cli_monitors_report_one(&series[i], h, cli_json_open(all, dm_monitor_names[i]));
  }
}

const cli_result_file cli_file_monitors = {
    .name = "monitors.csv",
    .stage = "motion",
    .part = CLI_PART_MONITORS,
    .columns = "Conserved quantities of a simulation, one row per stored knot.",
    .first =
        "k,t,energy,energy.step,moment.x,moment.y,moment.z,moment.vertical,momentum.x,momentum.y,"
        "momentum.z,constraint,form,form.cloud",
    .kind = CLI_ROWS,
    .only = "monitors",
};
