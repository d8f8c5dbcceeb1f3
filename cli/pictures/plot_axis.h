// cli/pictures/plot_axis.h: the vertical axis of a picture's panel. Gnuplot finds the range itself,
// and warns where it is empty: of what rests, of what is kept exactly. There it is given.
#ifndef CLI_PICTURES_PLOT_AXIS_H
#define CLI_PICTURES_PLOT_AXIS_H
#include <stdio.h>

// The smallest and largest of a column x[k cols], k < rows; empty (INFINITY, -INFINITY) without
// rows.
void cli_axis_range(const double *x, int rows, int cols, double *min, double *max);

// The axis for numbers from min to max; a range of up to `none` is empty, too.
void cli_axis_between(FILE *f, double min, double max, double none);

// The axis for n curves, columns i[0], .. (NULL: the first n) of a table [rows x cols].
void cli_axis(FILE *f, const double *x, int rows, int cols, int n, const int *i, double none);
#endif
