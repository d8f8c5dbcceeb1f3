#include "cli/stages/curves.h"

#include "cli/console/terminal.h"
#include "lib/base/text.h"
#include "problems/readers/task/units.h"

#include <math.h>

enum { ROWS = 6, LABEL = 13, RANGE = 34, WIDEST = 60, LINE = 512 };

// some columns of a table, with names
typedef struct table {
  const double *x; // [rows x columns]
  int rows, columns;
  const char *mark; // prefix of the names
  const char *const *name;
  char what; // of pb_problem_unit
} table;

static void find_range(const table *t, int column, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < t->rows; i++) {
    const double value = t->x[(size_t)i * (size_t)t->columns + (size_t)column];
    *low = fmin(*low, value);
    *high = fmax(*high, value);
  }
}

static void show_column(FILE *f, const table *t, const pb_problem *p, int column, int width) {
  char label[96], blocks[CLI_BLOCK * WIDEST + 1];
  double low, high;
  find_range(t, column, &low, &high);
  cli_terminal_curve(t->x + column, t->rows, t->columns, low, high, width, blocks);

  // a label with the width of those in the summary
  snprintf(label, sizeof label, "%s%.64s", t->mark, t->name[column]);
  cli_terminal_cut(dm_text_make_plain(label, NULL, '?'), LABEL);
  fprintf(f, "  %-*s %s  %.3g to %.3g %s\n", LABEL, label, blocks, low, high,
          pb_problem_unit(p, t->what, column));
}

static void show_table(FILE *f, const table *t, const pb_problem *p, int width) {
  for (int i = 0; i < t->columns; i++) {
    // number of columns with larger range, or equal range and smaller index
    double low, high, other_low, other_high;
    int rank = 0;
    find_range(t, i, &low, &high);
    for (int j = 0; j < t->columns; j++) {
      find_range(t, j, &other_low, &other_high);
      const double more = (other_high - other_low) - (high - low);
      rank += more > 0 || (more == 0 && j < i);
    }
    if (rank < ROWS) show_column(f, t, p, i, width);
  }
  if (t->columns > ROWS)
    fprintf(f, "  %-*s and %d more that change less\n", LABEL, "", t->columns - ROWS);
}

void cli_curves_show(FILE *f, const dm_trajectory *x, const pb_names *names, const pb_problem *p) {
  // columns remaining beside the label and the range
  int width = cli_terminal_width(f) - LABEL - RANGE;
  if (width < 8 || !cli_terminal_has_blocks(f)) return;
  if (width > WIDEST) width = WIDEST;
  const table places = {x->q, x->N + 1, x->n, "q.", names->coord, 'q'};
  const table inputs = {x->u, x->N, x->nu, "u.", names->input, 'u'};
  show_table(f, &places, p, width);
  show_table(f, &inputs, p, width);
}
