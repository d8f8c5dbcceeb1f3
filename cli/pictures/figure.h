// cli/pictures/figure.h: a picture of a result, as a script for gnuplot.
#ifndef CLI_PICTURES_FIGURE_H
#define CLI_PICTURES_FIGURE_H
#include "cli/pictures/sheet.h"

// The first of the names in --only (separated by commas) that is no coordinate and no input, in
// name [size]; false where all are.
bool cli_figure_unknown(const cli_names *names, const char *only, char *name, size_t size);

// Write the script that draws job->x and the data to gnuplot's stdout in the terminal for the
// suffix svg, png or pdf; what: the word of a plot (cli/pictures/plots.h), or all. Names in it are
// text and nothing else: no command, no markup. Returns the number of panels: 0 where what was
// asked for is not there.
int cli_figure_write(FILE *script, const cli_job *job, const cli_figure_data *d, const char *what,
                     const char *suffix);
#endif
