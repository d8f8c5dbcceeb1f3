// cli/report/tables_of.h: the tables of a result folder for a page.
//
// Each is {name, rows, every, columns: [{name, x} or {name, words}]}: x its numbers in base64
// (cli/report/base64.h), words a list if a cell is not a number. Tables without a chart are left
// out. Large tables contain only every n-th row, including the first and the last.
#ifndef CLI_REPORT_TABLES_OF_H
#define CLI_REPORT_TABLES_OF_H
#include "cli/report/exhibit.h"

// Set obj.tables to the tables of a folder, in the order of cli/results/registry.h, and obj.odd to
// a list of sentences about read errors. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_tables_of(cli_json *obj, const pb_folder *folder);

// The same for a single table with this name, in a file.
dm_status cli_table_of(cli_json *obj, const char *name, const pb_file *file);
#endif
