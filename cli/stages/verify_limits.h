// cli/stages/verify_limits.h: what the samples of a verification came to at the limits of positions
// and speeds: `limits` of a plant in result.json, lines of the summary, warnings.
#ifndef CLI_STAGES_VERIFY_LIMITS_H
#define CLI_STAGES_VERIFY_LIMITS_H
#include "cli/stages/job.h"
#include "control/loop/monte_carlo.h"

// What coordinates came to at limits, over the samples on one plant.
typedef struct cli_limit_counts {
  fb_excess_count *positions, *speeds; // [n] each
} cli_limit_counts;

// Allocate it for n coordinates, with no sample yet. Returns false where memory is out; to be freed
// after either.
bool cli_limit_counts_make(cli_limit_counts *w, int n);
void cli_limit_counts_free(cli_limit_counts *w);

// Report the samples that ran.
//   o     what result.json has of the plant
//   rows  [verify.samples], ran [verify.samples]
void cli_limit_counts_report(cli_job *job, cli_json *o, const char *plant, const fb_sample *rows,
                             const bool *ran, const cli_limit_counts *w);
#endif
