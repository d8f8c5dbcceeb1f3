// cli/results/outputs.h: outputs.csv, the outputs of the problem file along the motion.
#ifndef CLI_RESULTS_OUTPUTS_H
#define CLI_RESULTS_OUTPUTS_H
#include "cli/results/tables.h"

// k,t,y.NAME..; with a path, followed by s. Write the row of knot k at time t [s]; y [names->ny], s the path parameter; an empty cell for
// NAN.
void cli_outputs_row(FILE *f, int k, double t, const double *y, double s, const pb_names *names);
#endif
