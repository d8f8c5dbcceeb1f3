// cli/stages/accuracy.h: how far a solution differs from that of continuous time (optim/grid_error.h), and
// what is said of that.
#ifndef CLI_STAGES_ACCURACY_H
#define CLI_STAGES_ACCURACY_H
#include "cli/stages/solve.h"

// Measure the error of a motion that was solved, into w->error, and where the problem asks for less
// (horizon.error) w->coarse, if the grid is fine enough otherwise. What cannot be measured is left
// unknown. Returns an exit status, which has been said why.
int cli_accuracy_measure(cli_solve *w);

// result.json and the summary; nothing where it is not known.
void cli_accuracy_report(const cli_solve *w);
#endif
