#include "cli/results/response.h"

#include "cli/results/registry.h"

static void put_response_columns(FILE *f, const pb_names *names) {
  fputs("k,t,error.open,error.closed", f);
  cli_put_names(f, ",open.q.", names->coord, names->n);
  cli_put_names(f, ",closed.q.", names->coord, names->n);
  cli_put_names(f, ",closed.u.", names->input, names->nu);
}

void cli_response_write(FILE *f, const pb_names *names, const fb_tvlqr *s, const double *open,
                        const double *closed, const double *u, const double *error_open,
                        const double *error_closed) {
  put_response_columns(f, names);
  fputc('\n', f);

  // both errors, both motions, and the inputs of the closed loop except at the last knot
  for (int k = 0; k <= s->N; k++) {
    cli_put_knot(f, k, k * s->h);
    cli_put_numbers(f, error_open + k, 1);
    cli_put_numbers(f, error_closed + k, 1);
    cli_put_numbers(f, open + (size_t)k * (size_t)s->nx, names->n);
    cli_put_numbers(f, closed + (size_t)k * (size_t)s->nx, names->n);
    cli_put_numbers(f, k < s->N ? u + (size_t)k * (size_t)s->nu : NULL, names->nu);
    fputc('\n', f);
  }
}

static dm_status read_response_table(cli_table *table, const pb_file *file,
                                     const cli_table_source *from, dm_message *msg) {
  DM_TRY(cli_table_read_named(table, file, put_response_columns, from->names, false, msg));
  return cli_table_check_knots(table, false, file->path, msg);
}

const cli_result_file cli_file_response = {
    .name = "response.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "One start off the plan, without feedback (open) and with it (closed); error: the "
               "norm of x - x_d, x = (q, p).",
    .header = put_response_columns,
    .read = read_response_table,
};
