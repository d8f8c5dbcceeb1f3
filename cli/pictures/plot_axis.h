// cli/pictures/plot_axis.h: the axes of a picture's panel. Gnuplot finds the range itself,
// and warns where it is empty: of what rests, of what is kept exactly. There it is given.
#ifndef CLI_PICTURES_PLOT_AXIS_H
#define CLI_PICTURES_PLOT_AXIS_H
#include <stdio.h>

// The smallest and largest of a column x[k cols], k < rows; empty (INFINITY, -INFINITY) without
// rows.
void cli_axis_range(const double *x, int rows, int cols, double *min, double *max);

// The axis "x" or "y" for numbers from min to max; a range of up to `none` is empty, too.
void cli_axis_along(FILE *f, const char *axis, double min, double max, double none);

// The same of y.
void cli_axis_between(FILE *f, double min, double max, double none);

// Panels for curves that would be flat lines beside each other: part[i] is the panel of curve i,
// from 0, where span [n] says how far it goes up and down. One that goes less than a hundredth of
// the widest in its panel goes to a later one; what does not move at all, to the last. Returns how
// many panels there are.
int cli_axis_split(const double *span, int n, int *part);

// The axis for n curves, columns i[0], .. (NULL: the first n) of a table [rows x cols].
void cli_axis(FILE *f, const double *x, int rows, int cols, int n, const int *i, double none);
#endif
