// cli/results/outputs.h: outputs.csv, the outputs of the problem file along the motion.
#ifndef CLI_RESULTS_OUTPUTS_H
#define CLI_RESULTS_OUTPUTS_H
#include "cli/results/tables.h"

// The line k,t,y.NAME.. without its end.
void cli_outputs_header(FILE *f, const cli_names *names);

// The row of knot k at time t [s]; y [ny], an empty cell for NAN.
void cli_outputs_row(FILE *f, int k, double t, const double *y, int ny);
#endif
