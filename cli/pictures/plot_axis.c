#include "cli/pictures/plot_axis.h"

#include <math.h>

void cli_axis_range(const double *x, int rows, int cols, double *least, double *most) {
  *least = INFINITY;
  *most = -INFINITY;
  for (int k = 0; k < rows; k++) {
    *least = fmin(*least, x[(size_t)k * (size_t)cols]);
    *most = fmax(*most, x[(size_t)k * (size_t)cols]);
  }
}

// the text of a number has eight digits
void cli_axis_between(FILE *f, double least, double most, double none) {
  const double size = fmax(fabs(least), fabs(most));
  const double margin = size > none ? 0.1 * size : 1;

  // what varies scales itself; what does not needs an axis around it
  if (!isfinite(size) || most - least > fmax(1e-7 * size, none))
    fprintf(f, "set yrange [*:*]\n");
  else
    fprintf(f, "set yrange [%.8g:%.8g]\n", least - margin, most + margin);
}

void cli_axis(FILE *f, const double *x, int rows, int cols, int n, const int *i, double none) {
  double least = INFINITY, most = -INFINITY;
  for (int j = 0; j < n; j++) {
    double low, high;
    cli_axis_range(x + (i ? i[j] : j), rows, cols, &low, &high);
    least = fmin(least, low);
    most = fmax(most, high);
  }
  cli_axis_between(f, least, most, none);
}
