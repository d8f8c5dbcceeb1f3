// cli/results/outputs.h: outputs.csv, the outputs of the problem file along the motion.
#ifndef CLI_RESULTS_OUTPUTS_H
#define CLI_RESULTS_OUTPUTS_H
#include "cli/results/tables.h"

// The line k,t,y.NAME.. without its end; where there is a path, s behind them.
void cli_outputs_header(FILE *f, const cli_names *names);

// The row of knot k at time t [s]; y [names->ny], s the place on a path; an empty cell for NAN.
void cli_outputs_row(FILE *f, int k, double t, const double *y, double s, const cli_names *names);
#endif
