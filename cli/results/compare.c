#include "cli/results/compare.h"

#include "cli/results/registry.h"

static const char *const statuses[] = {
    "goes_on", "solved", "iteration_limit", "infeasible", "stalled", "failed", NULL};
enum { FIRST_WORK = 7, COLUMNS = FIRST_WORK + 2 * OC_WORK_KINDS + 1 };

void cli_compare_put(FILE *f, const cli_compare_row *r) {
  const double x[] = {r->cost, r->goal, r->slope};
  fprintf(f, "%s,%d,%d,%s", oc_method_names[r->method], r->start, r->iteration,
          statuses[r->status]);
  cli_put_numbers(f, x, 3);
  for (int i = 0; i < OC_WORK_KINDS; i++) fprintf(f, ",%ld", r->work.count[i]);
  cli_put_numbers(f, r->work.cpu, OC_WORK_KINDS);
  cli_put_numbers(f, &r->order, 1);
  fputc('\n', f);
}

dm_status cli_compare_read(cli_table *table, const pb_file *file, dm_message *msg) {
  const cli_word_column words[] = {{oc_method_names, 0}, {statuses, 3}, {NULL, 0}};
  return cli_table_read(table, file, cli_file_compare.first, words, false, msg);
}

cli_compare_row cli_compare_get(const cli_table *table, int i) {
  const double *x = table->x + (size_t)i * (size_t)table->cols;
  cli_compare_row r = {.method = (int)x[0], .start = (int)x[1], .iteration = (int)x[2]};
  r.status = (cli_compare_status)x[3];
  r.cost = x[4], r.goal = x[5], r.slope = x[6];
  for (int j = 0; j < OC_WORK_KINDS; j++) {
    r.work.count[j] = (long)x[FIRST_WORK + j];
    r.work.cpu[j] = x[FIRST_WORK + OC_WORK_KINDS + j];
  }
  r.order = x[COLUMNS - 1];
  return r;
}

static dm_status read_compare_table(cli_table *table, const pb_file *file,
                                    const cli_table_source *from, dm_message *msg) {
  (void)from;
  return cli_compare_read(table, file, msg);
}

const cli_result_file cli_file_compare = {
    .name = "compare.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns =
        "Histories of the descents of `descend --compare`, thinned: at most one row per tenth more "
        "of work. start: 0, the problem's guess, then seeded ones; goal: the largest relative "
        "error of goal and limits; counts of operations along the whole motion since the start of "
        "the run, and their processor times; order: of convergence, in the last row of a run.",
    .first = "method,start,iteration,status,cost,goal,slope,rollouts,gradients,curvatures,sweeps,"
             "products,t_rollouts,t_gradients,t_curvatures,t_sweeps,t_products,order",
    .read = read_compare_table,
};
