#include "cli/pictures/figure.h"

#include "cli/pictures/plots.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 280 }; // of a panel, px

bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size) {
  for (size_t word; *only; only += word + (only[word] == ',')) {
    bool known = false;
    word = strcspn(only, ",");

    // a name of a coordinate or of an input
    snprintf(name, size, "%.*s", (int)word, only);
    for (int i = 0; i < names->n; i++) known = known || !strcmp(names->coord[i], name);
    for (int i = 0; i < names->nu; i++) known = known || !strcmp(names->input[i], name);
    if (!known) return true;
  }
  return false;
}

// t, q, the velocity of the step that begins there (what is bounded; of the knot itself where that
// is an unknown, or knots between were not kept), u, kinetic and potential energy, and what their sum has gained; the last
// knot repeats what belongs to the last step
static void put_motion(FILE *f, const cli_sheet *s) {
  const dm_trajectory *x = s->job->x;
  size_t n = (size_t)x->n, nu = (size_t)x->nu;
  int stride = cli_sheet_stride(x->N);
  fprintf(f, "$x << EOD\n");

  // every stride-th knot
  for (int k = 0; k <= x->N; k += stride) {
    size_t at = (size_t)k;
    fprintf(f, "%.8g", k * x->h);
    cli_sheet_put(f, x->q + at * n, x->n);

    // the velocity that bounds.v limits: of the step from here
    const double *q = x->q + (k < x->N ? at : at - 1) * n;
    for (size_t i = 0; i < n; i++) {
      double v = s->d->at_knots ? x->v[at * n + i] : (q[n + i] - q[i]) / x->h;
      cli_sheet_put(f, &v, 1);
    }

    // inputs of the same step, then energies at the knot
    cli_sheet_put(f, x->u + (k < x->N ? at : at - 1) * nu, x->nu);
    const double *e = s->d->energy;
    if (e) {
      double gained = e[2 * at] + e[2 * at + 1] - (e[0] + e[1]);
      cli_sheet_put(f, e + 2 * at, 2);
      cli_sheet_put(f, &gained, 1);
    }
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static bool is_asked(const cli_plot *plot, const char *what) {
  return !strcmp(what, plot->word) || !strcmp(what, "all");
}

static void put_panels(cli_sheet *s, const char *what) {
  for (int i = 0; i < CLI_PLOT_COUNT; i++) {
    if (!is_asked(cli_plots[i], what)) continue;
    fprintf(s->f, "set yrange [*:*]\n");
    cli_plots[i]->draw(s);
  }
}

static void put_blocks(FILE *f, const cli_sheet *s, const char *what) {
  put_motion(f, s);
  for (int i = 0; i < CLI_PLOT_COUNT; i++)
    if (is_asked(cli_plots[i], what) && cli_plots[i]->blocks) cli_plots[i]->blocks(f, s);
}

static void put_head(FILE *f, int count, const char *suffix, double T) {
  // panels side by side: one, two columns up to four, else three
  int columns = count <= 4 ? 2 : 3;
  if (count == 1) columns = 1;
  const int rows = (count + columns - 1) / columns;
  const int w = columns * WIDTH, h = rows * HEIGHT;

  // the size in the format's own unit: px, twice as many of a bitmap, inches
  if (!strcmp(suffix, "svg"))
    fprintf(f, "set terminal svg size %d,%d font 'Helvetica,13' background 'white' enhanced\n", w,
            h);
  else if (!strcmp(suffix, "png"))
    fprintf(f, "set terminal pngcairo size %d,%d font 'Sans,11' fontscale 2 linewidth 2 enhanced\n",
            2 * w, 2 * h);
  else
    fprintf(f, "set terminal pdfcairo size %g,%g font 'Sans,10' linewidth 1.3 enhanced\n", w / 96.0,
            h / 96.0);

  // axes, ticks and legend of all panels
  fprintf(f,
          "set encoding utf8\nT = %.17g\nset xrange [0:T]\nset xlabel 'time [s]'\n"
          "set border 3 lw 1 lc rgb '#444444'\nset tics out nomirror scale 0.6\n"
          "set grid lc rgb '#DDDDDD' lw 0.7 lt 1\nset format y '%% h'\nset offsets 0,0,graph 0.05,"
          "graph 0.05\n"
          "set key above left horizontal Left reverse samplen 1.4 height 0.2 spacing 0.95 "
          "noenhanced\n",
          T);
  fprintf(f, "set multiplot layout %d,%d\n", rows, columns);
}

int cli_figure_write(FILE *script, const cli_job *job, const cli_figure_data *d, const char *what,
                     const char *suffix) {
  char *body = NULL;
  size_t size;
  int max = job->names.n > job->names.nu ? job->names.n : job->names.nu;

  // 1  the panels, into memory
  cli_sheet s = {.f = open_memstream(&body, &size),
                 .job = job,
                 .d = d,
                 .font = strcmp(suffix, "svg") ? 9.5 : 11.5,
                 .wanted = calloc((size_t)max + 1, sizeof(bool))};
  if (s.f && s.wanted) put_panels(&s, what);
  if (s.f) fclose(s.f);
  free(s.wanted);

  // 2  how many panels there are is known by now: head, data, panels
  if (body && s.panels) {
    put_head(script, s.panels, suffix, job->x->N * job->x->h);
    put_blocks(script, &s, what);
    fprintf(script, "%sunset multiplot\n", body);
  }
  free(body);
  return s.panels;
}
