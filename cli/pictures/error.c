#include "cli/pictures/plots.h"

#include <math.h>

enum { RESPONSES = 5 }; // coordinates whose response is drawn

// t, norms of the error, q without feedback and with it
static void put_response(const cli_sheet *s) {
  FILE *f = s->data;
  const dm_trajectory *x = s->job->x;
  const cli_table *response = cli_exhibit_table(s->d, &cli_file_response);
  const int cols = 4 + 2 * x->n + x->nu, rows = response->rows;
  const int stride = cli_sheet_stride(rows);
  fprintf(f, "$r << EOD\n");
  for (int k = 0; k < rows; k += stride) {
    cli_sheet_put(f, response->x + (size_t)k * (size_t)cols + 1, 3 + 2 * x->n);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// the largest |q - plan| of coordinate i without feedback
static double find_departure(const cli_sheet *s, int i) {
  const dm_trajectory *x = s->job->x;
  const double *response = cli_exhibit_table(s->d, &cli_file_response)->x;
  int n = x->n, cols = 4 + 2 * n + x->nu;
  double max = 0;

  // columns: t and the two norms, then q of the open loop
  for (int k = 0; k <= x->N; k++)
    max = fmax(max, fabs(response[(size_t)k * (size_t)cols + (size_t)(4 + i)] -
                         x->q[(size_t)k * (size_t)n + (size_t)i]));
  return max;
}

// one start with feedback and without: the norm of its error, and the coordinates that go astray
// most without (or those asked for)
static void draw_error(cli_sheet *s) {
  const cli_job *job = s->job;
  int n = job->names.n;

  if (!cli_exhibit_table(s->d, &cli_file_response)->x) return;
  put_response(s);

  // 1  norms of the error
  char time[64];
  snprintf(time, sizeof time, "time [s], %s plant", s->d->plant);
  cli_sheet_abscissa(s, time, "");
  fprintf(s->f, "set yrange [0:*]\n");
  cli_sheet_begin(s, "norm of error in (q, p)", "SI");
  cli_sheet_curve(s, "$r", 2, "lines", 1, "open loop");
  cli_sheet_curve(s, "$r", 3, "lines", 0, "closed loop");
  cli_sheet_end(s, false);
  fprintf(s->f, "set yrange [*:*]\n");

  // 2  coordinates, worst first, until so many are drawn or none is left
  int left = job->args->only ? n : RESPONSES;
  for (int i = 0; i < n; i++) s->wanted[i] = cli_sheet_shows(s, job->names.coord[i]);
  for (; left > 0; left--) {
    int worst = -1;
    for (int i = 0; i < n; i++)
      if (s->wanted[i] && (worst < 0 || find_departure(s, i) > find_departure(s, worst))) worst = i;
    if (worst < 0) break;

    // its response, beside the plan
    s->wanted[worst] = false;
    cli_sheet_begin(s, job->names.coord[worst], cli_sheet_kind(job->p->model->kind[worst])->unit);
    cli_sheet_curve(s, "$r", 4 + worst, "lines", 1, "open loop");
    cli_sheet_curve(s, "$r", 4 + n + worst, "lines", 0, "closed loop");
    fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000'", 2 + worst);
    cli_sheet_title(s, "plan");
    cli_sheet_end(s, false);
  }
}

const cli_plot cli_plot_error = {
    .word = "error",
    .help = "one start off the plan, with feedback and without",
    .needs = {&cli_file_response},
    .draw = draw_error,
};
