// cli/pictures/plot_data.h: the data of a picture, as blocks of gnuplot's script.
//
// $x: t, q, velocities of steps, u, kinetic and potential energy, what their sum has gained. $K: t,
// the gains, or, where they are more than CLI_NAMED_GAINS, for each input the norm of those on q
// and on p. $fan: t, q, q - plan, samples between empty lines. $r: t, norms of the error without
// feedback and with it, q without and with it. $c: the columns of convergence.csv. $d0, $d1, ..: of
// each method of descent.csv the iteration from 1 on, time in ms, how far its cost is off its last
// one, -slope. $i: of contacts.csv the contact's number, t, the impulse, that of friction.
// $y: t, q and v of the plant between knots. $m: t and the columns of monitors.csv, less their
// first values but for constraints.
#ifndef CLI_PICTURES_PLOT_DATA_H
#define CLI_PICTURES_PLOT_DATA_H
#include "cli/pictures/figure.h"

enum { CLI_NAMED_GAINS = 12, CLI_FAN_ROWS = 6000 }; // CLI_FAN_ROWS of all samples, at most

static inline int cli_gain_count(const cli_names *names) {
  return names->nu * 2 * names->n;
}

void cli_blocks_write(FILE *f, const cli_job *job, const cli_figure_data *d);
#endif
