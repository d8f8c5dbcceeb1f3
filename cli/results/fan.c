#include "cli/results/fan.h"

#include "cli/results/registry.h"

static void put_fan_columns(FILE *f, const pb_names *names) {
  fputs("sample,k,t", f);
  cli_put_names(f, ",q.", names->coord, names->n);
}

void cli_fan_write(FILE *f, const pb_names *names, int samples, int N, double h,
                   const double *fan) {
  put_fan_columns(f, names);
  fputc('\n', f);

  // all knots of one sample, then the next sample
  for (int i = 0; i < samples; i++)
    for (int k = 0; k <= N; k++) {
      fprintf(f, "%d,", i);
      cli_put_knot(f, k, k * h);
      cli_put_numbers(f, fan + ((size_t)i * (size_t)(N + 1) + (size_t)k) * (size_t)names->n,
                      names->n);
      fputc('\n', f);
    }
}

static dm_status read_fan_table(cli_table *table, const pb_file *file, const cli_table_source *from,
                                dm_message *msg) {
  DM_TRY(cli_table_read_named(table, file, put_fan_columns, from->names, false, msg));
  return cli_table_check_knots(table, true, file->path, msg);
}

const cli_result_file cli_file_fan = {
    .name = "fan.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "q of the first closed-loop runs.",
    .header = put_fan_columns,
    .read = read_fan_table,
};
