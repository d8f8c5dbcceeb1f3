// cli/results/reach.h: reach.csv, controllability and observability along a motion.
#ifndef CLI_RESULTS_REACH_H
#define CLI_RESULTS_REACH_H
#include "cli/results/tables.h"
#include "control/feedback/controllability.h"

// k,t, then reached and shown: from A, B of the knot alone, and over the window of steps that
// begins at window.knot. Write a row: pair [2] reached and shown, window likewise, NULL
// if no window begins there.
void cli_reach_row(FILE *f, int k, double t, const fb_span *pair, int start, const fb_span *window);
#endif
