// cli/results/optima.h: optima.csv, the local optima found for a task.
#ifndef CLI_RESULTS_OPTIMA_H
#define CLI_RESULTS_OPTIMA_H
#include "cli/results/tables.h"
#include "optim/multistart.h"

// optimum,objective,turn,aliased,runs,first,kind,turns.NAME..: one row per optimum.
void cli_optima_write(FILE *f, const pb_names *names, const oc_multistart *m);
#endif
