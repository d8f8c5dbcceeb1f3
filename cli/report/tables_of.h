// cli/report/tables_of.h: the tables of a result folder, as a page draws them.
//
// Each is {name, rows, every, columns: [{name, x} or {name, words}]}: x the base64 of its numbers
// (cli/report/base64.h), words a list where a cell is none. Tables that no chart is made of are left
// out. Of those that are too large every so
// many rows are there, the first and the last among them.
#ifndef CLI_REPORT_TABLES_OF_H
#define CLI_REPORT_TABLES_OF_H
#include "cli/report/exhibit.h"

// Set obj.tables to those of a folder, in the order of cli/results/registry.h, and obj.odd
// to a list of sentences: what could not be read. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_tables_of(cli_json *obj, const pb_folder *folder);

// The same of one table alone, whose name is `name`, in a file.
dm_status cli_table_of(cli_json *obj, const char *name, const pb_file *file);
#endif
