#include "optim/second/knot_outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int oc_knot_outputs_count(const oc_task *task) {
  int rows = 0;
  for (int i = 0; i < task->outputs.nlimits; i++) {
    int first, last;
    oc_span_knots(task->outputs.limits[i].at, task->N, &first, &last);
    rows += last - first + 1;
  }
  return rows;
}

static const double *find_outputs_knot(const oc_torque_transcription *w, const double *x, int k) {
  return x + (size_t)k * (size_t)w->size;
}

// the row of limit i at knot k, -1: none
static int find_limit_row(const oc_torque_transcription *w, int i, int k) {
  int first, last;
  oc_span_knots(w->task.outputs.limits[i].at, w->N, &first, &last);
  return k >= first && k <= last ? w->out_row[i] + k - first : -1;
}

// y at knot k, and with `slopes` its derivatives in w->out_slope
static dm_status eval_outputs_at(oc_torque_transcription *w, const double *x, int k, bool slopes) {
  const double *q = find_outputs_knot(w, x, k);
  return oc_outputs_eval(&w->task.outputs, w->N, k, w->out_scratch, q, q + w->n, w->out_value,
                         slopes ? w->out_slope[0] : NULL, slopes ? w->out_slope[1] : NULL);
}

// returns true if output i at knot k depends on given values only
static bool is_output_given(const oc_torque_transcription *w, int i, int k) {
  const dm_output_map *y = &w->task.outputs.y;
  const double *lo = w->x_min + k * w->size, *hi = w->x_max + k * w->size;
  for (int j = 0; j < w->n; j++) {
    if (!dm_output_map_moves(y, i, j)) continue;
    if (lo[j] < hi[j]) return false;
    if (dm_output_map_is_rated(y, i) && lo[w->n + j] < hi[w->n + j]) return false;
  }
  return true;
}

// relax the rows of an end that hold already
static dm_status free_given_rows(oc_torque_transcription *w, int k, dm_message *msg) {
  const oc_outputs *o = &w->task.outputs;
  double *at = w->out_end;
  for (int j = 0; j < 2 * w->n; j++) {
    const double given = w->x_min[k * w->size + j];
    at[j] = isfinite(given) ? given : 0; // only outputs of given values are read
  }
  const dm_status s =
      dm_output_map_eval(&o->y, w->out_scratch, at, at + w->n, w->out_value, NULL, NULL);
  if (s < 0 && s != DM_NOT_FINITE) return s;

  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    const int row = find_limit_row(w, i, k);
    if (row < 0 || !is_output_given(w, l->output, k)) continue;
    DM_TRY(oc_outputs_hold(o, i, k, w->out_value[l->output], msg));
    w->g_min[row] = -INFINITY;
    w->g_max[row] = INFINITY;
  }
  return DM_OK;
}

dm_status oc_knot_outputs_bound(oc_torque_transcription *w, int row, dm_message *msg) {
  const oc_outputs *o = &w->task.outputs;
  for (int i = 0; i < o->nlimits; i++) {
    int first, last;
    oc_span_knots(o->limits[i].at, w->N, &first, &last);
    w->out_row[i] = row;
    for (int k = first; k <= last; k++, row++)
      oc_outputs_bounds(o, w->N, i, k, &w->g_min[row], &w->g_max[row]);
  }
  if (!o->nlimits) return DM_OK;

  // a row of given values has zero gradient
  DM_TRY(free_given_rows(w, 0, msg));
  return free_given_rows(w, w->N, msg);
}

void oc_knot_outputs_name(const oc_torque_transcription *w, int row, char *text, size_t size,
                          int *k) {
  const oc_outputs *o = &w->task.outputs;
  int i = 0, first, last;
  while (i + 1 < o->nlimits && w->out_row[i + 1] <= row) i++;
  oc_span_knots(o->limits[i].at, w->N, &first, &last);
  *k = first + row - w->out_row[i];
  snprintf(text, size, "output %s", oc_outputs_name(o, o->limits[i].output));
}

dm_status oc_knot_outputs_objective(oc_torque_transcription *w, const double *x, double *f) {
  for (int k = 0; k <= w->N; k++) {
    const double *q = find_outputs_knot(w, x, k);
    double c;
    if (!oc_output_costs_once(w->costs, k)) continue;
    DM_TRY(oc_output_costs_knot(w->costs, k, 0, q, q + w->n, &c));
    *f += c;
  }
  return DM_OK;
}

dm_status oc_knot_outputs_gradient(oc_torque_transcription *w, const double *x, double *grad) {
  for (int k = 0; k <= w->N; k++) {
    const double *q = find_outputs_knot(w, x, k);
    double c;
    if (!oc_output_costs_once(w->costs, k)) continue;
    DM_TRY(oc_output_costs_knot(w->costs, k, 1, q, q + w->n, &c));
    for (int j = 0; j < 2 * w->n; j++) grad[k * w->size + j] += w->costs->knot.c_x[j];
  }
  return DM_OK;
}

dm_status oc_knot_outputs_rows(oc_torque_transcription *w, const double *x, double *g) {
  const oc_outputs *o = &w->task.outputs;
  for (int k = 0; o->nlimits && k <= w->N; k++) {
    DM_TRY(eval_outputs_at(w, x, k, false));
    for (int i = 0; i < o->nlimits; i++)
      if (find_limit_row(w, i, k) >= 0)
        g[find_limit_row(w, i, k)] = w->out_value[o->limits[i].output];
  }
  return DM_OK;
}

dm_status oc_knot_outputs_jacobian(oc_torque_transcription *w, const double *x, oc_triplets *s) {
  const oc_outputs *o = &w->task.outputs;
  const int n = w->n;
  for (int k = 0; o->nlimits && k <= w->N; k++) {
    if (s->val) DM_TRY(eval_outputs_at(w, x, k, true));

    // y_q, y_v of the rows at this knot
    for (int i = 0; i < o->nlimits; i++) {
      const int row = find_limit_row(w, i, k), output = o->limits[i].output;
      const bool rated = dm_output_map_is_rated(&o->y, output);
      for (int j = 0; row >= 0 && j < n; j++) {
        if (!dm_output_map_moves(&o->y, output, j)) continue;
        oc_put(s, row, k * w->size + j, w->out_slope[0][output * n + j]);
        if (rated) oc_put(s, row, k * w->size + n + j, w->out_slope[1][output * n + j]);
      }
    }
  }
  return DM_OK;
}

dm_status oc_knot_outputs_hessian(oc_torque_transcription *w, const double *x, int k, double sigma,
                                  const double *lambda, double *block) {
  const oc_outputs *o = &w->task.outputs;
  const int n = w->n, size = w->size;
  const double *q = find_outputs_knot(w, x, k);
  bool any = false;
  double c;

  // sigma times the Hessian of the costs
  if (oc_output_costs_once(w->costs, k)) {
    DM_TRY(oc_output_costs_knot(w->costs, k, 2, q, q + n, &c));
    for (int a = 0; a < 2 * n; a++)
      for (int b = 0; b < 2 * n; b++)
        block[a * size + b] += sigma * w->costs->knot.c_xx[a * 2 * n + b];
  }

  // lambda y_xx of the rows
  for (int i = 0; i < o->y.ny; i++) w->out_lambda[i] = 0;
  for (int i = 0; lambda && i < o->nlimits; i++) {
    const int row = find_limit_row(w, i, k);
    any = any || row >= 0;
    if (row >= 0) w->out_lambda[o->limits[i].output] += lambda[row];
  }
  if (!any) return DM_OK;
  return oc_outputs_contract(o, w->out_scratch, q, q + n, w->out_lambda, w->out_H, block, size);
}
