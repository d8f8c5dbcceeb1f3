#include "cli/results/plant.h"

#include "cli/results/registry.h"

static void put_plant_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",q.", names->coord, names->n);
  cli_put_names(f, ",v.", names->coord, names->n);
  cli_put_names(f, ",u.", names->input, names->nu);
}

void cli_plant_write(FILE *f, const pb_names *names, const dm_trajectory *x, int parts,
                     const double *y, const double *u) {
  cli_table_begin(f, &cli_file_plant, names);

  // each row has the input that led to it; the start has no input
  for (int k = 0; k <= x->N * parts; k++) {
    cli_put_number(f, "", dm_trajectory_at(x, (double)k / parts));
    cli_put_numbers(f, y + (size_t)k * 2 * (size_t)x->n, 2 * x->n);
    cli_put_numbers(f, k ? u + (size_t)(k - 1) * (size_t)x->nu : NULL, x->nu);
    fputc('\n', f);
  }
}

const cli_result_file cli_file_plant = {
    .name = "plant.csv",
    .stage = "motion",
    .part = CLI_PART_PLANT,
    .columns = "The plant that result.json names under the plan's inputs, each step anew from the "
               "plan's knot: one row per piece of a step, u the input that led there; the first "
               "row is the start.",
    .first = "t",
    .header = put_plant_columns,
    .kind = CLI_ROWS,
};
