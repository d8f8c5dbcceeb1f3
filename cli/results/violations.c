#include "cli/results/violations.h"

#include "cli/results/registry.h"
#include "optim/nlp/best_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160 };

// the table under construction
typedef struct violations {
  const oc_nlp *nlp;
  double *g;        // [m]
  int *column, *at; // [m] column and knot (or -1) of each row
  char (*name)[NAME];
  int columns, room; // number of names, and capacity
  int knots;
  double *table; // [(knots + 1) x columns]; the last row is for rows without a knot
} violations;

// the column of a name: names repeat from knot to knot in the same order, so it is usually the next
// one
static int find_column(const violations *w, const char *name, int before) {
  for (int i = 1; i <= w->columns; i++) {
    const int c = (before + i) % w->columns;
    if (!strcmp(w->name[c], name)) return c;
  }
  return -1;
}

static dm_status add_column(violations *w, const char *name) {
  if (w->columns == w->room) {
    const int room = 2 * w->room + 32;
    char(*more)[NAME] = realloc(w->name, (size_t)room * sizeof *more);
    if (!more) return DM_NO_MEMORY;
    w->name = more;
    w->room = room;
  }
  snprintf(w->name[w->columns++], NAME, "%s", name);
  return DM_OK;
}

// assign a column and a knot to each row of the program
static dm_status place_rows(violations *w) {
  int c = -1;
  for (int i = 0; i < w->nlp->m; i++) {
    char name[NAME] = "";
    w->at[i] = -1;
    w->nlp->row_name(w->nlp->self, i, name, sizeof name, &w->at[i]);
    const int found = w->columns ? find_column(w, name, c < 0 ? 0 : c) : -1;
    if (found < 0) DM_TRY(add_column(w, name));
    c = found < 0 ? w->columns - 1 : found;
    w->column[i] = c;
    if (w->at[i] >= w->knots) w->knots = w->at[i] + 1;
  }
  return DM_OK;
}

// round to three digits, so that rounding errors take little space
static double round_digits(double x) {
  char text[32];
  snprintf(text, sizeof text, "%.2e", x);
  return strtod(text, NULL);
}

dm_status cli_violations_write(FILE *f, const oc_nlp *nlp, const double *x) {
  violations w = {.nlp = nlp};
  const size_t m = (size_t)nlp->m + 1;
  w.g = malloc(m * sizeof *w.g);
  w.column = malloc(2 * m * sizeof *w.column);
  w.at = w.column ? w.column + m : NULL;
  dm_status s = w.g && w.column ? nlp->g(nlp->self, x, w.g) : DM_NO_MEMORY;

  // names and knots first, to determine the table's size
  if (s >= 0) s = place_rows(&w);
  if (s >= 0) {
    w.table = malloc(((size_t)w.knots + 1) * ((size_t)w.columns + 1) * sizeof *w.table);
    s = w.table ? DM_OK : DM_NO_MEMORY;
  }
  if (s >= 0) {
    // the violation of each row at its knot
    const size_t all = ((size_t)w.knots + 1) * (size_t)w.columns;
    for (size_t i = 0; i < all; i++) w.table[i] = NAN;
    for (int i = 0; i < w.nlp->m; i++) {
      const int knot = w.at[i] < 0 ? w.knots : w.at[i];
      double *cell = &w.table[(size_t)knot * (size_t)w.columns + (size_t)w.column[i]];
      const double excess = oc_bound_excess(w.g[i], w.nlp->g_min[i], w.nlp->g_max[i]);
      *cell = fmax(isnan(*cell) ? 0 : *cell, round_digits(excess));
    }

    fputc('k', f);
    for (int c = 0; c < w.columns; c++) cli_put_name(f, ",", w.name[c]);
    fputc('\n', f);
    for (int k = 0; k <= w.knots; k++) {
      const double *row = w.table + (size_t)k * (size_t)w.columns;
      bool empty = true;
      for (int c = 0; c < w.columns; c++) empty = empty && isnan(row[c]);
      if (empty) continue;
      if (k < w.knots) fprintf(f, "%d", k);
      cli_put_numbers(f, row, w.columns);
      fputc('\n', f);
    }
  }

  free(w.g);
  free(w.column);
  free(w.name);
  free(w.table);

  return s < 0 ? s : DM_OK;
}

const cli_result_file cli_file_violations = {
    .name = "violations.csv",
    .stage = "motion",
    .part = CLI_PART_SOLVER,
    .columns = "k, then a column for each row of the program by its name: by how much it is beyond "
               "its bounds at knot k, to three digits; empty: there is no such row. A last row "
               "without k has those that stand at no knot.",
};
