// cli/results/fan.h: fan.csv, the first closed-loop runs.
#ifndef CLI_RESULTS_FAN_H
#define CLI_RESULTS_FAN_H
#include "cli/results/tables.h"

// sample,k,t,q.NAME..: fan [samples x (N+1) x n], with step h [s].
void cli_fan_write(FILE *f, const pb_names *names, int samples, int N, double h, const double *fan);
#endif
