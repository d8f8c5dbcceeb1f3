// cli/report/study.h: what has no motion but a page: the folder of a sweep, a table, what a benchmark or
// an exam printed.
//
//   DIR with sweep.csv, FILE.csv   tables, as cli/report/tables_of.h has them
//   FILE.json                      json: the value
//   FILE.txt, FILE.log             text: its lines
#ifndef CLI_REPORT_STUDY_H
#define CLI_REPORT_STUDY_H
#include "cli/console/json.h"

// Whether a path is one of these.
bool cli_is_study(const char *path);

// Set obj.study to its path's last part, and one of the above. What cannot be read is said in
// obj.odd. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_study_of(cli_json *obj, const char *path);

// The page that stands for a study: in its folder, or beside its file by another ending; to be freed.
char *cli_study_page(const char *path, const char *name);
#endif
