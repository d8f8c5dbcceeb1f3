#include "cli/pictures/compare.h"
#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"
#include "cli/pictures/windows.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double choose_limit(const double *x, int i, double none) {
  return x ? x[i] : none;
}

// input c of folder f, in every folder that has one of this name
static void compare_input(cli_sheet *s, int f, int c, cli_curve *curves) {
  const cli_job *of = &s->all[f]->job;
  const char *name = of->names.input[c];
  int n = 0;
  if (!cli_sheet_shows(s, name)) return;
  for (int i = f; i < s->n; i++) {
    const cli_job *job = &s->all[i]->job;
    const int at = dm_names_find(job->names.input, job->names.nu, name);
    if (at >= 0) curves[n++] = cli_compare_steps(s, i, job->x->u + at, job->x->nu);
  }
  cli_compare(s, name, pb_robot_unit(&of->p->robot, c), curves, n, true);
}

// a panel for each input that any folder has
static void compare_inputs(cli_sheet *s) {
  cli_curve *curves = cli_sheet_take(s, (size_t)s->n, sizeof *curves);
  for (int f = 0; curves && f < s->n; f++) {
    const cli_job *job = &s->all[f]->job;
    for (int c = 0; c < job->task->system.nu; c++)
      if (!cli_compare_before(s, f, CLI_INPUTS, job->names.input[c]))
        compare_input(s, f, c, curves);
  }
  free(curves);
}

static void draw_inputs(cli_sheet *s) {
  if (s->n > 1) {
    compare_inputs(s);
    return;
  }
  static const char *const kinds[][2] = {{"force", "N"},
                                         {"torque", "N m"},
                                         {"steering", "N s/m"},
                                         {"steering", "N m s"},
                                         {"load", "1"}};
  const cli_job *job = s->job;
  const dm_trajectory *x = job->x;
  const dm_system *sys = &job->task->system;

  // a panel for each unit; coordinates that are inputs are drawn among the positions
  for (int kind = 0; kind < 5; kind++) {
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
        limits |= cli_windows_draw_input(s, i, min, max, c);
      }
      cli_sheet_end(s, limits);
    }
  }
}

const cli_plot cli_plot_inputs = {
    .word = "inputs",
    .help = "forces, torques and loads with limits that are near",
    .most = CLI_MANY,
    .draw = draw_inputs,
};
