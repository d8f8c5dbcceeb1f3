// cli/results/named_table.h: any CSV table by the names of its columns, as pictures take it: those
// of a result folder, sweep.csv, a study's of your own.
#ifndef CLI_RESULTS_NAMED_TABLE_H
#define CLI_RESULTS_NAMED_TABLE_H
#include "problems/readers/format/file.h"

#include <stdbool.h>

// Zeroed: there is none.
typedef struct cli_named_table {
  char *text; // the file, cut into its cells
  int rows, cols;
  const char **name; // [cols] of columns
  const char **cell; // [rows x cols]
} cli_named_table;

// Read a table: its first line names columns, the others have as many cells. Lines that begin with
// # and empty ones are left out. Returns DM_OK; DM_IO, DM_NO_MEMORY; DM_BAD_INPUT for a row of
// another length, a table without rows, or a byte that is not plain text, with the place in msg.
dm_status cli_named_table_read(cli_named_table *t, const pb_file *file, dm_message *msg);
// The names of its columns alone; rows stays 0, and cell NULL.
dm_status cli_named_table_head(cli_named_table *t, const pb_file *file, dm_message *msg);

void cli_named_table_free(cli_named_table *t); // leaves it zeroed

// The column of that name, or -1.
int cli_named_table_find(const cli_named_table *t, const char *name);

// A cell as a number: NAN where it is empty or none.
double cli_named_table_number(const cli_named_table *t, int row, int col);

// Whether a cell of a column is neither empty nor a number.
bool cli_named_table_has_words(const cli_named_table *t, int col);
#endif
