// cli/stages/samples.h: the samples of a verification, by all ranks, or all of
// this computer's processors, that there are (cli/mpi/work_sharing.h).
#ifndef CLI_STAGES_SAMPLES_H
#define CLI_STAGES_SAMPLES_H
#include "cli/stages/job.h"
#include "control/loop/monte_carlo.h"

#include <stdint.h>

// fb_monte_carlo_run of job->f, shared: the same numbers however many ranks there are.
// What set->positions and set->speeds come to is on rank 0 alone.
//   errors  out: of outputs that have bounds, as set->output_errors; NULL: not kept
//   ends    out: as set->ends, on all ranks, and so are the rows then; NULL: not kept
//   ran   out: [samples] whether a sample was run
//   lost  out: a sentence on ranks that left or did not answer; empty: none
// Returns what fb_monte_carlo_run does; shared, also DM_INTERRUPTED with what had come by then.
dm_status cli_samples_run(cli_job *job, const fb_plant *plant, const fb_monte_carlo_settings *set,
                          fb_sample *rows, double *errors, double *ends, int nfan, double *fan,
                          bool (*progress)(void *, int done), void *user, bool *ran,
                          char lost[256]);

// A digest of all that samples follow from: the problem, its motion, its gains.
uint64_t cli_samples_digest(const cli_job *job);
#endif
