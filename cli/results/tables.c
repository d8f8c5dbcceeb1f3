#include "cli/results/tables.h"

#include "lib/base/text.h"
#include "problems/readers/format/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// a name as part of a column's: what would break the table, or is not plain, becomes _
void cli_put_name(FILE *f, const char *before, const char *name) {
  fputs(before, f);
  while (*name) {
    int n = strchr(",\"#", *name) ? 0 : dm_text_plain(name);
    if (n)
      fwrite(name, 1, (size_t)n, f);
    else
      fputc('_', f);
    name += n ? n : 1;
  }
}

static void put_names(FILE *f, const char *before, const char *const *name, int n) {
  for (int i = 0; i < n; i++) cli_put_name(f, before, name[i]);
}

void cli_put_numbers(FILE *f, const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x && !isnan(x[i]))
      fprintf(f, ",%.17g", x[i]);
    else
      fputc(',', f);
}

// q.NAME and p.NAME of state i
void cli_put_state(FILE *f, const char *before, const cli_names *names, int i) {
  fputs(before, f);
  cli_put_name(f, i < names->n ? "q." : "p.", names->coord[i % names->n]);
}

// --- reading ---

typedef struct table {
  int rows, cols;
  double *x;                // [rows x cols]
  const char *const *words; // that stand for their number in this list; NULL: none
} table;

static int count_columns(const char *header) {
  int n = 1;
  for (; *header; header++) n += *header == ',';
  return n;
}

// a cell as a number, an empty one as NAN; false where it is none
static bool read_cell(const char *cell, const char *const *words, double *x) {
  char *end;
  for (int i = 0; words && words[i]; i++)
    if (!strcmp(words[i], cell)) return *x = i, true;
  *x = *cell ? strtod(cell, &end) : NAN;
  return !*cell || !*end;
}

// the numbers of one line into row; false where one is none
static bool read_row(char *line, double *row, int cols, const char *const *words) {
  for (int j = 0; j < cols; j++) {
    char *comma = strchr(line, ',');
    if ((j == cols - 1) != !comma) return false;
    if (comma) *comma = 0;
    if (!read_cell(line, words, row + j)) return false;
    if (comma) line = comma + 1;
  }
  return true;
}

// the lines of an open file, the first of which must begin with the columns of header
static dm_status read_lines(FILE *f, const char *path, const char *header, table *t,
                            dm_message *msg) {
  char *line = NULL;
  size_t size = 0;
  int room = 0, at = 0;
  bool named = false;
  dm_status s = DM_OK;
  while (s == DM_OK && getline(&line, &size, f) >= 0) {
    at++;
    line[strcspn(line, "\r\n")] = 0;
    if (!line[0] || line[0] == '#') continue;
    if (!named) {
      size_t len = strlen(header);
      if (strncmp(line, header, len) || !strchr(",", line[len]))
        s = dm_fail(msg, DM_BAD_INPUT, "%s:%d: the columns are %.120s, expected %.120s", path, at,
                    line, header);
      t->cols = count_columns(line);
      named = true;
      continue;
    }
    if (t->rows == room) {
      double *x = realloc(t->x, (size_t)(room = 2 * room + 64) * (size_t)t->cols * sizeof *x);
      if (!x)
        s = dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", path);
      else
        t->x = x;
    }
    if (s == DM_OK &&
        !read_row(line, t->x + (size_t)t->rows++ * (size_t)t->cols, t->cols, t->words))
      s = dm_fail(msg, DM_BAD_INPUT, "%s:%d: expected %d numbers separated by commas", path, at,
                  t->cols);
  }
  free(line);
  if (s == DM_OK && t->rows == 0) s = dm_fail(msg, DM_BAD_INPUT, "%s: no rows", path);
  return s;
}

// t: empty, but for its words
static dm_status read_table(const char *path, const char *header, table *t, dm_message *msg) {
  dm_message why;
  FILE *f = pb_file_open(path, &why);
  if (!f) return dm_fail(msg, DM_IO, "%s cannot be read: %s", path, why.text);
  dm_status s = read_lines(f, path, header, t, msg);
  fclose(f);
  if (s != DM_OK) free(t->x);
  return s;
}

dm_status cli_table_read(double **out, int *rows, int *cols, const char *path, const char *header,
                         const char *const *words, dm_message *msg) {
  table t = {.words = words};
  DM_TRY(read_table(path, header, &t, msg));
  if (!cols && t.cols != count_columns(header)) {
    free(t.x);
    return dm_fail(msg, DM_BAD_INPUT, "%s: %d columns, expected %d", path, t.cols,
                   count_columns(header));
  }
  *out = t.x, *rows = t.rows;
  if (cols) *cols = t.cols;
  return DM_OK;
}

// the header line that a writer writes, without comments and line end; to be freed
typedef void writer(FILE *f, const cli_names *names);
static char *header_of(writer *write, const cli_names *names) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  write(f, names);
  fclose(f);
  if (text) text[strcspn(text, "\n")] = 0;
  return text;
}

static dm_status read_named(const char *path, writer *write, const cli_names *names, table *t,
                            dm_message *msg) {
  char *header = header_of(write, names);
  if (!header) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status s = read_table(path, header, t, msg);
  free(header);
  return s;
}

// --- trajectory.csv ---

void cli_trajectory_header(FILE *f, const cli_names *names) {
  fputs("k,t", f);
  put_names(f, ",q.", names->coord, names->n);
  put_names(f, ",p.", names->coord, names->n);
  put_names(f, ",v.", names->coord, names->n);
  put_names(f, ",u.", names->input, names->nu);
  put_names(f, ",lambda.", names->row, names->nc);
}

void cli_trajectory_row(FILE *f, const dm_trajectory *x, int k, double t, const double *u,
                        const double *lambda) {
  cli_put_numbers(f, &t, 1);
  cli_put_numbers(f, x->q + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, x->p + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, x->v + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, u, x->nu);
  cli_put_numbers(f, lambda, x->nc);
}

void cli_trajectory_write(FILE *f, const cli_names *names, const dm_trajectory *x) {
  cli_trajectory_header(f, names);
  fputc('\n', f);
  for (int k = 0; k <= x->N; k++) {
    fprintf(f, "%d", k);
    bool steps = k < x->N;
    cli_trajectory_row(f, x, k, k * x->h, steps ? x->u + (size_t)k * (size_t)x->nu : NULL,
                       steps ? x->lambda + (size_t)k * (size_t)x->nc : NULL);
    fputc('\n', f);
  }
}

// column blocks q, p, v, u, lambda of a table into a trajectory
static bool unpack_trajectory(const table *t, dm_trajectory *x) {
  size_t n = (size_t)x->n, nu = (size_t)x->nu, nc = (size_t)x->nc;
  for (int k = 0; k <= x->N; k++) {
    const double *row = t->x + (size_t)k * (size_t)t->cols + 2;
    memcpy(x->q + (size_t)k * n, row, n * sizeof *row);
    memcpy(x->p + (size_t)k * n, row + n, n * sizeof *row);
    memcpy(x->v + (size_t)k * n, row + 2 * n, n * sizeof *row);
    if (k < x->N && nu) memcpy(x->u + (size_t)k * nu, row + 3 * n, nu * sizeof *row);
    if (k < x->N && nc) memcpy(x->lambda + (size_t)k * nc, row + 3 * n + nu, nc * sizeof *row);
    for (size_t j = 0; j < 3 * n + (k < x->N ? nu + nc : 0); j++)
      if (!isfinite(row[j])) return false;
  }
  return x->h > 0;
}

dm_status cli_trajectory_read(dm_trajectory **out, const char *path, const cli_names *names,
                              dm_message *msg) {
  table t = {0};
  *out = NULL;
  DM_TRY(read_named(path, cli_trajectory_header, names, &t, msg));
  dm_status s = DM_BAD_INPUT;
  if (t.rows < 2) {
    dm_fail(msg, s, "%s: one row makes no motion", path);
  } else if ((s = dm_trajectory_make(out, t.rows - 1, names->n, names->nu, names->nc)) != DM_OK) {
    dm_fail(msg, s, "out of memory");
  } else {
    (*out)->h = t.x[t.cols + 1] - t.x[1];
    if (!unpack_trajectory(&t, *out)) {
      dm_trajectory_free(*out);
      *out = NULL;
      s = dm_fail(msg, DM_BAD_INPUT, "%s: a cell is empty or not finite, or time does not grow",
                  path);
    }
  }
  free(t.x);
  return s;
}

// --- linearization.csv ---

void cli_linearization_header(FILE *f, const cli_names *names) {
  int nx = 2 * names->n;
  fputs("k,t", f);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) cli_put_state(f, ",A.", names, i), cli_put_state(f, ".", names, j);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < names->nu; j++)
      cli_put_state(f, ",B.", names, i), cli_put_name(f, ".", names->input[j]);
  for (int c = 0; c < names->nc; c++)
    for (int j = 0; j < nx; j++)
      cli_put_name(f, ",lambda.", names->row[c]), cli_put_state(f, ".", names, j);
  for (int c = 0; c < names->nc; c++)
    for (int j = 0; j < names->nu; j++)
      cli_put_name(f, ",lambda.", names->row[c]), cli_put_name(f, ".", names->input[j]);
  fputc('\n', f);
}

void cli_linearization_row(FILE *f, const cli_names *names, int k, double t, const double *A,
                           const double *B, const double *lambda_x, const double *lambda_u) {
  int nx = 2 * names->n;
  fprintf(f, "%d,%.17g", k, t);
  cli_put_numbers(f, A, nx * nx);
  cli_put_numbers(f, B, nx * names->nu);
  cli_put_numbers(f, lambda_x, names->nc * nx);
  cli_put_numbers(f, lambda_u, names->nc * names->nu);
  fputc('\n', f);
}

// --- second.csv ---

void cli_second_header(FILE *f) {
  fputs("k,state,row,column,value\n", f);
}

// variable i of (x,u)
static void put_variable(FILE *f, const char *before, const cli_names *names, int i) {
  if (i < 2 * names->n)
    cli_put_state(f, before, names, i);
  else
    fprintf(f, "%su.", before), cli_put_name(f, "", names->input[i - 2 * names->n]);
}

int cli_second_rows(FILE *f, const cli_names *names, int k, int state, const double *xx,
                    const double *xu, const double *uu) {
  int nx = 2 * names->n, nu = names->nu, count = 0;
  for (int i = 0; i < nx + nu; i++)
    for (int j = i; j < nx + nu; j++) {
      double value = j < nx   ? xx[i * nx + j]
                     : i < nx ? xu[i * nu + j - nx]
                              : uu[(i - nx) * nu + j - nx];
      if (value == 0) continue;
      fprintf(f, "%d", k);
      cli_put_state(f, ",", names, state);
      put_variable(f, ",", names, i), put_variable(f, ",", names, j);
      fprintf(f, ",%.17g\n", value);
      count++;
    }
  return count;
}

// --- multipliers.csv ---

static const char multipliers_columns[] = "i,x,lambda,z_l,z_u";

void cli_multipliers_write(FILE *f, const oc_nlp *nlp, const oc_point *point) {
  fprintf(f, "%s\n", multipliers_columns);
  for (int i = 0; i < nlp->n || i < nlp->m; i++) {
    fprintf(f, "%d", i);
    cli_put_numbers(f, i < nlp->n ? point->x + i : NULL, 1);
    cli_put_numbers(f, i < nlp->m ? point->lambda + i : NULL, 1);
    cli_put_numbers(f, i < nlp->n ? point->z_l + i : NULL, 1);
    cli_put_numbers(f, i < nlp->n ? point->z_u + i : NULL, 1);
    fputc('\n', f);
  }
}

dm_status cli_multipliers_read(const char *path, const oc_nlp *nlp, oc_point *point,
                               dm_message *msg) {
  table t = {0};
  DM_TRY(read_table(path, multipliers_columns, &t, msg));
  int n = 0, m = 0;
  bool finite = true;
  for (int i = 0; i < t.rows; i++) { // cells beyond the last variable or row are empty
    const double *row = t.x + (size_t)i * (size_t)t.cols;
    n += !isnan(row[1]), m += !isnan(row[2]);
    if (n == i + 1) finite = finite && isfinite(row[1]) && isfinite(row[3]) && isfinite(row[4]);
    if (m == i + 1) finite = finite && isfinite(row[2]);
  }
  dm_status s = DM_OK;
  if (!finite)
    s = dm_fail(msg, DM_BAD_INPUT, "%s: a number is missing or not finite", path);
  else if (n != nlp->n || m != nlp->m)
    s = dm_fail(msg, DM_BAD_INPUT, "%s: %d variables and %d rows, this program has %d and %d", path,
                n, m, nlp->n, nlp->m);
  for (int i = 0; s == DM_OK && i < t.rows; i++) {
    const double *row = t.x + (size_t)i * (size_t)t.cols;
    if (i < n) point->x[i] = row[1], point->z_l[i] = row[3], point->z_u[i] = row[4];
    if (i < m) point->lambda[i] = row[2];
  }
  free(t.x);
  return s;
}

// --- convergence.csv ---

static const char convergence_columns[] =
    "iteration,objective,violation,dual,mu,step,regularization";

void cli_convergence_write(FILE *f, const oc_iterate *record, int rows) {
  fprintf(f, "%s\n", convergence_columns);
  for (const oc_iterate *it = record; it < record + rows; it++) {
    double x[] = {it->objective, it->violation, it->dual, it->mu, it->step, it->regularization};
    fprintf(f, "%d", it->iteration);
    cli_put_numbers(f, x, (int)(sizeof x / sizeof x[0]));
    fputc('\n', f);
  }
}

dm_status cli_convergence_read(double **out, int *rows, const char *path, dm_message *msg) {
  return cli_table_read(out, rows, NULL, path, convergence_columns, NULL, msg);
}

// --- descent.csv ---

static const char descent_columns[] =
    "method,iteration,direction,cost,merit,slope,step,goal,cut,least,damping,tried,time";

void cli_descent_header(FILE *f) {
  fprintf(f, "%s\n", descent_columns);
}

void cli_descent_rows(FILE *f, oc_method method, const oc_descent_row *record, int rows) {
  for (const oc_descent_row *r = record; r < record + rows; r++) {
    double x[] = {r->cost, r->merit, r->slope, r->step, r->miss};
    fprintf(f, "%s,%d,%s", oc_method_names[method], r->iteration, oc_method_names[r->kind]);
    cli_put_numbers(f, x, (int)(sizeof x / sizeof x[0]));
    fprintf(f, ",%d,%.17g,%.17g,%d,%.17g\n", r->cut, r->least, r->damping, r->tried, r->time_s);
  }
}

dm_status cli_descent_read(double **out, int *rows, const char *path, dm_message *msg) {
  return cli_table_read(out, rows, NULL, path, descent_columns, oc_method_names, msg);
}

// --- verify.csv and fan.csv ---

void cli_verify_header(FILE *f) {
  fputs("plant,sample,start_q_error,start_v_error,final_error,final_worst,worst_error,saturated,"
        "steps,held\n",
        f);
}

void cli_verify_rows(FILE *f, const cli_names *names, const char *plant, const fb_sample *rows,
                     int samples, const bool *ran) {
  for (const fb_sample *s = rows; s < rows + samples; s++) {
    if (!ran[s - rows]) continue;
    int i = s->worst_state;
    fprintf(f, "%s,%d,%.17g,%.17g,%.17g,", plant, (int)(s - rows), s->start_q_error,
            s->start_v_error, s->final_error);
    if (i >= 0) cli_put_name(f, i < names->n ? "q." : "v.", names->coord[i % names->n]);
    fprintf(f, ",%.17g,%d,%d,%d\n", s->worst_error, s->saturated, s->steps, s->held);
  }
}

static void fan_header(FILE *f, const cli_names *names) {
  fputs("sample,k,t", f);
  put_names(f, ",q.", names->coord, names->n);
}

void cli_fan_write(FILE *f, const cli_names *names, int samples, int N, double h,
                   const double *fan) {
  fan_header(f, names);
  fputc('\n', f);
  for (int i = 0; i < samples; i++)
    for (int k = 0; k <= N; k++) {
      fprintf(f, "%d,%d,%.17g", i, k, k * h);
      cli_put_numbers(f, fan + ((size_t)i * (size_t)(N + 1) + (size_t)k) * (size_t)names->n,
                      names->n);
      fputc('\n', f);
    }
}

// the numbers of a table as they stand
static dm_status read_rows(double **out, int *rows, const char *path, writer *header,
                           const cli_names *names, dm_message *msg) {
  table t = {0};
  DM_TRY(read_named(path, header, names, &t, msg));
  *out = t.x, *rows = t.rows;
  return DM_OK;
}

dm_status cli_fan_read(double **out, int *rows, const char *path, const cli_names *names,
                       dm_message *msg) {
  return read_rows(out, rows, path, fan_header, names, msg);
}

// --- response.csv ---

static void response_header(FILE *f, const cli_names *names) {
  fputs("k,t,error.open,error.closed", f);
  put_names(f, ",open.q.", names->coord, names->n);
  put_names(f, ",closed.q.", names->coord, names->n);
  put_names(f, ",closed.u.", names->input, names->nu);
}

void cli_response_write(FILE *f, const cli_names *names, const fb_tvlqr *s, const double *open,
                        const double *closed, const double *u, const double *error_open,
                        const double *error_closed) {
  response_header(f, names);
  fputc('\n', f);
  for (int k = 0; k <= s->N; k++) {
    fprintf(f, "%d,%.17g", k, k * s->h);
    cli_put_numbers(f, error_open + k, 1);
    cli_put_numbers(f, error_closed + k, 1);
    cli_put_numbers(f, open + (size_t)k * (size_t)s->nx, names->n);
    cli_put_numbers(f, closed + (size_t)k * (size_t)s->nx, names->n);
    cli_put_numbers(f, k < s->N ? u + (size_t)k * (size_t)s->nu : NULL, names->nu);
    fputc('\n', f);
  }
}

dm_status cli_response_read(double **out, int *rows, const char *path, const cli_names *names,
                            dm_message *msg) {
  return read_rows(out, rows, path, response_header, names, msg);
}
