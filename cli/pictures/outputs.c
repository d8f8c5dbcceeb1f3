#include "cli/results/outputs.h"
#include "cli/pictures/compare.h"
#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/windows.h"
#include "lib/base/names.h"

#include <math.h>
#include <stdlib.h>

// column of row r of the outputs: after k and t
static const double *find_column(const cli_exhibit *x, int r) {
  return cli_exhibit_table(x, &cli_file_outputs)->x + 2 + r;
}

static cli_curve find_output(const cli_sheet *s, int i, int r, int colour, const char *name) {
  const cli_table *table = cli_exhibit_table(s->all[i], &cli_file_outputs);
  const dm_output_map y = pb_robot_outputs(&s->all[i]->job.p->robot);
  const bool driven = dm_output_map_is_driven(&y, r); // one value a step: the last knot has none
  return (cli_curve){.n = table->rows - driven,
                     .holds = driven,
                     .from = s->all[i]->begin,
                     .x = table->x + 1,
                     .x_next = table->cols,
                     .y = find_column(s->all[i], r),
                     .y_next = table->cols,
                     .rounding = CLI_ROUNDING,
                     .colour = colour,
                     .dash = s->n > 1 ? i / CLI_COLOURS : 0,
                     .name = name};
}

// what the task asks of row r, where it is near its curve; whether there is any
static bool draw_bounds(cli_sheet *s, int r, int colour) {
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_outputs);
  double min, max;
  cli_axis_range(find_column(s->d, r), table->rows, table->cols, &min, &max);
  return cli_windows_draw(s, r, min, max, colour);
}

// the path that row r is to follow, at the times of its places; whether there is one
static bool draw_followed(cli_sheet *s, int r, int colour) {
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_outputs);
  const oc_followed *f = &s->job->task->outputs.follow;
  int row = -1;
  for (int j = 0; f->curve && j < f->curve->m; j++)
    if (f->output[j] == r) row = j;
  if (row < 0) return false;

  // r(s), s the last column
  double *y = cli_sheet_take(s, (size_t)table->rows + (size_t)f->curve->m, sizeof *y);
  for (int k = 0; y && k < table->rows; k++) {
    double *point = y + table->rows;
    dm_curve_eval(f->curve, table->x[(k + 1) * table->cols - 1], point, NULL, NULL);
    y[k] = point[row];
  }
  if (y)
    cli_sheet_draw(s, &(cli_curve){.n = table->rows,
                                   .x = table->x + 1,
                                   .x_next = table->cols,
                                   .y = y,
                                   .y_next = 1,
                                   .line = true,
                                   .colour = colour,
                                   .dash = 1,
                                   .width = 1.2});
  free(y);
  return true;
}

// a panel for rows of one unit, as many as there are colours
static void draw_rows(cli_sheet *s, const char *label, int first, int end) {
  const dm_outputs *o = s->job->p->robot.outputs.rows;
  const cli_table *table = cli_exhibit_table(s->d, &cli_file_outputs);
  int shown[CLI_COLOURS], n = 0;
  bool limits = false;
  for (int r = first; r < end; r++)
    if (cli_sheet_shows(s, s->job->names.output[r])) shown[n++] = r;
  if (!n) return;

  cli_axis(s->f, table->x + 2, table->rows, table->cols, n, shown, CLI_ROUNDING);
  const char *unit = dm_outputs_unit(o, first);
  cli_sheet_begin(s, label, unit[0] == '1' ? "" : unit);
  for (int j = 0; j < n; j++) {
    const cli_curve c = find_output(s, 0, shown[j], j, s->job->names.output[shown[j]]);
    cli_sheet_draw(s, &c);
    limits |= draw_bounds(s, shown[j], j);
    limits |= draw_followed(s, shown[j], j);
  }
  cli_sheet_end(s, limits);
}

// row r of folder f, in every folder that has one of this name
static void compare_output(cli_sheet *s, int f, int r, cli_curve *curves) {
  const cli_job *of = &s->all[f]->job;
  const char *name = of->names.output[r];
  const char *unit = dm_outputs_unit(of->p->robot.outputs.rows, r);
  int n = 0;
  if (!cli_sheet_shows(s, name)) return;
  for (int i = f; i < s->n; i++) {
    const cli_names *names = &s->all[i]->job.names;
    const int at = dm_names_find(names->output, names->ny, name);
    if (at >= 0 && cli_exhibit_table(s->all[i], &cli_file_outputs)->x)
      curves[n++] = find_output(s, i, at, i, s->all[i]->name);
  }
  cli_compare(s, name, unit[0] == '1' ? "" : unit, curves, n, true);
}

// a panel for each row that any folder has
static void compare_outputs(cli_sheet *s) {
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  for (int f = 0; curves && f < s->n; f++) {
    const cli_names *names = &s->all[f]->job.names;
    for (int r = 0; r < names->ny; r++)
      if (!cli_compare_before(s, f, CLI_OUTPUTS, names->output[r])) compare_output(s, f, r, curves);
  }
  free(curves);
}

static void draw_outputs(cli_sheet *s) {
  if (s->n > 1) {
    compare_outputs(s);
    return;
  }
  if (!cli_exhibit_table(s->d, &cli_file_outputs)->x) return;
  const pb_outputs *o = &s->job->p->robot.outputs;
  const int kept = o->named - o->kept;

  // each by itself, but pairs that are kept apart together
  for (int i = 0; i < o->n && dm_outputs_row(o->rows, i) < kept; i++)
    draw_rows(s, dm_outputs_name(o->rows, i), dm_outputs_row(o->rows, i),
              dm_outputs_row(o->rows, i + 1));
  for (int r = kept; r < o->named; r += CLI_COLOURS)
    draw_rows(s, "clearance", r, r + CLI_COLOURS < o->named ? r + CLI_COLOURS : o->named);
}

const cli_plot cli_plot_outputs = {
    .word = "outputs",
    .help = "the outputs of the problem file, with what the task asks of them",
    .needs = {&cli_file_outputs},
    .most = CLI_MANY,
    .draw = draw_outputs,
};
