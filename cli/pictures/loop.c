#include "cli/pictures/plot_axis.h"
#include "cli/pictures/plots.h"

enum { FAN_ROWS = 6000 }; // of all samples, at most

// one curve a sample, separated by empty lines: t, q, q - q_d
static void put_fan(const cli_sheet *s) {
  FILE *f = s->data;
  const cli_table *fan = cli_exhibit_table(s->d, &cli_file_fan);
  const int n = s->job->x->n, cols = 3 + n;
  const int stride = fan->rows / FAN_ROWS + 1;

  fprintf(f, "$fan << EOD\n");
  for (int i = 0; i < fan->rows; i++) {
    const double *row = fan->x + (size_t)i * (size_t)cols;
    int k = (int)row[1];
    if (i && k == 0) fprintf(f, "\n");

    // each sample's last knot is drawn whatever the stride
    bool last = i + 1 == fan->rows || row[cols + 1] == 0;
    if (k % stride && !last) continue;
    cli_sheet_put(f, row + 2, 1 + n);

    // off the plan, which stays at its end
    for (int j = 0; j < n; j++) {
      double deviation = row[3 + j] - cli_exhibit_place(s->d, row[2], j);
      cli_sheet_put(f, &deviation, 1);
    }
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// the limits of coordinate i that samples go by, where they are near; whether one is
static bool draw_limits(cli_sheet *s, int i, int colour) {
  const cli_table *fan = cli_exhibit_table(s->d, &cli_file_fan);
  const pb_verification *v = &s->job->p->verify;
  double min, max;
  if (!v->q_min || v->limits == FB_LIMITS_IGNORE) return false;
  cli_axis_range(fan->x + 3 + i, fan->rows, 3 + s->job->names.n, &min, &max);
  const bool low = cli_sheet_limit(s, v->q_min[i], min, max, colour);
  return cli_sheet_limit(s, v->q_max[i], min, max, colour) || low;
}

// closed-loop runs of coordinates of one kind, translucent: about the plan, or off it
static void draw_fan(cli_sheet *s, dm_kind kind, bool off, const cli_group *g) {
  const cli_job *job = s->job;
  int n = job->names.n;
  bool limits = false;

  // the plant that ran
  char time[64];
  snprintf(time, sizeof time, "time [s], %s plant", s->d->plant);
  cli_sheet_abscissa(s, time, "");
  cli_sheet_begin(s, off ? "closed loop - plan" : cli_sheet_kind(kind)->loop,
                  cli_sheet_kind(kind)->unit);

  // translucent curves under one solid name; on top of them the plan
  for (int j = 0; j < g->n; j++) {
    int i = g->i[j];
    const char *rgb = cli_sheet_colour(g->colour[j]);

    // the plan covers most of them: a few will do there
    fprintf(s->f, "$fan every :::0::%d using 1:%d with lines lw 1 lc rgb '#90%s' notitle, ",
            off ? FAN_ROWS : 9, 2 + i + off * n, rgb);
    fprintf(s->f, "NaN with lines lw 2 lc rgb '#%s'", rgb);
    cli_sheet_title(s, job->names.coord[i]);
    if (!off) fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000' notitle, ", 2 + i);
    if (!off) limits |= draw_limits(s, i, g->colour[j]);
  }
  fprintf(s->f, "%s with lines lw 1.2 lc rgb '#000000'", off ? "0" : "NaN");
  cli_sheet_title(s, "plan");
  cli_sheet_end(s, limits);
}

static void draw_loop(cli_sheet *s) {
  if (!cli_exhibit_table(s->d, &cli_file_fan)->x) return;
  put_fan(s);
  for (int off = 0; off < 2; off++)
    for (dm_kind kind = DM_SLIDE; kind <= DM_QUATERNION; kind++) {
      int at = 0;
      cli_sheet_want(s, kind);
      for (cli_group g; cli_sheet_next(s, s->job->names.n, &at, &g);) draw_fan(s, kind, off, &g);
    }
}

const cli_plot cli_plot_loop = {
    .word = "loop",
    .help = "closed-loop runs from perturbed starts, about the plan and off it, with limits that "
            "are near",
    .needs = {&cli_file_fan},
    .draw = draw_loop,
};
