// cli/stages/samples.h: run the samples of a verification on all ranks, or on all processors of
// this computer (cli/mpi/work_sharing.h).
#ifndef CLI_STAGES_SAMPLES_H
#define CLI_STAGES_SAMPLES_H
#include "cli/stages/call.h"
#include "control/loop/monte_carlo.h"

#include <stdint.h>

// Run fb_monte_carlo_run of call->run.control.gains in parallel, with results independent of the
// number of ranks. set->positions and set->speeds are complete only on rank 0.
//   errors  out: errors of outputs with bounds, see set->output_errors; NULL: not recorded
//   ends    out: see set->ends, on all ranks, together with the rows; NULL: not recorded
//   ran     out: [samples] whether a sample was run
//   lost    out: a sentence on ranks that left or did not answer; empty: none
// Returns the status of fb_monte_carlo_run; in parallel also DM_INTERRUPTED with partial results.
dm_status cli_samples_run(cli_call *call, const fb_plant *plant, const fb_monte_carlo_settings *set,
                          fb_sample *rows, double *errors, double *ends, int nfan, double *fan,
                          bool (*progress)(void *, int done), void *user, bool *ran,
                          char lost[256]);

// A digest of all data on which samples depend: the problem, its motion, its gains.
uint64_t cli_samples_digest(const cli_call *call);
#endif
