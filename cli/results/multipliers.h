// cli/results/multipliers.h: multipliers.csv, the final primal-dual point of an optimizer.
#ifndef CLI_RESULTS_MULTIPLIERS_H
#define CLI_RESULTS_MULTIPLIERS_H
#include "cli/results/tables.h"
#include "optim/nlp/ipopt.h"

// i,x,lambda,z_l,z_u of row i and variable i, if they exist, and the version of the order of the
// program's variables and rows.
void cli_multipliers_write(FILE *f, const oc_nlp *nlp, const oc_point *point);

// Read them into a point of the same sizes. Returns DM_BAD_INPUT if the sizes differ, or
// if another version of dmoc wrote them in another order.
dm_status cli_multipliers_read(const pb_file *file, const oc_nlp *nlp, oc_point *point,
                               dm_message *msg);
#endif
