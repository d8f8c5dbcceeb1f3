// cli/pictures/plot_axis.h: the vertical axis of a picture's panel. Gnuplot finds the range itself,
// and warns where it is empty: of what rests, of what is kept exactly. There it is given.
#ifndef CLI_PICTURES_PLOT_AXIS_H
#define CLI_PICTURES_PLOT_AXIS_H
#include "cli/pictures/figure.h"

// The range of every cols-th of rows numbers.
void cli_axis_range(const double *x, int rows, int cols, double *least, double *most);

// The axis for n curves, columns i[0], .. (NULL: the first n) of a table [rows x cols]; a range of
// up to `none` is empty, too.
void cli_axis(FILE *f, const double *x, int rows, int cols, int n, const int *i, double none);

// Of what the sum of the energies [rows x 2] has gained since its start.
void cli_axis_total(FILE *f, const double *energy, int rows);

// Of monitors first to last, less what they were but for constraints.
void cli_axis_monitors(FILE *f, const cli_figure_data *d, int first, int last);
#endif
