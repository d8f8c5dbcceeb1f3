#include "cli/pictures/figure.h"

#include "cli/pictures/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 32000 }; // px of a bitmap

bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size) {
  for (size_t word; *only; only += word + (only[word] == ',')) {
    bool known = false;
    word = strcspn(only, ",");

    // a name of a coordinate, of an input, of an output or of one of its rows
    snprintf(name, size, "%.*s", (int)word, only);
    for (int i = 0; i < names->n; i++) known = known || cli_sheet_lists(name, names->coord[i]);
    for (int i = 0; i < names->nu; i++) known = known || cli_sheet_lists(name, names->input[i]);
    for (int i = 0; i < names->ny; i++) known = known || cli_sheet_lists(name, names->output[i]);
    if (!known) return true;
  }
  return false;
}

// t, q, the velocity of the step that begins there (what is bounded; of the knot itself where that
// is an unknown, or knots between were not kept), u, kinetic and potential energy and their sum; the last knot
// repeats what belongs to the last step
static void put_motion(FILE *f, const cli_exhibit *d) {
  const dm_trajectory *x = d->job.x;
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
      double v = d->at_knots ? x->v[at * n + i] : (q[n + i] - q[i]) / x->h;
      cli_sheet_put(f, &v, 1);
    }

    // inputs of the same step, then energies at the knot
    cli_sheet_put(f, x->u + (k < x->N ? at : at - 1) * nu, x->nu);
    const double *e = d->energy;
    if (e) cli_sheet_put(f, e + 3 * at, 3);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static void put_panels(cli_sheet *s) {
  if (s->d->folder) put_motion(s->data, s->d);
  for (int i = 0; i < CLI_PLOT_COUNT; i++) {
    if (!cli_plots[i]->draw || !cli_plot_asked(cli_plots[i], s->request->what, s->n)) continue;
    cli_sheet_reset(s);
    cli_plots[i]->draw(s);
  }
}

// the time at which the last motion ends
static double find_end(const cli_exhibits *all) {
  double T = 0;
  for (int i = 0; i < all->n; i++) T = fmax(T, all->at[i]->begin + cli_exhibit_end(all->at[i]));
  return T > 0 ? T : 1;
}

static void put_script_head(FILE *f, const cli_sheet *s, double T) {
  // panels side by side: one, two columns up to four, else three
  int columns = s->panels <= 4 ? 2 : 3;
  if (s->panels == 1) columns = 1;
  const int rows = (s->panels + columns - 1) / columns;
  const double w = columns * ceil(s->width), h = rows * ceil(s->height);
  const char *suffix = s->format->suffix;

  // the size in the format's own unit: px, twice as many of a bitmap unless that is too large for
  // its library, inches
  const double scale = fmin(2, LARGEST / fmax(w, h));
  if (!strcmp(suffix, "svg"))
    fprintf(f, "set terminal svg size %.0f,%.0f font 'Helvetica,%g' background 'white' enhanced\n",
            w, h, s->format->label);
  else if (!strcmp(suffix, "png"))
    fprintf(f,
            "set terminal pngcairo size %.0f,%.0f font 'Sans,%g' fontscale %.3g linewidth %.3g "
            "pointscale %.3g enhanced\n",
            scale * w, scale * h, s->format->label, scale, scale, scale);
  else
    fprintf(f,
            "set terminal pdfcairo size %g,%g font 'Sans,%g' fontscale 1 linewidth 1.3 enhanced\n",
            w / 96.0, h / 96.0, s->format->label);

  // axes, ticks and legend of all panels
  fprintf(f,
          "set encoding utf8\nT = %.17g\n"
          "set border 3 lw 1 lc rgb '#444444'\nset tics out nomirror scale 0.6\n"
          "set grid lc rgb '#DDDDDD' lw 0.7 lt 1\n"
          "set key above left horizontal Left reverse samplen 1.4 height 0.2 spacing 0.95 "
          "noenhanced\n",
          T);
  fprintf(f, "set multiplot layout %d,%d\n", rows, columns);
}

// what panels are drawn on, into memory; false without
static bool open_sheet(cli_sheet *s, char **body, char **data, size_t size[2]) {
  const cli_names *names = &s->job->names;
  const int max = names->n > names->nu ? names->n : names->nu;
  s->body = s->f = open_memstream(body, &size[0]);
  s->data = open_memstream(data, &size[1]);
  s->panel = open_memstream(&s->curves, &s->size);
  s->wanted = calloc((size_t)max + 1, sizeof(bool));
  return s->body && s->data && s->panel && s->wanted;
}

static void close_sheet(cli_sheet *s) {
  if (s->body) fclose(s->body);
  if (s->data) fclose(s->data);
  if (s->panel) fclose(s->panel);
  free(s->curves);
  free(s->wanted);
}

int cli_figure_write(FILE *script, const cli_exhibits *all, const cli_request *request) {
  char *body = NULL, *data = NULL;
  size_t size[2];
  const double T = find_end(all);
  cli_sheet s = {.all = all->at,
                 .n = all->shown,
                 .phases = all->phases,
                 .reference = all->reference,
                 .d = all->at[0],
                 .job = &all->at[0]->job,
                 .request = request,
                 .format = cli_sheet_format(request->suffix)};

  // 1  the panels and their data
  const bool made = open_sheet(&s, &body, &data, size);
  if (made) {
    cli_sheet_size(&s);
    put_panels(&s);
  }
  close_sheet(&s);

  // 2  how many panels there are, and how large, is known by now: head, data, panels
  if (made && s.panels) {
    put_script_head(script, &s, T);
    fprintf(script, "%s%sunset multiplot\n", data, body);
  }
  free(body);
  free(data);
  return made && !s.short_of_memory ? s.panels : -1;
}
