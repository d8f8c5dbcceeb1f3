#include "cli/results/convergence.h"
#include "cli/pictures/plots.h"

#include <math.h>

static void draw_convergence(cli_sheet *s) {
  static const char *const names[] = {"violation", "dual", "barrier"};
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_convergence);
  if (!table->x) return;

  // a logarithmic scale, on which 0 is left out, over iterations
  fprintf(s->f, "set logscale y\nset format y '10^{%%T}'\n");
  s->logarithmic = true;
  cli_sheet_range(s, 0, 0, fmax(table->rows - 1, 1));
  cli_sheet_abscissa(s, "iteration", "");
  cli_sheet_begin(s, "convergence", "");
  for (int i = 0; i < 3; i++)
    cli_sheet_draw(s, &(cli_curve){.n = table->rows,
                                   .x = table->x,
                                   .x_next = CLI_CONVERGENCE_COLUMNS,
                                   .y = table->x + 2 + i,
                                   .y_next = CLI_CONVERGENCE_COLUMNS,
                                   .colour = i,
                                   .name = names[i]});
  cli_sheet_end(s, false);
}

const cli_plot cli_plot_convergence = {
    .word = "convergence",
    .help = "iterations of the optimizer: violation, dual, barrier",
    .needs = {&cli_file_convergence},
    .draw = draw_convergence,
};
