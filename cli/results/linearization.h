// cli/results/linearization.h: linearization.csv and second.csv, the derivatives of steps.
#ifndef CLI_RESULTS_LINEARIZATION_H
#define CLI_RESULTS_LINEARIZATION_H
#include "cli/results/tables.h"

// k,t,A.STATE.STATE..,B.STATE.INPUT..,lambda.ROW.STATE..,lambda.ROW.INPUT.. Write the row
// of one knot: A [2n x 2n], B [2n x nu], lambda_x [nc x 2n], lambda_u [nc x nu].
void cli_linearization_row(FILE *f, const pb_names *names, int k, double t, const double *A,
                           const double *B, const double *lambda_x, const double *lambda_u);

// k,state,row,column,value: second derivatives of x1 with respect to (x,u), without zeros, each
// pair once. Write the rows of one state, xx [2n x 2n], xu [2n x nu], uu [nu x nu]: returns their
// number.
int cli_second_rows(FILE *f, const pb_names *names, int k, int state, const double *xx,
                    const double *xu, const double *uu);
#endif
