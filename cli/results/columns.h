// cli/results/columns.h: columns.txt of a result folder: what the columns of its tables mean. The
// tables themselves have a header and rows, and no comments, so that any program reads them.
#ifndef CLI_RESULTS_COLUMNS_H
#define CLI_RESULTS_COLUMNS_H
#include "cli/stages/job.h"

// Say of a table what depends on this result: its law, what it is part of. Kept in result.json
// under `columns`, for the stages that follow; said again, it is replaced.
void cli_columns_say(cli_job *job, const char *table, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Write columns.txt: a paragraph for each table that the folder has or will have. Returns an exit
// status; on CLI_INPUT it has said why.
int cli_columns_write(cli_job *job);
#endif
