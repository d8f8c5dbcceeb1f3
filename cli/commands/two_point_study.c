#include "cli/commands/two_point_study.h"

#include "lib/base/block.h"
#include "lib/studies/two_point.h"

#include <math.h>
#include <string.h>

enum { WINDOWS = 8 };

// the size of what alternates, and the sums of a straight line through its logarithm over k; nan is
// in them where there was none of it but rounding
typedef struct fit {
  double size, n, k, kk, y, ky;
} fit;

typedef struct window {
  int from, to;
  double knots, middles;  // largest residuals
  fit residual, impulses; // of the constraints at knots, of the multipliers
} window;

struct cli_points {
  dm_holonomic hol;
  bool two;
  int n, nc, steps;
  double *mid;                  // [n]
  double *knot, *middle;        // [nc] of the last knot, and of its step
  double *past[2], *impulse[3]; // [nc] residuals of the knots before, the last multipliers
  double *low, *high;           // [nc] of multipliers
  bool stepped;                 // the last knot has a step
  window whole, part[WINDOWS];
  void *scratch;
};

static void lay_out(cli_points *w, dm_block *b) {
  size_t nc = (size_t)w->nc;
  double **rows[] = {&w->knot,       &w->middle,     &w->past[0], &w->past[1], &w->impulse[0],
                     &w->impulse[1], &w->impulse[2], &w->low,     &w->high};
  w->mid = dm_take(b, (size_t)w->n, sizeof *w->mid);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_take(b, nc, sizeof **rows[i]);
  w->scratch = dm_take(b, w->hol.scratch, 1);
}

dm_status cli_points_new(cli_points **out, const pb_problem *p) {
  if (!p->simulate.points.measured) return DM_OK;
  const dm_system *s = &p->task.system;
  cli_points sizes = {.hol = s->hol, .n = s->L.nq, .nc = s->hol.nc};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  cli_points *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  w->two = p->simulate.points.two, w->steps = p->simulate.steps;
  w->whole.to = w->steps;
  for (int i = 0; i < WINDOWS; i++) {
    w->part[i].from = (int)((long)w->steps * i / WINDOWS);
    w->part[i].to = (int)((long)w->steps * (i + 1) / WINDOWS);
  }
  for (int c = 0; c < w->nc; c++) w->low[c] = INFINITY, w->high[c] = -INFINITY;
  *out = w;
  return DM_OK;
}

void cli_points_free(cli_points *w) {
  dm_block_free(w);
}

// the part of three in a row that alternates, of the row with most of it
static double alternates(int nc, const double *a, const double *b, const double *c) {
  double most = 0;
  for (int i = 0; i < nc; i++) most = fmax(most, fabs(b[i] - (a[i] + c[i]) / 2) / 2);
  return most;
}

static void add(fit *f, int k, double size, double rounding) {
  double y = size > rounding ? log(size) : NAN;
  f->size = size, f->n++, f->k += k, f->kk += (double)k * k, f->y += y, f->ky += k * y;
}

// a step
static double growth(const fit *f) {
  double width = f->n * f->kk - f->k * f->k;
  return width > 0 ? exp((f->n * f->ky - f->k * f->y) / width) : NAN;
}

static double largest(int nc, const double *x) {
  double most = 0;
  for (int i = 0; i < nc; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// into the whole and into the window that has knot k
static void keep(cli_points *w, int k) {
  window *in[] = {&w->whole, w->part};
  while (in[1]->to <= k && in[1] < w->part + WINDOWS - 1) in[1]++;
  for (int i = 0; i < 2; i++) {
    in[i]->knots = fmax(in[i]->knots, largest(w->nc, w->knot));
    if (w->stepped) in[i]->middles = fmax(in[i]->middles, largest(w->nc, w->middle));
    if (k >= 2) add(&in[i]->residual, k, alternates(w->nc, w->past[0], w->past[1], w->knot), 1e-13);
    // the first step's multipliers are given, or none
    if (k >= 3 && w->stepped)
      add(&in[i]->impulses, k, alternates(w->nc, w->impulse[0], w->impulse[1], w->impulse[2]),
          1e-9 * largest(w->nc, w->impulse[2]));
  }
}

dm_status cli_points_measure(cli_points *w, int k, const double *q, const double *q1,
                             const double *lambda) {
  if (!w) return DM_OK;
  const dm_holonomic *hol = &w->hol;
  size_t size = (size_t)w->nc * sizeof(double);
  memcpy(w->past[0], w->past[1], size), memcpy(w->past[1], w->knot, size);
  DM_TRY(hol->eval(hol->self, w->scratch, q, w->knot, NULL));
  w->stepped = q1 && lambda;
  if (w->stepped) {
    for (int i = 0; i < w->n; i++) w->mid[i] = (q[i] + q1[i]) / 2;
    DM_TRY(hol->eval(hol->self, w->scratch, w->mid, w->middle, NULL));
    memcpy(w->impulse[0], w->impulse[1], size), memcpy(w->impulse[1], w->impulse[2], size);
    memcpy(w->impulse[2], lambda, size);
    for (int c = 0; k && c < w->nc; c++)
      w->low[c] = fmin(w->low[c], lambda[c]), w->high[c] = fmax(w->high[c], lambda[c]);
  }
  keep(w, k);
  return DM_OK;
}

void cli_points_header(FILE *f, const pb_problem *p, const cli_names *names) {
  if (!p->simulate.points.measured) return;
  for (int c = 0; c < names->nc; c++) cli_put_name(f, ",residual.", names->row[c]);
  for (int c = 0; c < names->nc; c++) cli_put_name(f, ",middle.", names->row[c]);
}

void cli_points_row(FILE *f, const cli_points *w) {
  if (!w) return;
  for (int c = 0; c < w->nc; c++) fprintf(f, ",%.17g", w->knot[c]);
  for (int c = 0; c < w->nc; c++) {
    if (w->stepped)
      fprintf(f, ",%.17g", w->middle[c]);
    else
      fputc(',', f);
  }
}

static void report(cli_json *o, const window *x) {
  const struct {
    const char *name;
    const fit *of;
  } fits[] = {{"knots", &x->residual}, {"lambda", &x->impulses}};
  cli_json *r = cli_json_object(o, "residual");
  cli_json_number(r, "knots", x->knots);
  cli_json_number(r, "middles", x->middles);
  for (int i = 0; i < 2; i++) {
    r = cli_json_object(o, i ? "alternating_lambda" : "alternating");
    cli_json_number(r, "end", fits[i].of->size);
    cli_json_number(r, "growth", growth(fits[i].of));
  }
}

void cli_points_report(cli_job *job, const cli_points *w) {
  if (!w) return;
  cli_json *o = cli_json_object(job->result, "points"), *parts = json_object_new_array();
  cli_json_text(o, "held", w->two ? "two" : "one");
  if (w->two) cli_json_text(o, "note", dm_two_point_warning);
  report(o, &w->whole);
  cli_json_vector(cli_json_object(o, "lambda"), "low", w->low, w->nc);
  cli_json_vector(json_object_object_get(o, "lambda"), "high", w->high, w->nc);
  for (int i = 0; i < WINDOWS; i++) {
    cli_json *part = json_object_new_object();
    cli_json_int(part, "from", w->part[i].from);
    cli_json_int(part, "to", w->part[i].to);
    report(part, w->part + i);
    json_object_array_add(parts, part);
  }
  json_object_object_add(o, "windows", parts);
  cli_tell(job, "points", "%s; off by at most %.3g at knots, %.3g between",
           w->two ? "held between knots" : "held at knots", w->whole.knots, w->whole.middles);
  double last = growth(&w->part[WINDOWS - 1].residual);
  if (isfinite(last))
    cli_tell(job, "", "what alternates comes to %.3g, by a factor of %.6g a step at the end",
             w->whole.residual.size, last);
}
