// cli/results/multipliers.h: multipliers.csv, the point of a program that an optimizer ended at.
#ifndef CLI_RESULTS_MULTIPLIERS_H
#define CLI_RESULTS_MULTIPLIERS_H
#include "cli/results/tables.h"
#include "optim/nlp/ipopt.h"

// i,x,lambda,z_l,z_u: those of row i and of variable i, whichever there are.
void cli_multipliers_write(FILE *f, const oc_nlp *nlp, const oc_point *point);

// Read them back into a point of the same sizes. DM_BAD_INPUT where the sizes differ.
dm_status cli_multipliers_read(const pb_file *file, const oc_nlp *nlp, oc_point *point,
                               dm_message *msg);
#endif
