#include "cli/results/robustness.h"
#include "cli/pictures/plots.h"
#include "control/loop/model_mismatch.h"

#include <math.h>
#include <stdlib.h>

// axis, part, level, rate and its interval in percent
static void put_levels(const cli_sheet *s) {
  FILE *f = s->data;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_robustness);
  if (!table->x) return;
  fprintf(f, "$s << EOD\n");
  for (int i = 0; i < table->rows; i++) {
    // rate and interval are shares in the file
    const double *r = table->x + i * CLI_ROBUSTNESS_COLUMNS;
    double x[] = {r[0], r[1], r[2], 100 * r[3] / r[4], 100 * r[5], 100 * r[6]};
    cli_sheet_put(f, x, 6);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static int compare_sizes(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// sizes in ascending order, and the share of directions that reach them; those that hold at the
// largest tried are not known to end there
static void put_region(cli_sheet *s) {
  FILE *f = s->data;
  const cli_table *region = cli_exhibit_table(s->d, &cli_file_region);
  if (!region->x) return;
  int n = region->rows;

  double *size = cli_sheet_take(s, (size_t)n, sizeof *size);
  double tried = 0;

  // the largest size that held, of each direction; the largest that was tried and failed
  for (int i = 0; size && i < n; i++) {
    const double *r = region->x + i * CLI_REGION_COLUMNS;
    size[i] = r[1];
    tried = fmax(tried, r[2]);
  }
  if (size) qsort(size, (size_t)n, sizeof *size, compare_sizes);

  // a staircase down, a step a direction
  fprintf(f, "$g << EOD\n0 100\n");
  for (int i = 0; size && i < n && (i == 0 || size[i - 1] < tried); i++)
    fprintf(f, "%.8g %.8g\n%.8g %.8g\n", size[i], 100. * (n - i) / n, size[i],
            100. * (size[i] < tried ? n - i - 1 : n - i) / n);
  fprintf(f, "EOD\n");
  free(size);
}

// each axis alone, a curve for each part with its interval; the region of starts
static void draw_robustness(cli_sheet *s) {
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_robustness);
  const cli_table *region = cli_exhibit_table(s->d, &cli_file_region);
  const double *r = table->x;
  put_levels(s);
  put_region(s);
  fprintf(s->f, "set xrange [*:*]\nset yrange [0:105]\n");
  cli_sheet_abscissa(s, "level", "");

  // rows come by axis, then by part: a panel an axis, a curve a part
  for (int i = 0, c = 0; i < table->rows; i++, r += CLI_ROBUSTNESS_COLUMNS) {
    bool begun = i > 0 && r[-CLI_ROBUSTNESS_COLUMNS] == r[0];
    if (begun && r[1 - CLI_ROBUSTNESS_COLUMNS] == r[1]) continue;
    if (i > 0 && !begun) cli_sheet_end(s, false);
    if (!begun) {
      cli_sheet_begin(s, fb_axis_names[(int)r[0]], "% held");
      c = 0;
    }

    // rate and interval, of rows of this axis and part
    fprintf(s->f,
            "$s using ($1==%g&&$2==%g?$3:NaN):4:5:6 with yerrorlines pt 7 ps 0.3 lc rgb '#%s'",
            r[0], r[1], cli_sheet_colour(c++));
    cli_sheet_title(s, cli_robustness_name(s->job->p, (int)r[1]));
  }
  if (table->rows > 0) cli_sheet_end(s, false);

  // the region
  if (region->rows > 0) {
    cli_sheet_abscissa(s, "start error", "spreads");
    cli_sheet_begin(s, "directions", "% held");
    fprintf(s->f, "$g using 1:2 with lines lw 2 lc rgb '#%s' notitle, ", cli_sheet_colour(0));
    cli_sheet_end(s, false);
  }
}

const cli_plot cli_plot_robustness = {
    .word = "robustness",
    .help = "success rates along each axis alone, and the region of attraction",
    .needs = {&cli_file_robustness, &cli_file_region},
    .draw = draw_robustness,
};
