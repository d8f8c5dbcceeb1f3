#include "cli/results/descent.h"

#include "cli/results/registry.h"

void cli_descent_rows(FILE *f, oc_method method, const oc_descent_row *record, int rows) {
  for (const oc_descent_row *r = record; r < record + rows; r++) {
    double x[] = {r->cost, r->merit, r->slope, r->step, r->residual};
    fprintf(f, "%s,%d,%s", oc_method_names[method], r->iteration, oc_method_names[r->kind]);
    cli_put_numbers(f, x, (int)(sizeof x / sizeof x[0]));
    fprintf(f, ",%d", r->cut);
    cli_put_number(f, ",", r->min_share);
    cli_put_number(f, ",", r->damping);
    fprintf(f, ",%d", r->tried);
    cli_put_number(f, ",", r->time_s);
    fputc('\n', f);
  }
}

// read methods and directions as indices in oc_method_names
static dm_status read_descent_table(cli_table *table, const pb_file *file,
                                    const cli_table_source *from, dm_message *msg) {
  (void)from;
  const cli_word_column words[] = {{oc_method_names, 0}, {oc_method_names, 2}, {NULL, 0}};
  return cli_table_read(table, file, cli_file_descent.first, words, false, msg);
}

const cli_result_file cli_file_descent = {
    .name = "descent.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns = "One row per iteration of a descent.",
    .first = "method,iteration,direction,cost,merit,slope,step,goal,cut,least,damping,tried,time",
    .read = read_descent_table,
};
