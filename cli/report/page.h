// cli/report/page.h: write result folders as a single HTML page, with the moving robot, its curves
// and results, in one file that needs no network.
//
// The page is cli/report/page/page.html with its style, its scripts and three.js embedded when dmoc
// is built (cli/report/embed.py), and the data of folders as JSON inserted here:
//
//   {version, groups: [{name, result, tables, odd}],
//    folders: [{name, title, file_name, path, group, begin, result, problem, names, limits,
//    windows, clearances,
//    energy, scene, tables, odd}]}
//
// A folder with phases is a group of the folders of its phases, each starting at its `begin`, with
// the result.json and tables of the whole; for other folders the group is empty. `result` is
// result.json unchanged; for `limits`, `windows` and `clearances` see cli/report/limits.h, for
// `scene` cli/report/moving_robot.h, for `tables` cli/report/tables_of.h. A study has the data of
// cli/report/study.h instead of everything from title on. Data cannot be interpreted as markup:
// each '<' is written as an escape.
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H
#include "cli/report/exhibit.h"

// A folder with phases; zeroed: none.
typedef struct cli_whole {
  const pb_folder *folder;
  cli_json *result;
} cli_whole;

// The folders and studies of a page.
typedef struct cli_page {
  const cli_exhibits *all;
  const double *begin; // [all->shown] start time of each motion  [s]
  const int *group;    // [all->shown] index of the command-line operand
  char *const *odd;    // [all->shown] why a motion could not be read; or NULL
  int groups;
  const cli_whole *whole; // [groups]
} cli_page;

// Write the page to f. Returns DM_OK, DM_NO_MEMORY, or the status of evaluating a folder's
// energies, with the message in that exhibit's call.msg.
dm_status cli_page_write(FILE *f, const cli_page *page);

// Set o.names to {coordinates, inputs}, lists of {name, unit}: names as columns of tables have them.
// Returns DM_OK or DM_NO_MEMORY.
dm_status cli_page_names(cli_json *o, const cli_exhibit *x);
#endif
