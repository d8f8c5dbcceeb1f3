#include "cli/results/gains.h"

#include "cli/results/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- gains.csv ---

static void put_gains_header(FILE *f, const pb_names *names, bool late) {
  // K row by row: input by state; then W, if inputs are delayed by a step
  fputs("k,t", f);
  for (int i = 0; i < names->nu; i++)
    for (int j = 0; j < 2 * names->n; j++) {
      cli_put_name(f, ",K.", names->input[i]);
      cli_put_state(f, ".", names, j);
    }
  for (int i = 0; late && i < names->nu; i++)
    for (int j = 0; j < names->nu; j++) {
      cli_put_name(f, ",W.", names->input[i]);
      cli_put_name(f, ".", names->input[j]);
    }
}

void cli_gains_write(FILE *f, const pb_names *names, const fb_tvlqr *s) {
  put_gains_header(f, names, s->late);
  fputc('\n', f);

  // one row per step, with constant gains
  size_t nu = (size_t)s->nu;
  for (int k = 0; k < s->N; k++) {
    cli_put_knot(f, k, s->h * dm_grid_at(s->grid, k));
    cli_put_numbers(f, s->K + (size_t)k * nu * (size_t)s->nx, s->nu * s->nx);
    if (s->late) cli_put_numbers(f, s->W + (size_t)k * nu * nu, s->nu * s->nu);
    fputc('\n', f);
  }
}

// the header line without newline; to be freed
static char *make_gains_header(const pb_names *names, bool late) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  put_gains_header(f, names, late);
  fclose(f);
  return text;
}

// copy len columns of a table [N x cols], starting at from; to be freed
static double *copy_columns(const double *table, size_t N, size_t cols, size_t from, size_t len) {
  double *x = malloc(N * len * sizeof *x);
  for (size_t k = 0; x && k < N; k++) memcpy(x + k * len, table + k * cols + from, len * sizeof *x);
  return x;
}

static bool is_finite(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += fabs(x[i]) * 0;
  return sum == 0;
}

// read the table for these states and inputs, one row per step, all entries finite; free table->x
// whatever is returned
static dm_status read_gain_rows(cli_table *table, const pb_file *file, const pb_names *names,
                                bool late, dm_message *msg) {
  char *header = make_gains_header(names, late);
  if (!header) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status s = cli_table_read(table, file, header, NULL, true, msg);
  free(header);
  DM_TRY(s);
  DM_TRY(cli_table_check_knots(table, false, file->path, msg));
  if (is_finite(table->x, (size_t)table->rows * (size_t)table->cols)) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "%s: a gain is not finite", file->path);
}

dm_status cli_gains_read(double **K, double **W, int N, const pb_file *file, const pb_names *names,
                         dm_message *msg) {
  cli_table table = {0};
  size_t nK = (size_t)(2 * names->n * names->nu), nW = W ? (size_t)(names->nu * names->nu) : 0;
  dm_status s = read_gain_rows(&table, file, names, W != NULL, msg);
  const size_t cols = (size_t)table.cols;
  if (s == DM_OK && table.rows != N)
    s = dm_fail(msg, DM_BAD_INPUT, "%s: %d rows, expected %d", file->path, table.rows, N);
  if (s == DM_OK) {
    // K [N x nu x 2n], followed by W [N x nu x nu]
    *K = copy_columns(table.x, (size_t)N, cols, 2, nK);
    if (W) *W = copy_columns(table.x, (size_t)N, cols, 2 + nK, nW);
    if (!*K || (W && !*W)) s = dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  free(table.x);
  return s;
}

// read only the gains K; also during feedback.hold after the motion, with its step
static dm_status read_gains_table(cli_table *table, const pb_file *file,
                                  const cli_table_source *from, dm_message *msg) {
  cli_table all = {0};
  const int cols = from->names->nu * 2 * from->names->n;
  dm_status s = read_gain_rows(&all, file, from->names, false, msg);
  double *K =
      s == DM_OK ? copy_columns(all.x, (size_t)all.rows, (size_t)all.cols, 2, (size_t)cols) : NULL;
  if (s == DM_OK && !K) s = dm_fail(msg, DM_NO_MEMORY, "out of memory");
  free(all.x);
  if (s == DM_OK) *table = (cli_table){K, all.rows, cols};
  return s;
}

const cli_result_file cli_file_gains = {
    .name = "gains.csv",
    .stage = "gains",
    .part = CLI_PART_GAINS,
    .columns = "One row per knot; K.INPUT.STATE is the gain of that input on that state.",
    .read = read_gains_table,
};

// --- measured.csv ---

void cli_put_measured(FILE *f, const char *before, const pb_names *names,
                      const fb_output_feedback *w, int j) {
  static const char *const second[] = {"p.", "v.", "before.q.", "v."};
  fb_form form = w->exact ? FB_STATE : w->form;

  // p and exact velocities belong to the state; entries from n on depend on the measurement
  int n = w->n, motors = w->ny - w->f.nl, integrals = motors - w->f.ni;
  int under_way = integrals - (w->f.late ? w->f.nu : 0);

  // q; then entries that determine velocities; then previous or pending inputs
  fputs(before, f);
  if (j < n)
    cli_put_name(f, "q.", names->coord[j]);
  else if (j < 2 * n)
    cli_put_name(f, second[form], names->coord[j - n]);
  else if (j < under_way)
    cli_put_name(f, "before.u.", names->input[j - 2 * n]);
  else if (j < integrals)
    cli_put_name(f, "now.u.", names->input[j - under_way]);
  else if (j < motors)
    cli_put_name(f, "integral.q.", names->coord[w->f.integral[j - integrals]]);
  else
    cli_put_name(f, "motor.u.", names->input[w->f.lagging[j - motors]]);
}

void cli_measured_write(FILE *f, const pb_names *names, const fb_output_feedback *w) {
  int nu = w->f.nu, ny = w->ny;

  // columns: the plan's u and y, then G by input and entry of y
  fputs("k,t", f);
  for (int i = 0; i < nu; i++) cli_put_name(f, ",u_d.", names->input[i]);
  for (int j = 0; j < ny; j++) cli_put_measured(f, ",y_d.", names, w, j);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < ny; j++) {
      cli_put_name(f, ",G.", names->input[i]);
      cli_put_measured(f, ".", names, w, j);
    }
  fputc('\n', f);

  // one row per sample
  for (int k = 0; k < w->f.N; k++) {
    cli_put_knot(f, k, k * w->f.h);
    cli_put_numbers(f, w->c + (size_t)(k * nu), nu);
    cli_put_numbers(f, w->y_d + (size_t)k * (size_t)ny, ny);
    cli_put_numbers(f, w->G + (size_t)k * (size_t)(nu * ny), nu * ny);
    fputc('\n', f);
  }
}

const cli_result_file cli_file_measured = {
    .name = "measured.csv",
    .stage = "gains",
    .part = CLI_PART_GAINS,
    .columns = "The law that runs, as output feedback: G.INPUT.Y is the gain of that input on that "
               "entry of y; before. is a step ago, now. is under way, integral. is the sum of the "
               "errors before, times the step, motor. is the torque of a motor with a lag less the "
               "plan's.",
};
