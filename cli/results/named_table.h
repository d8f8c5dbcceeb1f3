// cli/results/named_table.h: any CSV table by column names, for pictures: tables of a result
// folder, sweep.csv, or user tables.
#ifndef CLI_RESULTS_NAMED_TABLE_H
#define CLI_RESULTS_NAMED_TABLE_H
#include "problems/readers/format/file.h"

#include <stdbool.h>

// Zeroed: empty.
typedef struct cli_named_table {
  char *text; // the file, split into cells
  int rows, cols;
  const char **name; // [cols]
  const char **cell; // [rows x cols]
} cli_named_table;

// Read a table: its first line names the columns, the other lines have as many cells. Empty lines
// and lines that begin with # are skipped. Returns DM_OK, DM_IO, DM_NO_MEMORY, or DM_BAD_INPUT for
// a row of different length, a table without rows, or a byte that is not plain text, with the
// position in msg.
dm_status cli_named_table_read(cli_named_table *t, const pb_file *file, dm_message *msg);
// Read only the names of its columns; rows is 0 and cell NULL.
dm_status cli_named_table_head(cli_named_table *t, const pb_file *file, dm_message *msg);

void cli_named_table_free(cli_named_table *t); // leaves it zeroed

// The index of a column by name, or -1.
int cli_named_table_find(const cli_named_table *t, const char *name);

// A cell as a number; NAN if it is empty or not a number.
double cli_named_table_number(const cli_named_table *t, int row, int col);

// Whether a column has a cell that is neither empty nor a number.
bool cli_named_table_has_words(const cli_named_table *t, int col);
#endif
