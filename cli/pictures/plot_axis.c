#include "cli/pictures/plot_axis.h"

#include <math.h>

void cli_axis_range(const double *x, int rows, int cols, double *min, double *max) {
  *min = INFINITY;
  *max = -INFINITY;
  for (int k = 0; k < rows; k++) {
    *min = fmin(*min, x[(size_t)k * (size_t)cols]);
    *max = fmax(*max, x[(size_t)k * (size_t)cols]);
  }
}

// the text of a number has eight digits
void cli_axis_between(FILE *f, double min, double max, double none) {
  const double size = fmax(fabs(min), fabs(max));
  const double margin = size > none ? 0.1 * size : 1;

  // what varies scales itself; what does not needs an axis around it
  if (!isfinite(size) || max - min > fmax(1e-7 * size, none))
    fprintf(f, "set yrange [*:*]\n");
  else
    fprintf(f, "set yrange [%.8g:%.8g]\n", min - margin, max + margin);
}

void cli_axis(FILE *f, const double *x, int rows, int cols, int n, const int *i, double none) {
  double min = INFINITY, max = -INFINITY;

  // over all n columns
  for (int j = 0; j < n; j++) {
    double low, high;
    cli_axis_range(x + (i ? i[j] : j), rows, cols, &low, &high);
    min = fmin(min, low);
    max = fmax(max, high);
  }
  cli_axis_between(f, min, max, none);
}
