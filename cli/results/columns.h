// cli/results/columns.h: columns.txt of a result folder: what the columns of its tables mean. The
// tables themselves have a header and rows, and no comments, so that any program reads them.
#ifndef CLI_RESULTS_COLUMNS_H
#define CLI_RESULTS_COLUMNS_H
#include "cli/console/json.h"
#include "cli/results/folder.h"

// Say of a table what depends on this result: its law, what it is part of. Kept in result.json
// under `columns`, for the stages that follow; said again, it is replaced.
void cli_columns_describe(cli_json *result, const char *table, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Write columns.txt to f: a paragraph for each table that the folder `out` will have; `kept`:
// its other tables stay. What was said of tables that are not there is dropped.
void cli_columns_write(FILE *f, cli_json *result, const cli_folder *out, bool kept);
#endif
