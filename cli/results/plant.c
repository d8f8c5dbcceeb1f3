#include "cli/results/plant.h"

#include "cli/results/registry.h"

static void put_plant_columns(FILE *f, const pb_names *names) {
  fputs("t", f);
  cli_put_names(f, ",q.", names->coord, names->n);
  cli_put_names(f, ",v.", names->coord, names->n);
  cli_put_names(f, ",u.", names->input, names->nu);
}

void cli_plant_write(FILE *f, const pb_names *names, const dm_trajectory *x, int parts,
                     const double *y, const double *u) {
  put_plant_columns(f, names);
  fputc('\n', f);

  // each row has the input that led to it; the start has none
  for (int k = 0; k <= x->N * parts; k++) {
    cli_put_number(f, "", k * x->h / parts);
    cli_put_numbers(f, y + (size_t)k * 2 * (size_t)x->n, 2 * x->n);
    cli_put_numbers(f, k ? u + (size_t)(k - 1) * (size_t)x->nu : NULL, x->nu);
    fputc('\n', f);
  }
}

static dm_status read_plant_table(cli_table *table, const pb_file *file,
                                  const cli_table_source *from, dm_message *msg) {
  return cli_table_read_named(table, file, put_plant_columns, from->names, false, msg);
}

const cli_result_file cli_file_plant = {
    .name = "plant.csv",
    .stage = "motion",
    .part = CLI_PART_PLANT,
    .columns = "The plant that result.json names under the plan's inputs, each step anew from the "
               "plan's knot: one row per piece of a step, u the input that led there; the first "
               "row is the start.",
    .header = put_plant_columns,
    .read = read_plant_table,
};
