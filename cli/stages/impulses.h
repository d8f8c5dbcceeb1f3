// cli/stages/impulses.h: impulses.csv, the impulses of all equations of constraints along a motion, if some
// equations repeat others and were left out (lib/multibody/impulse_shares.h).
#ifndef CLI_STAGES_IMPULSES_H
#define CLI_STAGES_IMPULSES_H
#include "cli/stages/job.h"
#include "lib/multibody/impulse_shares.h"

typedef struct cli_impulses {
  FILE *f; // impulses.csv; NULL: no equation was left out
  dm_impulse_shares *w;
  double *q, *shares; // of the tree; of all equations
} cli_impulses;

// Begin impulses.csv, if equations were left out. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT with a
// message printed; w is to be freed after any.
int cli_impulses_open(cli_impulses *w, cli_job *job);

// The row of knot k at time t [s], at q, and of the step from it with the impulses lambda [nc]; NULL: no step
// is taken. Does nothing without a file. Returns DM_OK, DM_NO_MEMORY, or DM_NOT_FINITE.
dm_status cli_impulses_add(cli_impulses *w, const cli_job *job, int k, double t, const double *q,
                           const double *lambda);
void cli_impulses_free(cli_impulses *w); // zeroed is accepted

// All of this for job->x. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT with a message printed.
int cli_impulses_write(cli_job *job);
#endif
