// cli/results/estimator.h: estimator.csv, the estimator along a motion.
#ifndef CLI_RESULTS_ESTIMATOR_H
#define CLI_RESULTS_ESTIMATOR_H
#include "cli/results/tables.h"
#include "control/feedback/estimator.h"

// k,t,L.STATE.COORD..,std.STATE..: the estimator's gains at each knot, and the standard deviations
// of its errors before the measurement at the knot.
void cli_estimator_write(FILE *f, const pb_names *names, const fb_estimator *w);
#endif
