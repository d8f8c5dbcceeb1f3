// cli/results/momenta.h: momenta.csv, the knots of a second-order or third-order motion with their
// discrete Legendre transforms.
//
//   P0 = -D0 Ld(X_k,X_k+1) at the knot X_k,      P1 = D1 Ld(X_k,X_k+1) at X_k+1
//
// Along a solution P1 of a step equals P0 of the next. The momentum of a q on which nothing depends
// is conserved.
#ifndef CLI_RESULTS_MOMENTA_H
#define CLI_RESULTS_MOMENTA_H
#include "cli/results/tables.h"
#include "lib/second/second_order.h"

// k,t,q.NAME..,v.NAME..(,a.NAME..),P0.q.NAME..,..,P1.q.NAME..,..,energy of order k.
void cli_momenta_header(FILE *f, const pb_names *names, int k);

// The row of knot k at X0 [w->size], and of the step of h [s] to X1; X1 NULL: no step. Returns
// DM_OK or the Lagrangian's status.
dm_status cli_momenta_row(FILE *f, int k, double h, dm_second_order *w, const double *X0,
                          const double *X1);

// All knots X [(N+1) size].
dm_status cli_momenta_write(FILE *f, const pb_names *names, dm_second_order *w, int N, double h,
                            const double *X);
#endif
