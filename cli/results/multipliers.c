#include "cli/results/multipliers.h"

#include "cli/results/registry.h"

#include <math.h>
#include <stdlib.h>

// The order of the program's variables and rows. A change of the order in optim/program takes the
// next number, so that files in another order are refused.
enum { ORDER = 2 };

void cli_multipliers_write(FILE *f, const oc_nlp *nlp, const oc_point *point) {
  // n variables and m rows side by side; cells beyond the shorter column are empty
  cli_table_begin(f, &cli_file_multipliers, NULL);
  for (int i = 0; i < nlp->n || i < nlp->m; i++) {
    fprintf(f, "%d", i);
    cli_put_numbers(f, i < nlp->n ? point->x + i : NULL, 1);
    cli_put_numbers(f, i < nlp->m ? point->lambda + i : NULL, 1);
    cli_put_numbers(f, i < nlp->n ? point->z_l + i : NULL, 1);
    cli_put_numbers(f, i < nlp->n ? point->z_u + i : NULL, 1);
    fprintf(f, ",%d\n", ORDER);
  }
}

// refuse a table in another order, whose numbers belong to other variables; a table without the
// column `order` is older than all of them
static dm_status check_order(const cli_table *t, const pb_file *file, dm_message *msg) {
  for (int i = 0; i < t->rows; i++) {
    const double order = t->x[(size_t)i * (size_t)t->cols + 5];
    if (order != ORDER)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s: found order %g, expected %d: another version of dmoc wrote it",
                     file->path, order, ORDER);
  }
  return DM_OK;
}

dm_status cli_multipliers_read(const pb_file *file, const oc_nlp *nlp, oc_point *point,
                               dm_message *msg) {
  cli_table t = {0};
  DM_TRY(cli_table_read(&t, file, cli_file_multipliers.first, NULL, true, msg));
  int n = 0, m = 0;
  bool finite = true;

  // count variables and rows; cells beyond the last one are empty
  for (int i = 0; i < t.rows; i++) {
    const double *row = t.x + (size_t)i * (size_t)t.cols;
    n += !isnan(row[1]);
    m += !isnan(row[2]);
    // the entries of a variable and of a row must be complete
    if (n == i + 1) finite = finite && isfinite(row[1]) && isfinite(row[3]) && isfinite(row[4]);
    if (m == i + 1) finite = finite && isfinite(row[2]);
  }

  // the order and the sizes must match the program, and all numbers be finite
  dm_status s = check_order(&t, file, msg);
  if (s == DM_OK && !finite)
    s = dm_fail(msg, DM_BAD_INPUT, "%s: a number is missing or not finite", file->path);
  else if (s == DM_OK && (n != nlp->n || m != nlp->m))
    s = dm_fail(msg, DM_BAD_INPUT, "%s: %d variables and %d rows, this program has %d and %d",
                file->path, n, m, nlp->n, nlp->m);

  // x, z_l, z_u per variable, lambda per row
  for (int i = 0; s == DM_OK && i < t.rows; i++) {
    const double *row = t.x + (size_t)i * (size_t)t.cols;
    if (i < n) {
      point->x[i] = row[1];
      point->z_l[i] = row[3];
      point->z_u[i] = row[4];
    }
    if (i < m) point->lambda[i] = row[2];
  }
  free(t.x);
  return s;
}

const cli_result_file cli_file_multipliers = {
    .name = "multipliers.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns = "The program's point, in the order of optim/program/transcribe.h: x, z_l, z_u "
               "of variable i, lambda of row i; order: the version of this order.",
    .first = "i,x,lambda,z_l,z_u,order",
};
