#include "cli/results/outputs.h"

#include "cli/results/registry.h"

static void put_outputs_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",y.", names->output, names->ny);
  if (names->path) fputs(",s", f);
}

void cli_outputs_row(FILE *f, int k, double t, const double *y, double s, const pb_names *names) {
  cli_put_knot(f, k, t);
  cli_put_numbers(f, y, names->ny);
  if (names->path) cli_put_numbers(f, &s, 1);
  fputc('\n', f);
}

const cli_result_file cli_file_outputs = {
    .name = "outputs.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns =
        "The outputs y of the problem file at each knot k of trajectory.csv, at time t; a cell "
        "is empty where an output has no value. Where the problem has a path, s is the place on "
        "it, from 0 to 1.",
    .first = "k,t",
    .header = put_outputs_columns,
    .kind = CLI_ROWS,
    .only = "outputs",
};
