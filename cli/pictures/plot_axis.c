#include "cli/pictures/plot_axis.h"

#include "cli/results/monitors.h"

#include <math.h>

void cli_axis_range(const double *x, int rows, int cols, double *least, double *most) {
  *least = INFINITY, *most = -INFINITY;
  for (int k = 0; k < rows; k++) {
    *least = fmin(*least, x[(size_t)k * (size_t)cols]);
    *most = fmax(*most, x[(size_t)k * (size_t)cols]);
  }
}

// the text of a number has eight digits
static void put(FILE *f, double least, double most, double none) {
  double size = fmax(fabs(least), fabs(most)), margin = size > none ? 0.1 * size : 1;
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
    least = fmin(least, low), most = fmax(most, high);
  }
  put(f, least, most, none);
}

void cli_axis_total(FILE *f, const double *e, int rows) {
  double least = 0, most = 0;
  for (int k = 0; k < rows; k++) {
    double gained = e[2 * k] + e[2 * k + 1] - (e[0] + e[1]);
    least = fmin(least, gained), most = fmax(most, gained);
  }
  put(f, least, most, 0);
}

void cli_axis_monitors(FILE *f, const cli_figure_data *d, int first, int last) {
  enum { COLUMNS = 2 + DM_MONITORS };
  double least = INFINITY, most = -INFINITY;
  for (int j = first; j <= last; j++) {
    double low, high, start = j == DM_MONITOR_CONSTRAINT ? 0 : d->monitors[2 + j];
    cli_axis_range(d->monitors + 2 + j, d->monitors_rows, COLUMNS, &low, &high);
    least = fmin(least, low - start), most = fmax(most, high - start);
  }
  put(f, least, most, 0);
}
