#include "cli/stages/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

static long size(const cli_controller *c) {
  return c->single ? 4 : 8;
}

int cli_constants_list(const cli_controller *c, cli_constants list[CLI_MOST_CONSTANTS]) {
  const fb_output_feedback *w = cli_controller_any(c);
  const fb_estimator *e = c->estimator;
  size_t nu = (size_t)w->f.nu, nx = (size_t)w->f.nx;
  int n = 0;
  list[n++] = (cli_constants){"u_d", "", w->c, nu};
  for (int form = 0; form < FB_FORMS; form++) {
    if (!(w = c->law[form])) continue;
    list[n++] = (cli_constants){"y_d_", fb_form_names[form], w->y_d, (size_t)w->ny};
    list[n++] = (cli_constants){"G_", fb_form_names[form], w->G, nu * (size_t)w->ny};
  }
  if (!e) return n;
  list[n++] = (cli_constants){"L", "", e->L, nx * (size_t)e->ny};
  list[n++] = (cli_constants){"A", "", e->f->A, nx * nx};
  list[n++] = (cli_constants){"B", "", e->f->B, nx * nu};
  return n;
}

// whether two rows are the same text
static bool same(const cli_controller *c, const double *a, const double *b, size_t cols) {
  for (size_t i = 0; i < cols; i++) {
    double x = cli_constants_rounded(c, a[i]), y = cli_constants_rounded(c, b[i]);
    if (memcmp(&x, &y, sizeof x) != 0) return false;
  }
  return true;
}

size_t cli_constants_rows(const cli_controller *c, const cli_constants *t) {
  size_t rows = (size_t)cli_controller_any(c)->f.N;
  while (rows > 1 && same(c, t->x + (rows - 2) * t->cols, t->x + (rows - 1) * t->cols, t->cols))
    rows--;
  return rows;
}

long cli_constants_bytes(const cli_controller *c) {
  const fb_tvlqr *f = &cli_controller_any(c)->f;
  cli_constants list[CLI_MOST_CONSTANTS];
  int count = cli_constants_list(c, list);
  long n = (long)f->nu * (2 + f->late), which = c->estimator ? 4 * c->estimator->ny : 0;
  for (int i = 0; i < count; i++) n += (long)(cli_constants_rows(c, &list[i]) * list[i].cols);
  return n * size(c) + which;
}

int cli_constants_stack(const cli_controller *c) {
  enum { FRAMES = 320, FILTER = 120 }; // its own numbers beside
  int ny = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && c->law[form]->ny > ny) ny = c->law[form]->ny;
  if (c->estimator) return (ny + 2 * cli_controller_any(c)->f.nx) * (int)size(c) + FRAMES + FILTER;
  return ny * (int)size(c) + FRAMES;
}

// -- numbers and names

static void format(const cli_controller *c, double x, char text[32]) {
  snprintf(text, 32, c->single ? "%.9g" : "%.17g", cli_constants_rounded(c, x));
}

double cli_constants_rounded(const cli_controller *c, double x) {
  return c->single ? (double)(float)x : x;
}

// a constant of the language: 1 is an integer, and has no -0
static void put_number(FILE *f, const cli_controller *c, double x) {
  char text[32];
  format(c, x, text);
  fprintf(f, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", c->single ? "F" : "");
}

static void put_table(FILE *f, const cli_controller *c, const char *name, const char *form,
                      const double *x, size_t rows, size_t cols) {
  fprintf(f, "enum { %s%s_rows = %zu };\n", name, form, rows);
  fprintf(f, "static const controller_real %s%s[%zu] = {", name, form, rows * cols);
  for (size_t i = 0; i < rows * cols; i++) {
    fputs(i % cols == 0 || i % cols % 6 == 0 ? "\n    " : " ", f);
    put_number(f, c, x[i]);
    if (i + 1 < rows * cols) fputc(',', f);
  }
  fputs("};\n", f);
}

static void put_limits(FILE *f, const cli_controller *c) {
  const oc_task *task = c->job->task;
  int nu = cli_controller_any(c)->f.nu;
  for (int high = 0; high < 2; high++) {
    const double *limit = high ? task->u_max : task->u_min, most = c->single ? FLT_MAX : DBL_MAX;
    fprintf(f, "static const controller_real u_%s[%d] = {", high ? "max" : "min", nu);
    for (int i = 0; i < nu; i++) {
      double x = limit ? limit[i] : INFINITY;
      if (i) fputs(", ", f);
      put_number(f, c, isfinite(x) ? x : high ? most : -most);
    }
    fputs("};\n", f);
  }
}

void cli_constants_write(FILE *f, const cli_controller *c) {
  const fb_tvlqr *s = &cli_controller_any(c)->f;
  cli_constants list[CLI_MOST_CONSTANTS];
  int count = cli_constants_list(c, list);
  put_limits(f, c);
  if (s->late) put_table(f, c, "first", "", s->u, 1, (size_t)s->nu);
  for (int i = 0; i < count; i++)
    put_table(f, c, list[i].name, list[i].form, list[i].x, cli_constants_rows(c, &list[i]),
              list[i].cols);
}
