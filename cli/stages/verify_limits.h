// cli/stages/verify_limits.h: report violations of position and speed limits by the samples of a
// verification: `limits` of a plant in result.json, lines of the summary, warnings.
#ifndef CLI_STAGES_VERIFY_LIMITS_H
#define CLI_STAGES_VERIFY_LIMITS_H
#include "cli/stages/call.h"
#include "control/loop/monte_carlo.h"

// Excesses of coordinates at limits, over the samples on one plant.
typedef struct cli_limit_counts {
  fb_excess_count *positions, *speeds; // [n] each
} cli_limit_counts;

// Allocate for n coordinates, without samples. Returns false if out of memory; to be freed in any
// case.
bool cli_limit_counts_make(cli_limit_counts *w, int n);
void cli_limit_counts_free(cli_limit_counts *w);

// Report the samples that ran.
//   o     the plant's object in result.json
//   rows  [verify.samples], ran [verify.samples]
void cli_limit_counts_report(cli_call *call, cli_json *o, const char *plant, const fb_sample *rows,
                             const bool *ran, const cli_limit_counts *w);
#endif
