// cli/report/study.h: pages without a motion: the folder of a sweep, a table, or the output of a
// benchmark or exam.
//
//   DIR with sweep.csv, FILE.csv   tables, see cli/report/tables_of.h
//   FILE.json                      json: the value
//   FILE.txt, FILE.log             text: its lines
#ifndef CLI_REPORT_STUDY_H
#define CLI_REPORT_STUDY_H
#include "cli/console/json.h"

// Whether a path is one of these.
bool cli_is_study(const char *path);

// Set obj.study to the last component of its path, and one of the above. Read errors are stored in
// obj.odd. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_study_of(cli_json *obj, const char *path);

// The path of a study's page: in its folder, or next to its file with another extension; to be
// freed.
char *cli_study_page(const char *path, const char *name);
#endif
