// cli/results/tables.h: cells of the CSV files of a result folder, and how they are read back.
//
// The first line names the columns, numbers are the shortest decimals that read
// back to them (lib/base/decimal.h), an empty cell where there is none. What
// columns mean is in columns.txt (cli/results/columns.h). Of files read, lines that begin with #
// are comments.
#ifndef CLI_RESULTS_TABLES_H
#define CLI_RESULTS_TABLES_H
#include "problems/readers/format/file.h"

#include <stdbool.h>
#include <stdio.h>

// The names that head columns.
typedef struct cli_names {
  int n, nu, nc, ny;
  const char *const *coord, *const *input, *const *row; // [n], [nu], [nc] of constraints' rows
  const char *const *output;                            // [ny] of outputs' rows
  int ne;
  const char *const *equation; // [ne] of constraints' rows with those that were left out
  bool path;                   // do outputs follow a path?
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

// Whether the first `length` characters of a cell are what cli_put_name writes of this name.
bool cli_cell_is_name(const char *cell, size_t length, const char *name);

// What cli_put_name writes of a name, for what is looked up in tables by it; to be freed. NULL
// without memory.
char *cli_column_name(const char *name);

// q.NAME or p.NAME of state i in [0, 2n), after `before`.
void cli_put_state(FILE *f, const char *before, const cli_names *names, int i);

// Cells after others: n numbers, empty ones where one is NAN or x is NULL.
void cli_put_numbers(FILE *f, const double *x, int n);

// A number after `before`, whatever it is.
void cli_put_number(FILE *f, const char *before, double x);

// The first two cells of a row: knot k, time t.
void cli_put_knot(FILE *f, int k, double t);

// A column that has words, which are read as their numbers in a list. Other columns have none,
// whatever joints are called: one may be called "1".
typedef struct cli_word_column {
  const char *const *word; // ended by NULL
  int column;
} cli_word_column;

// Read a table whose columns begin with those of header; words: of some columns, ended by one whose
// list is NULL; NULL: of none. Empty cells are read as NAN. `more`: columns may follow after those.
// out->x is to be freed. Returns DM_OK; DM_IO, DM_NO_MEMORY; DM_BAD_INPUT for other columns, no
// rows, or a cell that is no number, with the place in msg.
dm_status cli_table_read(cli_table *out, const pb_file *file, const char *header,
                         const cli_word_column *words, bool more, dm_message *msg);

// The same of a table whose header is what `header` writes of these names.
dm_status cli_table_read_named(cli_table *out, const pb_file *file,
                               void (*header)(FILE *f, const cli_names *names),
                               const cli_names *names, bool more, dm_message *msg);

// Check the knots of a table that begins with the columns k,t, or with `runs` SAMPLE,k,t: in each run
// k counts 0, 1, .. and t does not fall; runs are numbered 0, 1, .. and have as many knots each. The
// table itself says how many: a closed loop has other knots than the plan if the controller has its
// own rate or holds the end. Returns DM_OK, or DM_BAD_INPUT with the row in msg.
dm_status cli_table_check_knots(const cli_table *t, bool runs, const char *path, dm_message *msg);
#endif
