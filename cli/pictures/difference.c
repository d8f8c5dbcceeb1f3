#include "cli/console/log.h"
#include "cli/pictures/compare.h"
#include "cli/pictures/plots.h"

#include <math.h>
#include <stdlib.h>

// what all are measured from: what --against names, else the first
static const cli_exhibit *choose_reference(const cli_exhibits *all) {
  return all->reference ? all->reference : all->at[0];
}

static int take_smaller(int a, int b) {
  return a < b ? a : b;
}

// whether two motions have so many knots at the same times that these will do
static bool has_common_knots(const cli_exhibit *x, const cli_exhibit *from) {
  const dm_trajectory *m = x->job.x;
  int common = 0;
  for (int k = 0; k <= m->N; k++) common += cli_exhibit_knot(from, k * m->h) >= 0;
  return 2 * common > take_smaller(m->N, from->job.x->N);
}

static int prepare_difference(cli_exhibits *all, const cli_request *r) {
  const cli_exhibit *from = choose_reference(all);
  if (!all->reference && all->shown < 2)
    return cli_fail(r->args, CLI_INPUT,
                    "--what difference needs two folders, or one and --against DIR");

  // where knots are elsewhere, the reference is taken between its own
  for (int i = 0; i < all->shown; i++) {
    const cli_exhibit *x = all->at[i];
    if (x == from || has_common_knots(x, from)) continue;
    cli_note(r->args,
             "%s has its knots at other times than %s: the latter is taken between its knots by "
             "cubics of its places and velocities",
             x->path, from->path);
  }
  return CLI_DONE;
}

// The differences of a folder at its knots up to the reference's end.
typedef struct differences {
  int rows;
  double *t, *q, *norm; // [rows], [rows x n], [rows] of the coordinates that are shown
} differences;

static void free_differences(differences *d) {
  free(d->t);
  free(d->q);
  free(d->norm);
}

static bool find_differences(cli_sheet *s, const cli_exhibit *x, const cli_exhibit *from,
                             differences *d) {
  const dm_trajectory *m = x->job.x;
  const size_t rows = (size_t)m->N + 1, n = (size_t)m->n;
  const bool common = has_common_knots(x, from);
  const double end = cli_exhibit_end(from) * (1 + 1e-12);
  *d = (differences){.t = cli_sheet_take(s, rows, sizeof *d->t),
                     .q = cli_sheet_take(s, rows * n, sizeof *d->q),
                     .norm = cli_sheet_take(s, rows, sizeof *d->norm)};
  if (!d->t || !d->q || !d->norm) return false;

  // a row a knot: each coordinate, and the norm of those that are shown
  for (int k = 0; k <= m->N && k * m->h <= end; k++) {
    if (common && cli_exhibit_knot(from, k * m->h) < 0) continue;
    const size_t row = (size_t)d->rows++;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      const double off = m->q[(size_t)k * n + i] - cli_exhibit_place(from, k * m->h, (int)i);
      d->q[row * n + i] = off;
      if (cli_sheet_shows(s, s->job->names.coord[i])) sum += off * off;
    }
    d->t[row] = k * m->h;
    d->norm[row] = sqrt(sum);
  }
  return true;
}

// the unit that all coordinates which are shown have in common, else SI; how many there are
static const char *find_unit(const cli_sheet *s, int *count) {
  const char *unit = NULL;
  *count = 0;
  for (int i = 0; i < s->job->names.n; i++) {
    if (!cli_sheet_shows(s, s->job->names.coord[i])) continue;
    const char *own = cli_sheet_kind(s->job->p->model->kind[i])->unit;
    if (*count && unit != own) unit = "SI";
    if (!*count) unit = own;
    ++*count;
  }
  return unit;
}

static cli_curve make_difference_curve(const cli_sheet *s, int i, const differences *d,
                                       const double *y, int next) {
  return (cli_curve){.n = d->rows,
                     .x = d->t,
                     .x_next = 1,
                     .y = y,
                     .y_next = next,
                     .size = s->request->log[1],
                     .colour = i,
                     .dash = i / CLI_COLOURS,
                     .name = s->all[i]->name};
}

// the norm of all, then each coordinate
static void draw_panels(cli_sheet *s, const differences *d, cli_curve *curves,
                        const cli_exhibit *from) {
  int count, m = 0;
  char label[320];
  const char *unit = find_unit(s, &count);

  // the norm, where there is more than one to take it of
  for (int i = 0; count > 1 && i < s->n; i++)
    if (d[i].rows) curves[m++] = make_difference_curve(s, i, &d[i], d[i].norm, 1);
  snprintf(label, sizeof label, "|q - q of %.280s|", from->name);
  cli_compare(s, label, unit, curves, m, true);

  // then each coordinate of all folders
  for (int c = 0; c < s->job->names.n; c++) {
    const char *name = s->job->names.coord[c];
    if (!cli_sheet_shows(s, name)) continue;
    m = 0;
    for (int i = 0; i < s->n; i++)
      if (d[i].rows) curves[m++] = make_difference_curve(s, i, &d[i], d[i].q + c, s->job->names.n);
    snprintf(label, sizeof label, "%.140s - that of %.140s", name, from->name);
    cli_compare(s, label, cli_sheet_kind(s->job->p->model->kind[c])->unit, curves, m, true);
  }
}

static void draw_difference(cli_sheet *s) {
  const cli_exhibit *from = s->reference ? s->reference : s->all[0];
  differences *d = cli_sheet_take(s, (size_t)s->n, sizeof *d);
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  bool found = d && curves;
  for (int i = 0; found && i < s->n; i++)
    if (s->all[i] != from) found = find_differences(s, s->all[i], from, &d[i]);
  if (found) draw_panels(s, d, curves, from);
  for (int i = 0; d && i < s->n; i++) free_differences(&d[i]);
  free(d);
  free(curves);
}

const cli_plot cli_plot_difference = {
    .word = "difference",
    .help = "of several folders: each coordinate less that of the first, or of --against",
    .takes = "--against --log",
    .least = 1,
    .most = CLI_MANY,
    .apart = true,
    .together = true,
    .prepare = prepare_difference,
    .draw = draw_difference,
};
