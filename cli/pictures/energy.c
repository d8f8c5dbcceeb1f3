#include "cli/pictures/compare.h"
#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

#include <stdlib.h>

// the sum of the energies of folder i less its start; for phases less the start of the first
static cli_curve find_gain(const cli_sheet *s, int i) {
  const double *e = s->all[i]->energy;
  cli_curve c = cli_compare_knots(s, i, e + 2, 3);
  c.less = s->phases ? s->all[0]->energy[2] : e[2];
  return c;
}

// both parts of each folder, and what their sum has gained
static void compare_energies(cli_sheet *s) {
  static const char *const labels[] = {"kinetic energy", "potential energy",
                                       "total energy - its start"};
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  for (int part = 0; curves && part < 3; part++) {
    for (int i = 0; i < s->n; i++)
      curves[i] =
          part == 2 ? find_gain(s, i) : cli_compare_knots(s, i, s->all[i]->energy + part, 3);
    cli_compare(s, labels[part], "J", curves, s->n, true);
  }
  free(curves);
}

static void draw_energy(cli_sheet *s) {
  const int at = 2 + 2 * s->job->names.n + s->job->names.nu;

  // of a flow of second order the robot's energy is no figure of the motion
  for (int i = 0; i < s->n; i++)
    if (!s->all[i]->energy || s->all[i]->flow) return;
  if (s->n > 1) {
    compare_energies(s);
    return;
  }

  // both parts and their sum, in columns behind q, v and u
  cli_axis(s->f, s->d->energy, s->job->x->N + 1, 3, 3, NULL, 0);
  cli_sheet_begin(s, "energy", "J");
  cli_sheet_curve(s, "$x", at, "lines", 0, "kinetic");
  cli_sheet_curve(s, "$x", at + 1, "lines", 1, "potential");
  fprintf(s->f, "$x using 1:%d with lines lw 2 lc rgb '#000000'", at + 2);
  cli_sheet_title(s, "total");
  cli_sheet_end(s, false);

  // a simulation conserves the sum: its change has an axis of its own
  if (!s->d->simulated) return;
  cli_curve gain = find_gain(s, 0);
  gain.rgb = "000000";
  gain.name = NULL;
  cli_compare(s, "total energy - its start", "J", &gain, 1, false);
}

const cli_plot cli_plot_energy = {
    .word = "energy",
    .help = "kinetic, potential and total energy; of a simulation also its drift",
    .most = CLI_MANY,
    .draw = draw_energy,
};
