// cli/results/tables.h: the CSV files of a result folder. The first line names the columns, numbers
// are
// %.17g, an empty cell where there is none. What columns mean is in columns.txt
// (cli/results/columns.h). Of files read, lines that begin with # are comments.
#ifndef CLI_RESULTS_TABLES_H
#define CLI_RESULTS_TABLES_H
#include "control/feedback/tvlqr.h"
#include "control/loop/monte_carlo.h"
#include "lib/discrete/trajectory.h"
#include "optim/descent/descent.h"
#include "optim/nlp/ipopt.h"

#include <stdio.h>

// The names that head columns.
typedef struct cli_names {
  int n, nu, nc;
  const char *const *coord, *const *input, *const *row; // [n], [nu], [nc] of constraints' rows
} cli_names;

// trajectory.csv: k,t,q.NAME..,p.NAME..,v.NAME..,u.NAME..,lambda.NAME.. one row a knot, the last
// without u and lambda (NULL: empty cells).
void cli_trajectory_header(FILE *f, const cli_names *names);
void cli_trajectory_row(FILE *f, const dm_trajectory *x, int k, double t, const double *u,
                        const double *lambda);
void cli_trajectory_write(FILE *f, const cli_names *names, const dm_trajectory *x);

// Read it back, leaving aside columns after those. Returns DM_OK; DM_IO; DM_BAD_INPUT for other
// columns, less than two rows, or a number that is none.
dm_status cli_trajectory_read(dm_trajectory **out, const char *path, const cli_names *names,
                              dm_message *msg);

// linearization.csv: k,t,A.STATE.STATE..,B.STATE.INPUT..,lambda.ROW.STATE..,lambda.ROW.INPUT.. The
// header, then one knot: A [2n x 2n], B [2n x nu], lambda_x [nc x 2n], lambda_u [nc x nu].
void cli_linearization_header(FILE *f, const cli_names *names);
void cli_linearization_row(FILE *f, const cli_names *names, int k, double t, const double *A,
                           const double *B, const double *lambda_x, const double *lambda_u);

// second.csv: k,state,row,column,value: second derivatives of x1 by (x,u), zeros left out, each
// pair once. The header; then those of one state, xx [2n x 2n], xu [2n x nu], uu [nu x nu]: returns
// how many.
void cli_second_header(FILE *f);
int cli_second_rows(FILE *f, const cli_names *names, int k, int state, const double *xx,
                    const double *xu, const double *uu);

// multipliers.csv: i,x,lambda,z_l,z_u: those of row i and of variable i, whichever there are.
void cli_multipliers_write(FILE *f, const oc_nlp *nlp, const oc_point *point);

// Read them back into a point of the same sizes. DM_BAD_INPUT where the sizes differ.
dm_status cli_multipliers_read(const char *path, const oc_nlp *nlp, oc_point *point,
                               dm_message *msg);

// A name after `before`, without what would end its cell.
void cli_put_name(FILE *f, const char *before, const char *name);

// q.NAME or p.NAME of state i in [0, 2n), after `before`.
void cli_put_state(FILE *f, const char *before, const cli_names *names, int i);

// Cells after others: n numbers, empty ones where one is NAN or x is NULL.
void cli_put_numbers(FILE *f, const double *x, int n);

// A table whose columns begin with those of header; words (NULL: none, ended by NULL) are read as
// their numbers in the list, empty cells as NAN; more columns only where cols is not NULL.
// *table [rows x cols] is to be freed.
dm_status cli_table_read(double **table, int *rows, int *cols, const char *path, const char *header,
                         const char *const *words, dm_message *msg);

// convergence.csv: one row an iteration.
void cli_convergence_write(FILE *f, const oc_iterate *record, int rows);
dm_status cli_convergence_read(double **table, int *rows, const char *path, dm_message *msg);
enum { CLI_CONVERGENCE_COLUMNS = 7 };

// descent.csv: method,iteration,direction,cost,merit,slope,step,goal,cut,least,damping,tried,time,
// one row an iteration. The header, then the rows of one method.
void cli_descent_header(FILE *f);
void cli_descent_rows(FILE *f, oc_method method, const oc_descent_row *record, int rows);

// Read it back, methods and directions as their numbers in oc_method_names.
dm_status cli_descent_read(double **table, int *rows, const char *path, dm_message *msg);
enum { CLI_DESCENT_COLUMNS = 13 };

// verify.csv: one row a sample and plant. The header, then the rows of one plant:
// of samples that ran [samples].
void cli_verify_header(FILE *f);
void cli_verify_rows(FILE *f, const cli_names *names, const char *plant, const fb_sample *rows,
                     int samples, const bool *ran);

// response.csv: k,t,error.open,error.closed,open.q.NAME..,closed.q.NAME..,closed.u.NAME.. of one
// start off the plan: states [(N+1) x nx] without and with feedback, inputs with it, norms of
// errors [N+1]; NAN: an empty cell.
void cli_response_write(FILE *f, const cli_names *names, const fb_tvlqr *s, const double *open,
                        const double *closed, const double *u, const double *error_open,
                        const double *error_closed);
dm_status cli_response_read(double **table, int *rows, const char *path, const cli_names *names,
                            dm_message *msg);

// fan.csv: sample,k,t,q.NAME.. of the first closed-loop runs.
void cli_fan_write(FILE *f, const cli_names *names, int samples, int N, double h,
                   const double *fan);
dm_status cli_fan_read(double **table, int *rows, const char *path, const cli_names *names,
                       dm_message *msg);
#endif
