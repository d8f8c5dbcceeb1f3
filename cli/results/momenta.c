#include "cli/results/momenta.h"

#include "cli/results/registry.h"

static void put_momenta_columns(FILE *f, const pb_names *names, int k) {
  static const char *const quantity[] = {"q.", "v.", "a."};
  static const char *const group[] = {",", ",P0.", ",P1."};

  // the entries of a knot, then the momenta of each
  for (int g = 0; g < 3; g++)
    for (int r = 0; r < k; r++) {
      char before[8];
      snprintf(before, sizeof before, "%s%s", group[g], quantity[r]);
      cli_put_names(f, before, names->coord, names->n);
    }
  fputs(",energy", f);
}

static void put_second_columns(FILE *f, const pb_names *names) {
  put_momenta_columns(f, names, 2);
}

static void put_third_columns(FILE *f, const pb_names *names) {
  put_momenta_columns(f, names, 3);
}

void cli_momenta_header(FILE *f, const pb_names *names, int k) {
  fputs("k,t", f);
  put_momenta_columns(f, names, k);
  fputc('\n', f);
}

dm_status cli_momenta_row(FILE *f, int k, double h, dm_second_order *w, const double *X0,
                          const double *X1) {
  cli_put_knot(f, k, k * h);
  cli_put_numbers(f, X0, w->size);

  // no step starts at the last knot
  if (!X1) {
    cli_put_numbers(f, NULL, 2 * w->size + 1);
    fputc('\n', f);
    return DM_OK;
  }
  double E;
  DM_TRY(dm_second_order_eval(w, 1, X0, X1, h));
  for (int i = 0; i < w->size; i++) cli_put_number(f, ",", 0 - w->D0[i]);
  cli_put_numbers(f, w->D1, w->size);
  DM_TRY(dm_second_order_energy(w, X0, X1, h, &E));
  cli_put_numbers(f, &E, 1);
  fputc('\n', f);
  return DM_OK;
}

dm_status cli_momenta_write(FILE *f, const pb_names *names, dm_second_order *w, int N, double h,
                            const double *X) {
  cli_momenta_header(f, names, w->k);
  for (int k = 0; k <= N; k++) {
    const double *at = X + (size_t)k * (size_t)w->size;
    DM_TRY(cli_momenta_row(f, k, h, w, at, k < N ? at + w->size : NULL));
  }
  return DM_OK;
}

// read a motion of the problem's order
static dm_status read_momenta_table(cli_table *table, const pb_file *file,
                                    const cli_table_source *from, dm_message *msg) {
  const pb_transcription *t = &from->problem->transcription;
  if (!t->second) return DM_OK;
  const bool third = t->action.rule.k > 2;
  const cli_result_file of = {.first = "k,t",
                              .header = third ? put_third_columns : put_second_columns};
  return cli_table_read_columns(table, file, &of, from->names, false, msg);
}

const cli_result_file cli_file_momenta = {
    .name = "momenta.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns = "The knots of the second-order solution or flow, (q,v), of third order (q,v,a), and "
               "the discrete Legendre transforms of the step from knot k: momenta P0 = -D0 Ld at "
               "its start, P1 = D1 Ld at its end, which is P0 of the next step, one for each entry "
               "of a knot; and its energy, -dLd/dh.",
    .read = read_momenta_table,
};
