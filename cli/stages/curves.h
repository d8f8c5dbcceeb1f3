// cli/stages/curves.h: an overview of a motion on a terminal: one line per coordinate and input,
// drawn with block characters.
//
//   q.pole        ▁▁▂▂▁▁▁▂▄▆▇█████  -0.42 to 3.14 rad
#ifndef CLI_STAGES_CURVES_H
#define CLI_STAGES_CURVES_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"
#include "problems/readers/task/problem.h"

// Write the curves to f if it is a terminal with block characters, using its width. If there are
// many coordinates or inputs, show those with the largest changes and the number left out.
void cli_curves_show(FILE *f, const dm_trajectory *x, const pb_names *names, const pb_problem *p);
#endif
