// cli/results/trajectory.h: trajectory.csv, the motion; second-order.csv has the same columns.
#ifndef CLI_RESULTS_TRAJECTORY_H
#define CLI_RESULTS_TRAJECTORY_H
#include "cli/results/tables.h"
#include "lib/discrete/trajectory.h"

// The motion of the machine if steps add inertia because of stiff damping: states of a plant that
// starts each step at the plan's knot, under its inputs.
typedef struct cli_machine {
  const double *added; // [n] added inertia; only coordinates with added inertia have columns
  const double *y;     // [(N parts + 1) x 2n] (q,v) of the plant at the ends of substeps
  int parts;
} cli_machine;

// k,t,q.NAME..,p.NAME..,v.NAME..,u.NAME..,lambda.NAME..: write the cells of knot k at time t [s], after its index; u, lambda NULL: empty cells.
void cli_trajectory_row(FILE *f, const dm_trajectory *x, int k, double t, const double *u,
                        const double *lambda);

// Write the whole table: one row per knot, the last without u and lambda; machine NULL: without its
// columns.
void cli_trajectory_write(FILE *f, const pb_names *names, const dm_trajectory *x,
                          const cli_machine *machine);

// Read it, ignoring additional columns. Returns DM_OK, DM_IO, or DM_BAD_INPUT for other columns,
// fewer than two rows, or an invalid number.
dm_status cli_trajectory_read(dm_trajectory **out, const pb_file *file, const pb_names *names,
                              dm_message *msg);
#endif
