#include "cli/results/outputs.h"

#include "cli/results/registry.h"

void cli_outputs_header(FILE *f, const pb_names *names) {
  fputs("k,t", f);
  cli_put_names(f, ",y.", names->output, names->ny);
  if (names->path) fputs(",s", f);
}

void cli_outputs_row(FILE *f, int k, double t, const double *y, double s, const pb_names *names) {
  cli_put_knot(f, k, t);
  cli_put_numbers(f, y, names->ny);
  if (names->path) cli_put_numbers(f, &s, 1);
  fputc('\n', f);
}

// read the table if the result has one
static dm_status read_outputs_table(cli_table *table, const pb_file *file,
                                    const cli_table_source *from, dm_message *msg) {
  if (!json_object_object_get_ex(from->result, "outputs", NULL)) return DM_OK;
  return cli_table_read_named(table, file, cli_outputs_header, from->names, false, msg);
}

const cli_result_file cli_file_outputs = {
    .name = "outputs.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns =
        "The outputs y of the problem file at each knot k of trajectory.csv, at time t; a cell "
        "is empty where an output has no value. Where the problem has a path, s is the place on "
        "it, from 0 to 1.",
    .header = cli_outputs_header,
    .read = read_outputs_table,
};
