// cli/stages/curves.h: a motion at a glance on a terminal: a line for each of its coordinates and
// inputs, drawn in blocks.
//
//   q.pole        ▁▁▂▂▁▁▁▂▄▆▇█████  -0.42 to 3.14 rad
#ifndef CLI_STAGES_CURVES_H
#define CLI_STAGES_CURVES_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"
#include "problems/readers/task/problem.h"

// Write them to f, as wide as it is, where it is a terminal that has blocks: of many coordinates or
// inputs those that change most, and how many are left out.
void cli_curves_show(FILE *f, const dm_trajectory *x, const cli_names *names, const pb_problem *p);
#endif
