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

// whether it varies by less than a hundredth of its size, and not by nothing
static bool is_still(const cli_curve *c, double span) {
  return c->n > 0 && span > 0 && span < 1e-2 * fabs(c->y[0]) && c->less == 0 && !c->size;
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
    if (still) c.less = c.y[0];
    if (belongs(p, i)) cli_sheet_draw(s, &c);
  }
  cli_sheet_end(s, false);
}

void cli_compare(cli_sheet *s, const char *label, const char *unit, const cli_curve *curves, int n,
                 bool together) {
  // on a logarithmic scale nothing is flat
  const bool log = s->request->log[1];
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

void cli_compare_states(cli_sheet *s, bool velocity) {
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  const cli_names *names = &s->job->names;
  for (int c = 0; curves && c < names->n; c++) {
    if (!cli_sheet_shows(s, names->coord[c])) continue;
    const cli_kind_words *words = cli_sheet_kind(s->job->p->model->kind[c]);

    // the same coordinate of each, by its name
    for (int i = 0; i < s->n; i++) {
      const cli_job *job = &s->all[i]->job;
      const int at = dm_names_find(job->names.coord, job->names.n, names->coord[c]);
      curves[i] = cli_compare_knots(s, i, (velocity ? job->x->v : job->x->q) + at, job->x->n);
    }
    char label[160];
    snprintf(label, sizeof label, "%s%.140s", velocity ? "rate of " : "", names->coord[c]);
    cli_compare(s, label, velocity ? words->rate : words->unit, curves, s->n, true);
  }
  free(curves);
}
