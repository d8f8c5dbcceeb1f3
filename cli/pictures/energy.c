#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

#include <math.h>

// of what the sum of the energies [rows x 2] has gained since its start
static void put_axis_total(FILE *f, const double *e, int rows) {
  double min = 0, max = 0;
  for (int k = 0; k < rows; k++) {
    double gained = e[2 * k] + e[2 * k + 1] - (e[0] + e[1]);
    min = fmin(min, gained);
    max = fmax(max, gained);
  }
  cli_axis_between(f, min, max, 0);
}

static void draw_energy(cli_sheet *s) {
  int at = 2 + 2 * s->job->names.n + s->job->names.nu;

  // columns behind q, v and u
  if (!s->d->energy) return;

  // both parts and their sum
  cli_axis(s->f, s->d->energy, s->job->x->N + 1, 2, 2, NULL, 0);
  cli_sheet_begin(s, "energy", "J");
  cli_sheet_curve(s, "$x", at, "lines", 0, "kinetic");
  cli_sheet_curve(s, "$x", at + 1, "lines", 1, "potential");
  fprintf(s->f, "$x using 1:($%d+$%d) with lines lw 2 lc rgb '#000000'", at, at + 1);
  cli_sheet_title(s, "total");
  cli_sheet_end(s, false);

  // a simulation conserves the sum: its change has an axis of its own
  if (!s->d->simulated) return;
  put_axis_total(s->f, s->d->energy, s->job->x->N + 1);
  cli_sheet_begin(s, "total energy - its start", "J");
  fprintf(s->f, "$x using 1:%d with lines lw 1 lc rgb '#000000' notitle, ", at + 2);
  cli_sheet_end(s, false);
}

const cli_plot cli_plot_energy = {
    .word = "energy",
    .help = "kinetic, potential and total energy; of a simulation also its drift",
    .draw = draw_energy,
};
