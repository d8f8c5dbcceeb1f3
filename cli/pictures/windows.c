#include "cli/pictures/windows.h"

#include <math.h>
#include <stdlib.h>

// one side of a limit, a number at each knot from `first` to `last`: a dashed line, or a dot at one time
static void draw_window_side(cli_sheet *s, const double *y, int first, int last, int colour) {
  const int n = last - first + 1;
  double *t = calloc((size_t)n, sizeof *t);

  // a dashed line over the knots where the limit holds, a dot of one knot alone
  for (int k = 0; t && k < n; k++) t[k] = (first + k) * s->job->x->h;
  if (t)
    cli_sheet_draw(s, &(cli_curve){.n = n,
                                   .x = t,
                                   .x_next = 1,
                                   .y = y,
                                   .y_next = 1,
                                   .dots = n == 1,
                                   .line = n > 1,
                                   .colour = colour,
                                   .dash = 1,
                                   .width = 1.2});
  free(t);
}

// is a bound near a curve from min to max?
static bool is_near_curve(double bound, double min, double max) {
  const double span = fmax(max - min, 1e-3 * (1 + fabs(max)));
  return bound > min - 2 * span && bound < max + 2 * span;
}

// both sides of a limit, its reference (NULL: 0) added
static bool draw_window(cli_sheet *s, const oc_output_limit *l, int first, int last, double min,
                        double max, int colour) {
  const double bound[] = {l->low, l->high};
  double *y = calloc((size_t)(last - first + 1), sizeof *y);
  bool any = false;
  for (int side = 0; y && side < (l->low < l->high ? 2 : 1); side++) {
    for (int k = first; k <= last; k++)
      y[k - first] = bound[side] + oc_output_limit_reference(l, k);
    if (!is_near_curve(y[0], min, max)) continue;
    draw_window_side(s, y, first, last, colour);
    any = any || first < last;
  }
  free(y);
  return any;
}

bool cli_windows_draw(cli_sheet *s, int r, double min, double max, int colour) {
  const oc_outputs *o = &s->job->task->outputs;
  bool any = false;
  for (int i = 0; i < o->nlimits; i++) {
    int first, last;
    if (o->limits[i].output != r) continue;
    oc_outputs_span(o, r, o->limits[i].at, s->job->task->N, &first, &last);
    any |= draw_window(s, &o->limits[i], first, last, min, max, colour);
  }
  return any;
}

bool cli_windows_draw_input(cli_sheet *s, int i, double min, double max, int colour) {
  const oc_task *task = s->job->task;
  bool any = false;
  for (int w = 0; w < task->ninputs; w++) {
    const oc_input_limit *l = &task->inputs[w];
    int first, last;
    if (l->input != i) continue;

    // from the beginning of its first step to the end of its last one
    oc_span_steps(l->at, task->N, &first, &last);
    const oc_output_limit of = {.low = l->low, .high = l->high};
    any |= draw_window(s, &of, first, last + 1, min, max, colour);
  }
  return any;
}
