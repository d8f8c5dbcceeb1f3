// cli/stages/accuracy.h: measure and report the discretization error of a solution
// (optim/grid_error.h).
#ifndef CLI_STAGES_ACCURACY_H
#define CLI_STAGES_ACCURACY_H
#include "cli/stages/solve.h"

// Measure the error of a solved motion into w->error. If it exceeds horizon.error and the grid is
// fine enough otherwise, set w->coarse. Errors that cannot be measured stay unknown. Returns an
// exit status; errors are reported.
int cli_accuracy_measure(cli_solve *w);

// Write the error to result.json and the summary, if it is known.
void cli_accuracy_report(const cli_solve *w);
#endif
