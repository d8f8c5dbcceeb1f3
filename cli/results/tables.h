// cli/results/tables.h: write and read the CSV files of a result folder.
//
// The first line names the columns. Numbers are the shortest decimals that read back exactly
// (lib/base/decimal.h); a missing number is an empty cell. columns.txt (cli/results/columns.h)
// explains the columns. When reading, lines that begin with # are comments.
#ifndef CLI_RESULTS_TABLES_H
#define CLI_RESULTS_TABLES_H
#include "problems/readers/format/file.h"
#include "problems/readers/task/names.h"

#include <stdbool.h>
#include <stdio.h>

// A table that was read.
typedef struct cli_table {
  double *x; // [rows x cols]; NULL: none
  int rows, cols;
} cli_table;

// Write a name after `before`, without characters that would end its cell; or n names, each after
// `before`.
void cli_put_name(FILE *f, const char *before, const char *name);
void cli_put_names(FILE *f, const char *before, const char *const *name, int n);

// Whether the first `length` characters of a cell equal the output of cli_put_name for this name.
bool cli_cell_is_name(const char *cell, size_t length, const char *name);

// The output of cli_put_name for a name, to look it up in tables; to be freed. NULL if out of
// memory.
char *cli_column_name(const char *name);

// Write q.NAME or p.NAME of state i in [0, 2n), after `before`.
void cli_put_state(FILE *f, const char *before, const pb_names *names, int i);

// Append n cells with numbers; a cell is empty if the number is NAN or x is NULL.
void cli_put_numbers(FILE *f, const double *x, int n);

// Write a number after `before`, even if it is not finite.
void cli_put_number(FILE *f, const char *before, double x);

// Write the first two cells of a row: knot k, time t.
void cli_put_knot(FILE *f, int k, double t);

// A column of words, which are read as indices in a list. In other columns words are not
// recognized, whatever joints are called: one may be called "1".
typedef struct cli_word_column {
  const char *const *word; // terminated by NULL
  int column;
} cli_word_column;

// Read a table whose columns begin with those of header. words: columns of words, terminated by one
// whose list is NULL; NULL: none. Empty cells are read as NAN. `more`: additional columns may
// follow. Free out->x. Returns DM_OK, DM_IO, DM_NO_MEMORY, or DM_BAD_INPUT for other columns, no
// rows, or an invalid cell, with the position in msg.
dm_status cli_table_read(cli_table *out, const pb_file *file, const char *header,
                         const cli_word_column *words, bool more, dm_message *msg);

// Check the knots of a table that begins with the columns k,t, or with `runs` SAMPLE,k,t: in each
// run k counts 0, 1, .. and t does not decrease; runs are numbered 0, 1, .. and have equal numbers
// of knots. The number is determined from the table: a closed loop has other knots than the plan if
// the controller has its own rate or holds the end. Returns DM_OK, or DM_BAD_INPUT with the row in
// msg.
dm_status cli_table_check_knots(const cli_table *t, bool runs, const char *path, dm_message *msg);
#endif
