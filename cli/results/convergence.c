#include "cli/results/convergence.h"

#include "cli/results/registry.h"

void cli_convergence_write(FILE *f, const oc_iterate *record, int rows) {
  cli_table_begin(f, &cli_file_convergence, NULL);
  for (const oc_iterate *it = record; it < record + rows; it++) {
    double x[] = {it->objective, it->violation, it->dual, it->mu, it->step, it->regularization};
    fprintf(f, "%d", it->iteration);
    cli_put_numbers(f, x, (int)(sizeof x / sizeof x[0]));
    fputc('\n', f);
  }
}

const cli_result_file cli_file_convergence = {
    .name = "convergence.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns = "One row per iteration of the optimizer.",
    .first = "iteration,objective,violation,dual,mu,step,regularization",
    .kind = CLI_ROWS,
};
