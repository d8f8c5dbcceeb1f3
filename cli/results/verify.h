// cli/results/verify.h: verify.csv, the result of each sample.
#ifndef CLI_RESULTS_VERIFY_H
#define CLI_RESULTS_VERIFY_H
#include "cli/results/tables.h"
#include "control/loop/monte_carlo.h"

// One row per sample and plant. Write the rows of one plant: rows [samples] of samples
// that ran, with errors of outputs [samples x names->nb].
void cli_verify_rows(FILE *f, const pb_names *names, const char *plant, const fb_sample *rows,
                     const double *errors, int samples, const bool *ran);
#endif
