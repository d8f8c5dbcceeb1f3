#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

#include <math.h>
#include <string.h>

static double choose_limit(const double *x, int i, double none) {
  return x ? x[i] : none;
}

static void draw_inputs(cli_sheet *s) {
  static const char *const kinds[][2] = {{"force", "N"}, {"torque", "N m"}, {"load", "1"}};
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  const dm_system *sys = &job->task->system;

  // a panel for each unit; coordinates that are inputs are drawn among the positions
  for (int kind = 0; kind < 3; kind++) {
    for (int i = 0; i < sys->nu; i++)
      s->wanted[i] = !strcmp(pb_robot_unit(&job->p->robot, i), kinds[kind][1]) &&
                     cli_sheet_shows(s, job->names.input[i]);

    // each curve with its limits, where they are near
    int at = 0;
    for (cli_group g; cli_sheet_next(s, sys->nu, &at, &g);) {
      bool limits = false;
      cli_axis(s->f, x->u, x->N, x->nu, g.n, g.i, 0);
      cli_sheet_begin(s, kinds[kind][0], kinds[kind][1]);
      for (int j = 0; j < g.n; j++) {
        int i = g.i[j], c = g.colour[j];
        double min, max;
        cli_sheet_curve(s, "$x", 2 + 2 * x->n + i, "steps", c, job->names.input[i]);
        cli_axis_range(x->u + i, x->N, x->nu, &min, &max);
        limits |= cli_sheet_limit(s, choose_limit(job->task->u_min, i, -INFINITY), min, max, c);
        limits |= cli_sheet_limit(s, choose_limit(job->task->u_max, i, INFINITY), min, max, c);
      }
      cli_sheet_end(s, limits);
    }
  }
}

const cli_plot cli_plot_inputs = {
    .word = "inputs",
    .help = "forces, torques and loads with their limits",
    .draw = draw_inputs,
};
