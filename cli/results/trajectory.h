// cli/results/trajectory.h: trajectory.csv, the motion; second-order.csv has its columns, too.
#ifndef CLI_RESULTS_TRAJECTORY_H
#define CLI_RESULTS_TRAJECTORY_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"

// What the machine does where steps take an inertia more for stiff damping: the states of a plant that
// begins each step at the plan's knot, under its inputs.
typedef struct cli_machine {
  const double *added; // [n] that inertia; columns are those of coordinates that have some
  const double *y;     // [(N parts + 1) x 2n] (q,v) of the plant at the ends of the steps' parts
  int parts;
} cli_machine;

// The line k,t,q.NAME..,p.NAME..,v.NAME..,u.NAME..,lambda.NAME.. without its end.
void cli_trajectory_header(FILE *f, const cli_names *names);

// The cells of knot k at time t [s] after its number; u, lambda NULL: empty cells.
void cli_trajectory_row(FILE *f, const dm_trajectory *x, int k, double t, const double *u,
                        const double *lambda);

// The whole table: a row a knot, the last without u and lambda; machine NULL: without its columns.
void cli_trajectory_write(FILE *f, const cli_names *names, const dm_trajectory *x,
                          const cli_machine *machine);

// Read it back, leaving aside columns after those. Returns DM_OK; DM_IO; DM_BAD_INPUT for other
// columns, less than two rows, or a number that is none.
dm_status cli_trajectory_read(dm_trajectory **out, const pb_file *file, const cli_names *names,
                              dm_message *msg);
#endif
