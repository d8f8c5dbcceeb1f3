#include "cli/results/descent.h"
#include "cli/pictures/plots.h"

#include <math.h>

enum { DOTTED = 100 }; // iterations that are drawn as dots, at most

static void put_method(FILE *f, const cli_table *table, int method) {
  // the method's last cost, which others are compared with
  const double *last = NULL, *end = table->x + table->rows * CLI_DESCENT_COLUMNS;
  for (const double *r = table->x; r < end; r += CLI_DESCENT_COLUMNS)
    if ((int)r[0] == method) last = r;
  if (!last) return;
  fprintf(f, "$d%d << EOD\n", method);

  for (const double *r = table->x; r < end; r += CLI_DESCENT_COLUMNS) {
    // iteration from 1, time ms, cost less its last, slope downwards
    const double x[] = {r[1] + 1, 1e3 * r[CLI_DESCENT_COLUMNS - 1], fabs(r[3] - last[3]), -r[5]};
    if ((int)r[0] != method) continue;
    cli_sheet_put(f, x, 4);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static void put_descent(const cli_sheet *s) {
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_descent);
  for (int m = 0; oc_method_names[m]; m++) put_method(s->data, table, m);
}

static int count_iterations(const cli_table *table, int method) {
  int rows = 0;
  for (int i = 0; i < table->rows; i++) rows += (int)table->x[i * CLI_DESCENT_COLUMNS] == method;
  return rows;
}

// cost error and slope of each method, against iterations and against time
static void draw_descent(cli_sheet *s) {
  static const char *const over[] = {"iteration", "time"};
  static const char *const units[] = {"", "ms"};
  static const char *const labels[] = {"cost - its last", "-slope"};
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_descent);
  if (!table->x) return;
  put_descent(s);

  // four panels: what against what
  fprintf(s->f, "set logscale xy\nset format xy '10^{%%T}'\nset xrange [*:*]\n");
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 2; x++) {
      cli_sheet_abscissa(s, over[x], units[x]);
      cli_sheet_begin(s, labels[y], "");

      // a colour a method; many iterations are a line
      for (int m = 0; oc_method_names[m]; m++) {
        int rows = count_iterations(table, m);
        if (!rows) continue;
        fprintf(s->f, "$d%d using %d:($%d > 0 ? $%d : NaN) with %s lw 2 lc rgb '#%s'", m, 1 + x,
                3 + y, 3 + y, rows > DOTTED ? "lines" : "linespoints pt 7 ps 0.4",
                cli_sheet_colour(m));
        cli_sheet_title(s, oc_method_names[m]);
      }
      cli_sheet_end(s, false);
    }
}

const cli_plot cli_plot_descent = {
    .word = "descent",
    .help = "iterations of each method of descent, against their number and time",
    .needs = {&cli_file_descent},
    .draw = draw_descent,
};
