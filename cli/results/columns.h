// cli/results/columns.h: columns.txt of a result folder, which explains the columns of its tables.
// The tables contain only a header and rows, without comments, so that any program can read them.
#ifndef CLI_RESULTS_COLUMNS_H
#define CLI_RESULTS_COLUMNS_H
#include "cli/console/json.h"
#include "cli/results/folder.h"

// Describe aspects of a table that are specific to this result, for example its controller. Stored
// in result.json under `columns` for later stages; a new description replaces the old one.
void cli_columns_describe(cli_json *result, const char *table, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Write columns.txt to f, with a paragraph per table that the folder `out` will contain; `kept`:
// its other tables stay. Descriptions of missing tables are dropped.
void cli_columns_write(FILE *f, cli_json *result, const cli_folder *out, bool kept);
#endif
