#include "cli/results/response.h"

#include "cli/results/registry.h"

static void put_response_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",open.q.", names->coord, names->n);
  cli_put_names(f, ",closed.q.", names->coord, names->n);
  cli_put_names(f, ",closed.u.", names->input, names->nu);
}

void cli_response_write(FILE *f, const pb_names *names, const fb_tvlqr *s, const double *open,
                        const double *closed, const double *u, const double *error_open,
                        const double *error_closed) {
  cli_table_begin(f, &cli_file_response, names);

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

const cli_result_file cli_file_response = {
    .name = "response.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "One start off the plan, without feedback (open) and with it (closed); error: the "
               "norm of x - x_d, x = (q, p).",
    .first = "k,t,error.open,error.closed",
    .header = put_response_columns,
    .kind = CLI_KNOTS,
};
