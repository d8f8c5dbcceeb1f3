// cli/report/page.h: result folders as one page for a browser: the robot moving, its curves, and
// what was found, in one file that needs no network.
//
// The page is cli/report/page/page.html with its style, its scripts and three.js put in when dmoc is
// built (cli/report/embed.py), and the data of folders as JSON put in here:
//
//   {version, groups: [{name, result, tables, odd}],
//    folders: [{name, title, file_name, path, group, begin, result, problem, names, limits, windows, clearances,
//    energy, scene, tables, odd}]}
//
// A folder with phases is a group of the folders of its phases, each from its `begin` on, with the
// result.json and tables of the whole; of any other folder the group is empty. `result` is result.json
// as it is; `limits`, `windows` and `clearances` as cli/report/limits.h, `scene` as cli/report/moving_robot.h, `tables` as cli/report/tables_of.h have it. A study
// has what cli/report/study.h says in place of all from title on. Data never stand as markup: each '<'
// is written as an escape.
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H
#include "cli/report/exhibit.h"

// A folder with phases; zeroed: it has none.
typedef struct cli_whole {
  const pb_folder *folder;
  cli_json *result;
} cli_whole;

// Folders and studies of one page.
typedef struct cli_page {
  const cli_exhibits *all;
  const double *begin; // [all->shown] when each motion begins                  [s]
  const int *group;    // [all->shown] which word of the command line each is of
  char *const *odd;    // [all->shown] why a motion could not be read; or NULL
  int groups;
  const cli_whole *whole; // [groups]
} cli_page;

// Write the page of folders to f. Returns DM_OK, DM_NO_MEMORY, or what a folder's energies failed
// with, with that exhibit's job.msg.
dm_status cli_page_write(FILE *f, const cli_page *page);

// Set o.names to {coordinates, inputs}, lists of {name, unit}: names as columns of tables have them.
// Returns DM_OK or DM_NO_MEMORY.
dm_status cli_page_names(cli_json *o, const cli_exhibit *x);
#endif
