// cli/results/plant.h: plant.csv, what a plant makes of a plan.
#ifndef CLI_RESULTS_PLANT_H
#define CLI_RESULTS_PLANT_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"

// t,q.NAME..,v.NAME..,u.NAME..: one row a piece of a step of x, `parts` of which are a step, with
// states y [(N parts + 1) x 2n] and the input u [N parts x nu] that led there; the first row is the
// start.
void cli_plant_write(FILE *f, const cli_names *names, const dm_trajectory *x, int parts,
                     const double *y, const double *u);
#endif
