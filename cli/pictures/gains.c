#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

#include <math.h>

enum { NAMED = 12 }; // gains that are drawn one by one, at most

static int count_gains(const cli_names *names) {
  return names->nu * 2 * names->n;
}

static double find_norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// t and each gain; where they are many, for each input the norm of its gains on q and that on p
static void put_gains(const cli_sheet *s) {
  FILE *f = s->data;
  const dm_trajectory *x = s->job->x;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_gains);
  const int n = x->n, nk = count_gains(&s->job->names);
  const int stride = cli_sheet_stride(table->rows);

  // a row a step, of rest at the motion's end as well
  fprintf(f, "$K << EOD\n");
  for (int k = 0; k < table->rows; k += stride) {
    const double *K = table->x + (size_t)k * (size_t)nk;
    fprintf(f, "%.8g", k * x->h);

    // all of them, or 2 nu norms
    if (nk <= NAMED) cli_sheet_put(f, K, nk);
    for (int i = 0; nk > NAMED && i < 2 * x->nu; i++) {
      double size = find_norm(K + i * n, n);
      cli_sheet_put(f, &size, 1);
    }
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// each gain by name where they are few; else their norms on errors of q and of p, by input
static void draw_gains(cli_sheet *s) {
  const cli_names *names = &s->job->names;
  const cli_table *K = cli_exhibit_table(s->d, &cli_file_gains);
  int nx = 2 * names->n, nk = count_gains(names);
  if (!K->x) return;
  put_gains(s);

  // many: norms on q, then on p, a curve an input
  for (int i = 0; i < names->nu; i++) s->wanted[i] = cli_sheet_shows(s, names->input[i]);
  for (int of = 0; nk > NAMED && of < 2; of++) {
    int at = 0;
    for (cli_group g; cli_sheet_next(s, names->nu, &at, &g);) {
      cli_sheet_begin(s, of ? "norm of gains on p" : "norm of gains on q", "SI");
      for (int j = 0; j < g.n; j++)
        cli_sheet_curve(s, "$K", 2 + 2 * g.i[j] + of, "lines", g.colour[j], names->input[g.i[j]]);
      cli_sheet_end(s, false);
    }
  }

  // few: each under the names of its input and state
  if (nk > NAMED) return;
  cli_axis(s->f, K->x, K->rows, nk, nk, NULL, 0);
  cli_sheet_begin(s, "gains K", "SI");
  for (int i = 0; i < nk; i++) {
    // an only input goes without saying
    char name[200], input[100] = "";
    if (names->nu > 1) snprintf(input, sizeof input, "%.90s: ", names->input[i / nx]);
    snprintf(name, sizeof name, "%s%s.%s", input, i % nx < names->n ? "q" : "p",
             names->coord[i % nx % names->n]);
    cli_sheet_curve(s, "$K", 2 + i, "lines", i, name);
  }
  cli_sheet_end(s, false);
}

const cli_plot cli_plot_gains = {
    .word = "gains",
    .help = "gains against time; of many, their norms by input",
    .needs = {&cli_file_gains},
    .draw = draw_gains,
};
