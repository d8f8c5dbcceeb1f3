// cli/results/optima.h: optima.csv, the optima that a task was found to have.
#ifndef CLI_RESULTS_OPTIMA_H
#define CLI_RESULTS_OPTIMA_H
#include "cli/results/tables.h"
#include "optim/multistart.h"

// optimum,objective,turn,aliased,runs,first,kind,turns.NAME..: one row an optimum.
void cli_optima_write(FILE *f, const cli_names *names, const oc_multistart *m);
#endif
