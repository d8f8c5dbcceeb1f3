// cli/report/page.h: result folders as one page for a browser: the robot moving, its curves, and
// what was found, in one file that needs no network.
//
// The page is cli/report/page/page.html with its style, its scripts and three.js put in when dmoc is
// built (cli/report/embed.py), and the data of folders as JSON put in here:
//
//   {version, whole, folders: [{name, title, path, begin, result, problem, names, limits, energy, scene,
//   tables, odd}]}
//
// `whole` is result.json of a folder with phases, whose phases are then the folders, each from its
// `begin` on; null where there are none. `result` is result.json as it is; `scene` as cli/report/moving_robot.h, `tables` as
// cli/report/tables_of.h have it. Data never stand as markup: each '<' is written as an escape.
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H
#include "cli/pictures/exhibit.h"

// Folders of one page.
typedef struct cli_page {
  const cli_exhibits *all;
  const double *begin; // [all->shown] when each motion begins                  [s]
  char *const *odd;    // [all->shown] why a motion could not be read; or NULL
  cli_json *whole;     // of a folder with phases; or NULL
} cli_page;

// Write the page of folders to f. Returns DM_OK, DM_NO_MEMORY, or what a folder's energies failed
// with, with that exhibit's job.msg.
dm_status cli_page_write(FILE *f, const cli_page *page);
#endif
