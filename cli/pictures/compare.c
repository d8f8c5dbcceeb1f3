#include "cli/pictures/compare.h"

#include "cli/pictures/plot_axis.h"
#include "lib/base/names.h"

#include <math.h>
#include <stdlib.h>

// how far a curve goes up and down
static double find_span(const cli_curve *c) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < c->n; k++) {
    const double y = c->y[(size_t)k * (size_t)c->y_next];
    if (!isfinite(y)) continue;
    low = fmin(low, y);
    high = fmax(high, y);
  }
  return high > low ? high - low : 0;
}

// whether it varies by less than a hundredth of its size, and by more than rounding
static bool is_still(const cli_curve *c, double span) {
  return c->n > 0 && span > c->rounding * fabs(c->y[0]) && span < 1e-2 * fabs(c->y[0]) &&
         c->less == 0 && !c->size;
}

// Curves that share a panel.
typedef struct panel_part {
  const cli_curve *curves; // [n]
  int n;
  const double *span; // [n]
  const int *part;    // [n] which of the parts each belongs to
  int which;          // of these; -1: all
} panel_part;

static bool belongs(const panel_part *p, int i) {
  return p->which < 0 || p->part[i] == p->which;
}

// those of a part; where all of them hardly vary, their change
static void draw_part(cli_sheet *s, const char *label, const char *unit, const panel_part *p) {
  bool still = true;
  char text[320];
  for (int i = 0; i < p->n; i++)
    if (belongs(p, i)) still = still && is_still(&p->curves[i], p->span[i]);
  snprintf(text, sizeof text, still ? "%.280s - its start" : "%.300s", label);

  cli_sheet_begin(s, text, unit);
  for (int i = 0; i < p->n; i++) {
    cli_curve c = p->curves[i];
    if (still) c.less = s->phases ? p->curves[0].y[0] : c.y[0];
    if (belongs(p, i)) cli_sheet_draw(s, &c);
  }
  cli_sheet_end(s, false);
}

bool cli_compare_before(const cli_sheet *s, int f, cli_named kind, const char *name) {
  bool found = false;
  for (int i = 0; i < f; i++) {
    const cli_names *of = &s->all[i]->job.names;
    const char *const *list = kind == CLI_COORDINATES ? of->coord
                              : kind == CLI_INPUTS    ? of->input
                                                      : of->output;
    const int n = kind == CLI_COORDINATES ? of->n : kind == CLI_INPUTS ? of->nu : of->ny;
    found = found || dm_names_find(list, n, name) >= 0;
  }
  return found;
}

void cli_compare(cli_sheet *s, const char *label, const char *unit, const cli_curve *curves, int n,
                 bool together) {
  // on a logarithmic scale nothing is flat, and phases are one curve
  const bool log = s->request->log[1] || s->phases;
  double *span = cli_sheet_take(s, (size_t)n + 1, sizeof *span);
  int *part = cli_sheet_take(s, (size_t)n + 1, sizeof *part);
  panel_part p = {.curves = curves, .n = n, .span = span, .part = part};
  if (n > 0 && span && part) {
    for (int i = 0; i < n; i++) span[i] = find_span(&curves[i]);
    const int parts = log ? 1 : cli_axis_split(span, n, part);

    // all of them, and those apart that are flat there
    for (int k = 0; k < parts; k++) {
      p.which = (together || log) && k == 0 ? -1 : k;
      draw_part(s, label, unit, &p);
    }
  }
  free(span);
  free(part);
}

cli_curve cli_compare_knots(const cli_sheet *s, int i, const double *y, int next) {
  const dm_trajectory *x = s->all[i]->job.x;
  return (cli_curve){.n = x->N + 1,
                     .y = y,
                     .y_next = next,
                     .from = s->all[i]->begin,
                     .step = x->h,
                     .colour = i,
                     .dash = i / CLI_COLOURS,
                     .name = s->all[i]->name};
}

cli_curve cli_compare_steps(const cli_sheet *s, int i, const double *y, int next) {
  cli_curve c = cli_compare_knots(s, i, y, next);
  c.n--;
  c.holds = true;
  return c;
}

// coordinate c of folder f, in every folder that has one of this name
static void compare_coordinate(cli_sheet *s, bool velocity, int f, int c, cli_curve *curves) {
  const cli_job *of = &s->all[f]->job;
  const char *name = of->names.coord[c];
  const cli_kind_words *words = cli_sheet_kind(of->p->model->kind[c]);
  int n = 0;
  if (!cli_sheet_shows(s, name)) return;
  for (int i = f; i < s->n; i++) {
    const cli_job *job = &s->all[i]->job;
    const int at = dm_names_find(job->names.coord, job->names.n, name);
    const double *y = velocity ? job->x->v : job->x->q;
    if (at < 0) continue;
    curves[n] = cli_compare_knots(s, i, y + at, job->x->n);
    curves[n++].rounding = CLI_ROUNDING;
  }
  char label[160];
  snprintf(label, sizeof label, "%s%.140s", velocity ? "rate of " : "", name);
  cli_compare(s, label, velocity ? words->rate : words->unit, curves, n, true);
}

void cli_compare_states(cli_sheet *s, bool velocity) {
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  for (int f = 0; curves && f < s->n; f++) {
    const cli_names *names = &s->all[f]->job.names;
    for (int c = 0; c < names->n; c++)
      if (!cli_compare_before(s, f, CLI_COORDINATES, names->coord[c]))
        compare_coordinate(s, velocity, f, c, curves);
  }
  free(curves);
}
