#include "cli/results/convergence.h"
#include "cli/pictures/plots.h"

static void put_convergence(const cli_sheet *s) {
  FILE *f = s->data;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_convergence);
  fprintf(f, "$c << EOD\n");

  // a row an iteration, as convergence.csv has it
  for (int i = 0; i < table->rows; i++) {
    cli_sheet_put(f, table->x + i * CLI_CONVERGENCE_COLUMNS, CLI_CONVERGENCE_COLUMNS);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static void draw_convergence(cli_sheet *s) {
  if (!cli_exhibit_table(s->d, &cli_file_convergence)->x) return;
  put_convergence(s);

  // a logarithmic scale, on which 0 is left out
  fprintf(s->f, "set logscale y\nset format y '10^{%%T}'\nset xrange [0:*]\n");
  cli_sheet_abscissa(s, "iteration", "");
  cli_sheet_begin(s, "convergence", "");
  static const char *const names[] = {"violation", "dual", "barrier"};
  for (int i = 0; i < 3; i++) {
    fprintf(s->f, "$c using 1:($%d > 0 ? $%d : NaN) with linespoints pt 7 ps 0.4 lw 2 lc rgb '#%s'",
            3 + i, 3 + i, cli_sheet_colour(i));
    cli_sheet_title(s, names[i]);
  }
  cli_sheet_end(s, false);
}

const cli_plot cli_plot_convergence = {
    .word = "convergence",
    .help = "iterations of the optimizer: violation, dual, barrier",
    .needs = {&cli_file_convergence},
    .draw = draw_convergence,
};
