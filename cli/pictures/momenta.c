#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

// columns of momenta.csv: k and t, then a knot, P0 and P1 of order k, the energy
static int count_columns(const cli_sheet *s) {
  return 3 + 3 * s->job->p->transcription.action.rule.k * s->job->names.n;
}

// t of the end of each step, P1, the energy; the last knot has no step
static void put_momenta(const cli_sheet *s, const cli_table *table) {
  FILE *f = s->data;
  const int cols = count_columns(s), size = (cols - 3) / 3, stride = cli_sheet_stride(table->rows);
  fprintf(f, "$l << EOD\n");
  for (int k = 0; k + 1 < table->rows; k += stride) {
    const double *row = table->x + (size_t)k * (size_t)cols;
    fprintf(f, "%.8g", table->x[(size_t)(k + 1) * (size_t)cols + 1]);
    cli_sheet_put(f, row + 2 + 2 * size, size + 1);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// a panel for the momenta of q, of v, of a: what P1 has of each coordinate; then the energy
static void draw_momenta(cli_sheet *s) {
  static const char *const of[] = {"momentum of q", "momentum of v", "momentum of a"};
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_momenta);
  const int n = s->job->names.n, cols = count_columns(s), size = (cols - 3) / 3;
  if (!table->x || table->rows < 2) return;
  put_momenta(s, table);

  // momenta by order, in panels of some coordinates each
  for (int r = 0; r < size / n; r++) {
    int at = 0;
    for (int i = 0; i < n; i++) s->wanted[i] = cli_sheet_shows(s, s->job->names.coord[i]);
    for (cli_group g; cli_sheet_next(s, n, &at, &g);) {
      cli_axis(s->f, table->x + 2 + 2 * size + r * n, table->rows - 1, cols, g.n, g.i, 1e-9);
      cli_sheet_begin(s, of[r], "");
      for (int j = 0; j < g.n; j++)
        cli_sheet_curve(s, "$l", 2 + r * n + g.i[j], "lines", g.colour[j],
                        s->job->names.coord[g.i[j]]);
      cli_sheet_end(s, false);
    }
  }

  // the energy has a panel of its own
  cli_axis(s->f, table->x + cols - 1, table->rows - 1, cols, 1, (int[]){0}, 1e-9);
  cli_sheet_begin(s, "energy of the Lagrangian", "");
  cli_sheet_curve(s, "$l", 2 + size, "lines", 0, "-dLd/dh");
  cli_sheet_end(s, false);
}

const cli_plot cli_plot_momenta = {
    .word = "momenta",
    .help = "of second order: the momenta of q, v (and a) along the solution, and its energy",
    .needs = {&cli_file_momenta},
    .draw = draw_momenta,
};
