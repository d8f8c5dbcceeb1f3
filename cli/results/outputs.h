// cli/results/outputs.h: outputs.csv, the outputs of the problem file along the motion.
#ifndef CLI_RESULTS_OUTPUTS_H
#define CLI_RESULTS_OUTPUTS_H
#include "cli/results/tables.h"

// Write the line k,t,y.NAME.. without newline; with a path, followed by s.
void cli_outputs_header(FILE *f, const pb_names *names);

// Write the row of knot k at time t [s]; y [names->ny], s the path parameter; an empty cell for
// NAN.
void cli_outputs_row(FILE *f, int k, double t, const double *y, double s, const pb_names *names);
#endif
