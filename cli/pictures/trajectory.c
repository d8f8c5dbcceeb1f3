#include "cli/pictures/compare.h"
#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/windows.h"

#include <math.h>

// t, q and v of the plant that followed the plan, between knots as well
static void put_followed(const cli_sheet *s) {
  FILE *f = s->data;
  const dm_trajectory *x = s->job->x;
  const cli_table *followed = cli_exhibit_table(s->d, &cli_file_plant);
  if (!followed->x) return;
  const int cols = 1 + 2 * x->n + x->nu, rows = followed->rows;
  const int stride = cli_sheet_stride(rows);
  fprintf(f, "$y << EOD\n");
  for (int k = 0; k < rows; k += stride) {
    cli_sheet_put(f, followed->x + (size_t)k * (size_t)cols, 1 + 2 * x->n);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

static double choose_bound(const double *x, int i, double none) {
  return x ? x[i] : none;
}

// what the plant does of it between the knots: a thin line
static void draw_followed(cli_sheet *s, int column, int i) {
  if (!cli_exhibit_table(s->d, &cli_file_plant)->x) return;
  fprintf(s->f, "$y using 1:%d with lines lw 0.8 lc rgb '#%s' notitle, ", column,
          cli_sheet_colour(i));
}

// what `via` asks of a coordinate or of its speed
static bool draw_state_windows(cli_sheet *s, int i, bool velocity, double min, double max, int c) {
  const pb_outputs *o = &s->job->p->robot.outputs;
  const int first = velocity ? o->speeds : o->named, end = velocity ? o->all : o->speeds;
  return first + i < end && cli_windows_draw(s, first + i, min, max, c);
}

// positions or velocities of the coordinates of one kind, with their bounds
static void draw_states(cli_sheet *s, dm_kind kind, bool velocity) {
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  int n = x->n, at = 0;
  cli_sheet_want(s, kind);
  for (cli_group g; cli_sheet_next(s, n, &at, &g);) {
    bool limits = false;
    const double *values = velocity ? x->v : x->q;
    const cli_kind_words *words = cli_sheet_kind(kind);

    // v at rest is not 0 but rounding, which has no axis of its own
    cli_axis(s->f, values, x->N + 1, n, g.n, g.i, velocity ? CLI_ROUNDING : 0);
    cli_sheet_begin(s, velocity ? words->v : words->q, velocity ? words->rate : words->unit);

    // each curve, what the plant makes of it, and its bounds where they are near
    for (int j = 0; j < g.n; j++) {
      int i = g.i[j], c = g.colour[j];
      const int column = 2 + i + (velocity ? n : 0);
      const char *style = velocity && !s->d->at_knots ? "steps" : "lines";
      cli_sheet_curve(s, "$x", column, style, c, job->names.coord[i]);
      draw_followed(s, column, c);

      double min, max;
      double low = choose_bound(job->task->q_min, i, -INFINITY);
      double high = choose_bound(job->task->q_max, i, INFINITY);
      if (velocity) {
        high = choose_bound(job->task->v_max, i, INFINITY);
        low = -high;
      }
      cli_axis_range(values + i, x->N + 1, n, &min, &max);
      limits |= cli_sheet_limit(s, low, min, max, c);
      limits |= cli_sheet_limit(s, high, min, max, c);
      limits |= draw_state_windows(s, i, velocity, min, max, c);
    }
    cli_sheet_end(s, limits);
  }
}

static void draw_trajectory(cli_sheet *s) {
  if (s->n == 1) put_followed(s);
  for (int velocity = 0; velocity < 2; velocity++) {
    // of several folders a panel for each coordinate
    if (s->n > 1) {
      cli_compare_states(s, velocity);
      continue;
    }
    for (dm_kind kind = DM_SLIDE; kind <= DM_QUATERNION; kind++) draw_states(s, kind, velocity);
  }
}

const cli_plot cli_plot_trajectory = {
    .word = "trajectory",
    .help = "positions and velocities with limits that are near, and the plan on a plant",
    .needs = {&cli_file_plant},
    .most = CLI_MANY,
    .draw = draw_trajectory,
};
