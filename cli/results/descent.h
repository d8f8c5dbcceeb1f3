// cli/results/descent.h: descent.csv, the iterations of descents.
#ifndef CLI_RESULTS_DESCENT_H
#define CLI_RESULTS_DESCENT_H
#include "cli/results/tables.h"
#include "optim/descent/descent.h"

enum { CLI_DESCENT_COLUMNS = 13 };

// method,iteration,direction,cost,merit,slope,step,goal,cut,least,damping,tried,time, one row per
// iteration. Write the rows of one method.
void cli_descent_rows(FILE *f, oc_method method, const oc_descent_row *record, int rows);
#endif
