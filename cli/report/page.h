// cli/report/page.h: result folders as one page for a browser: the robot moving, its curves, and
// what was found, in one file that needs no network.
//
// The page is cli/report/page/page.html with its style, its scripts and three.js put in when dmoc is
// built (cli/report/embed.py), and the data of folders as JSON put in here:
//
//   {version, folders: [{name, path, result, problem, names, limits, energy, scene, tables, odd}]}
//
// `result` is result.json as it is; `scene` as cli/report/moving_robot.h, `tables` as
// cli/report/tables_of.h have it. Data never stand as markup: each '<' is written as an escape.
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H
#include "cli/pictures/exhibit.h"

// Write the page of folders to f. Returns DM_OK, DM_NO_MEMORY, or what a folder's energies failed
// with, with that exhibit's job.msg.
dm_status cli_page_write(FILE *f, const cli_exhibits *all);
#endif
