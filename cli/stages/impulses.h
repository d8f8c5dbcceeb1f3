// cli/stages/impulses.h: impulses.csv, the impulses of all constraint equations along a motion, if
// redundant equations were left out (lib/multibody/impulse_shares.h).
#ifndef CLI_STAGES_IMPULSES_H
#define CLI_STAGES_IMPULSES_H
#include "cli/stages/call.h"
#include "lib/multibody/impulse_shares.h"

typedef struct cli_impulses {
  FILE *f; // NULL: no equation was left out
  dm_impulse_shares *w;
  double *q, *shares; // tree coordinates; impulses of all equations
} cli_impulses;

// Begin impulses.csv, if equations were left out. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after
// reporting why; free w in any case.
int cli_impulses_open(cli_impulses *w, cli_call *call);

// Write the row of knot k at time t [s] and q, for the step from it with impulses lambda [nc];
// NULL: no step. Does nothing without a file. Returns DM_OK, DM_NO_MEMORY, or DM_NOT_FINITE.
dm_status cli_impulses_add(cli_impulses *w, const cli_call *call, int k, double t, const double *q,
                           const double *lambda);
void cli_impulses_free(cli_impulses *w); // a zeroed w is accepted

// Write impulses.csv for the motion. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after reporting
// why.
int cli_impulses_write(cli_call *call);
#endif
