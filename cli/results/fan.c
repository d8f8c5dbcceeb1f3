#include "cli/results/fan.h"

#include "cli/results/registry.h"

static void put_fan_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",q.", names->coord, names->n);
}

void cli_fan_write(FILE *f, const pb_names *names, int samples, int N, double h,
                   const double *fan) {
  cli_table_begin(f, &cli_file_fan, names);

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

const cli_result_file cli_file_fan = {
    .name = "fan.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "q of the first closed-loop runs.",
    .first = "sample,k,t",
    .header = put_fan_columns,
    .kind = CLI_RUNS,
};
