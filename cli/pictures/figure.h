// cli/pictures/figure.h: a picture of results, as a script for gnuplot.
#ifndef CLI_PICTURES_FIGURE_H
#define CLI_PICTURES_FIGURE_H
#include "cli/pictures/sheet.h"

// The first of the names in --only (separated by commas) that is no coordinate, no input
// and no row of an output, in name [size]; false where all are.
bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size);

// Write the script that draws the exhibits to gnuplot's stdout, as the request says. Names in it are
// text and nothing else: no command, no markup. What plots find is told by the first exhibit's job.
// Returns the number of panels: 0 where what was asked for is not there; < 0 without memory.
int cli_figure_write(FILE *script, const cli_exhibits *all, const cli_request *request);
#endif
