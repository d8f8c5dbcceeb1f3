#include "cli/pictures/plots.h"

#include <math.h>

enum { RESPONSES = 5 }; // coordinates whose response is drawn

// whether the cost draws coordinate i to a reference that is not zero throughout
static bool has_reference(const cli_sheet *s, int i) {
  const oc_task *t = s->job->task;
  const bool weighed = (t->w_q && t->w_q[i] > 0) || (t->wf_q && t->wf_q[i] > 0);
  return s->job->p->has_task && t->N == s->job->x->N && t->ref_q && weighed;
}

// t and the reference of q, no motion of the system
static void put_reference(FILE *f, const cli_sheet *s) {
  const dm_trajectory *x = s->job->x;
  bool any = false;
  for (int i = 0; i < x->n; i++) any = any || has_reference(s, i);
  if (!any) return;

  // every knot: a step of the reference stays one
  fprintf(f, "$ref << EOD\n");
  for (int k = 0; k <= x->N; k++) {
    fprintf(f, "%.8g", k * x->h);
    cli_sheet_put(f, s->job->task->ref_q + (size_t)k * (size_t)x->n, x->n);
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\n");
}

// t, norms of the error, q without feedback and with it; and the reference
static void put_response(const cli_sheet *s) {
  FILE *f = s->data;
  const dm_trajectory *x = s->job->x;
  const cli_table *response = cli_exhibit_table(s->d, &cli_file_response);
  put_reference(f, s);
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
  const cli_table *response = cli_exhibit_table(s->d, &cli_file_response);
  double max = 0;

  // columns: k, t and the two norms, then q of the open loop
  for (int r = 0; r < response->rows; r++) {
    const double *row = response->x + (size_t)r * (size_t)response->cols;
    max = fmax(max, fabs(row[4 + i] - cli_exhibit_place(s->d, row[1], i)));
  }
  return max;
}

// a coordinate's response, beside the plan and the reference that the plan was to come near
static void draw_coordinate(cli_sheet *s, int i) {
  const cli_job *job = s->job;
  cli_sheet_begin(s, job->names.coord[i], cli_sheet_kind(job->p->model->kind[i])->unit);
  if (has_reference(s, i)) {
    fprintf(s->f, "$ref using 1:%d with lines lw 1.2 dt 2 lc rgb '#888888'", 2 + i);
    cli_sheet_title(s, "reference");
  }
  cli_sheet_curve(s, "$r", 4 + i, "lines", 1, "open loop");
  cli_sheet_curve(s, "$r", 4 + job->names.n + i, "lines", 0, "closed loop");
  fprintf(s->f, "$x using 1:%d with lines lw 1.2 lc rgb '#000000'", 2 + i);
  cli_sheet_title(s, "plan");
  cli_sheet_end(s, false);
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
  snprintf(time, sizeof time, "time [s], %s plant", s->d->start_plant);
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

    s->wanted[worst] = false;
    draw_coordinate(s, worst);
  }
}

const cli_plot cli_plot_error = {
    .word = "error",
    .help = "one start off the plan, with feedback and without, beside plan and reference",
    .needs = {&cli_file_response},
    .draw = draw_error,
};
