#include "cli/results/convergence.h"

#include "cli/results/registry.h"

static const char columns[] = "iteration,objective,violation,dual,mu,step,regularization";

void cli_convergence_write(FILE *f, const oc_iterate *record, int rows) {
  fprintf(f, "%s\n", columns);
  for (const oc_iterate *it = record; it < record + rows; it++) {
    double x[] = {it->objective, it->violation, it->dual, it->mu, it->step, it->regularization};
    fprintf(f, "%d", it->iteration);
    cli_put_numbers(f, x, (int)(sizeof x / sizeof x[0]));
    fputc('\n', f);
  }
}

static void put_convergence_columns(FILE *f, const pb_names *names) {
  (void)names;
  fputs(columns, f);
}

static dm_status read_convergence_table(cli_table *table, const pb_file *file,
                                        const cli_table_source *from, dm_message *msg) {
  (void)from;
  return cli_table_read(table, file, columns, NULL, false, msg);
}

const cli_result_file cli_file_convergence = {
    .name = "convergence.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns = "One row per iteration of the optimizer.",
    .header = put_convergence_columns,
    .read = read_convergence_table,
};
