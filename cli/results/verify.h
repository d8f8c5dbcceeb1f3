// cli/results/verify.h: verify.csv, what became of each sample.
#ifndef CLI_RESULTS_VERIFY_H
#define CLI_RESULTS_VERIFY_H
#include "cli/results/tables.h"
#include "control/loop/monte_carlo.h"

// One row a sample and plant. The header, then the rows of one plant: of samples that ran
// [samples].
void cli_verify_header(FILE *f);
void cli_verify_rows(FILE *f, const cli_names *names, const char *plant, const fb_sample *rows,
                     int samples, const bool *ran);
#endif
