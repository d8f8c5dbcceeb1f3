// cli/results/plant.h: plant.csv, the motion of a plant under the plan's inputs.
#ifndef CLI_RESULTS_PLANT_H
#define CLI_RESULTS_PLANT_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"

// t,q.NAME..,v.NAME..,u.NAME..: one row per substep; each step of x has `parts` substeps. y [(N
// parts + 1) x 2n] states, u [N parts x nu] the input that led to each; the first row is the start.
void cli_plant_write(FILE *f, const pb_names *names, const dm_trajectory *x, int parts,
                     const double *y, const double *u);
#endif
