// cli/results/convergence.h: convergence.csv, the iterations of the optimizer.
#ifndef CLI_RESULTS_CONVERGENCE_H
#define CLI_RESULTS_CONVERGENCE_H
#include "cli/results/tables.h"
#include "optim/nlp/ipopt.h"

enum { CLI_CONVERGENCE_COLUMNS = 7 };

// iteration,objective,violation,dual,mu,step,regularization: one row per iteration.
void cli_convergence_write(FILE *f, const oc_iterate *record, int rows);
#endif
