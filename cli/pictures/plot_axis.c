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
void cli_axis_along(FILE *f, const char *axis, double min, double max, double none) {
  const double size = fmax(fabs(min), fabs(max));
  const double margin = size > none ? 0.1 * size : 1;

  // what varies scales itself; what does not needs an axis around it
  if (!isfinite(size) || max - min > fmax(1e-7 * size, none))
    fprintf(f, "set %srange [*:*]\n", axis);
  else
    fprintf(f, "set %srange [%.8g:%.8g]\n", axis, min - margin, max + margin);
}

void cli_axis_between(FILE *f, double min, double max, double none) {
  cli_axis_along(f, "y", min, max, none);
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

int cli_axis_split(const double *span, int n, int *part) {
  int panels = 0;
  for (int i = 0; i < n; i++) part[i] = -1;

  // the widest that has no panel yet, with those that can be seen beside it
  for (;;) {
    double widest = 0;
    for (int i = 0; i < n; i++)
      if (part[i] < 0) widest = fmax(widest, span[i]);
    if (!(widest > 0)) break;
    for (int i = 0; i < n; i++)
      if (part[i] < 0 && span[i] >= 0.01 * widest) part[i] = panels;
    panels++;
  }

  // what does not move
  if (!panels && n) panels = 1;
  for (int i = 0; i < n; i++)
    if (part[i] < 0) part[i] = panels - 1;
  return panels;
}
