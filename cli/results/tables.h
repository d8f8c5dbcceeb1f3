// cli/results/tables.h: cells of the CSV files of a result folder, and how they are read back.
//
// The first line names the columns, numbers are the shortest decimals that read
// back to them (lib/base/decimal.h), an empty cell where there is none. What
// columns mean is in columns.txt (cli/results/columns.h). Of files read, lines that begin with #
// are comments.
#ifndef CLI_RESULTS_TABLES_H
#define CLI_RESULTS_TABLES_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stdio.h>

// The names that head columns.
typedef struct cli_names {
  int n, nu, nc, ny;
  const char *const *coord, *const *input, *const *row; // [n], [nu], [nc] of constraints' rows
  const char *const *output;                            // [ny] of outputs' rows
  bool path;                                            // do outputs follow a path?
  int nb;
  const char *const *bound; // [nb] of bounds on outputs' errors
} cli_names;

// A table that was read.
typedef struct cli_table {
  double *x; // [rows x cols]; NULL: there is none
  int rows, cols;
} cli_table;

// A name after `before`, without what would end its cell; n of them, each after `before`.
void cli_put_name(FILE *f, const char *before, const char *name);
void cli_put_names(FILE *f, const char *before, const char *const *name, int n);

// q.NAME or p.NAME of state i in [0, 2n), after `before`.
void cli_put_state(FILE *f, const char *before, const cli_names *names, int i);

// Cells after others: n numbers, empty ones where one is NAN or x is NULL.
void cli_put_numbers(FILE *f, const double *x, int n);

// A number after `before`, whatever it is.
void cli_put_number(FILE *f, const char *before, double x);

// The first two cells of a row: knot k, time t.
void cli_put_knot(FILE *f, int k, double t);

// Read a table whose columns begin with those of header; words (NULL: none, ended by NULL) are read
// as their numbers in the list, empty cells as NAN. `more`: columns may follow after those.
// out->x is to be freed. Returns DM_OK; DM_IO, DM_NO_MEMORY; DM_BAD_INPUT for other columns, no
// rows, or a cell that is no number, with the place in msg.
dm_status cli_table_read(cli_table *out, const char *path, const char *header,
                         const char *const *words, bool more, dm_message *msg);

// The same of a table whose header is what `header` writes of these names.
dm_status cli_table_read_named(cli_table *out, const char *path,
                               void (*header)(FILE *f, const cli_names *names),
                               const cli_names *names, bool more, dm_message *msg);
#endif
