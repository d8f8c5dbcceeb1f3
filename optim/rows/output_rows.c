#include "optim/rows/output_rows.h"

#include "optim/rows/curve_rows.h"
#include "optim/rows/exact_rows.h"

#include <math.h>
#include <string.h>

void oc_output_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const oc_outputs *o = &t->task.outputs;
  const double room = oc_exact_rows_room(&t->task).limits;
  (void)kind;

  // the rows of a limit are consecutive, by knot or by step
  for (int i = 0; i < o->nlimits; i++) {
    const oc_rows *r = oc_rows_limit(t, i);
    const bool driven = oc_outputs_driven(o, o->limits[i].output);
    for (int k = r->knot; oc_rows_has(r, k); k++) {
      const int at = oc_rows_row(r, k);
      oc_outputs_bounds(o, t->N, i, k, &t->g_min[at], &t->g_max[at]);
      if (k > 0 && k < t->N && t->g_min[at] == t->g_max[at]) {
        t->g_min[at] -= room;
        t->g_max[at] += room;
      }
      t->out_asked[k] = t->out_asked[k] || !driven;
    }
  }

  // and the knots with costs
  for (int i = 0; i < o->ncosts; i++) {
    int first, last;
    if (oc_outputs_driven(o, o->costs[i].output)) continue;
    oc_span_knots(o->costs[i].at, t->N, &first, &last);
    for (int k = first; k <= last; k++) t->out_asked[k] = true;
  }

  // and all knots if outputs follow a curve
  for (int k = 0; o->follow.curve && k <= t->N; k++) t->out_asked[k] = true;
}

// index of the velocity of a knot; for inner knots only if it is an unknown
static int find_velocity(const oc_transcription *t, int k) {
  if (k == 0) return t->v[0];
  return k == t->N ? t->v[1] : oc_transcription_velocity(t, k);
}

static bool has_velocity(const oc_transcription *t, int k) {
  return k == 0 || k == t->N || t->moving;
}

static bool is_given(const oc_transcription *t, int x) {
  return !(t->x_min[x] < t->x_max[x]);
}

// are all coordinates that move output i at an end given?
static bool is_output_given(const oc_transcription *t, int i, int k) {
  const int q = oc_transcription_q(t, k), v = find_velocity(t, k);
  for (int j = 0; j < t->n; j++) {
    if (!t->out_mask[i * t->n + j]) continue;
    if (!is_given(t, q + j) || (t->out_rated[i] && !is_given(t, v + j))) return false;
  }
  return true;
}

// The outputs at an end into t->out_here, with free unknowns at zero. Only outputs without free unknowns are
// read.
static dm_status eval_given_end(oc_transcription *t, int k) {
  const int q = oc_transcription_q(t, k), v = find_velocity(t, k);
  for (int j = 0; j < t->n; j++) {
    t->mu[j] = is_given(t, q + j) ? t->x_min[q + j] : 0;
    t->mu1[j] = is_given(t, v + j) ? t->x_min[v + j] : 0;
  }
  const dm_status s = dm_output_map_eval(&t->task.outputs.y, t->out_scratch, t->mu, t->mu1,
                                         t->out_here, NULL, NULL);
  return s == DM_NOT_FINITE ? DM_OK : s; // the caller refuses outputs without a value
}

dm_status oc_output_rows_know(oc_transcription *t, int output, int k, double *low, double *high) {
  oc_outputs_range(&t->task.outputs, t->N, output, k, false, low, high);
  if (!is_output_given(t, output, k)) return DM_OK;
  DM_TRY(eval_given_end(t, k));
  *low = *high = t->out_here[output];
  return DM_OK;
}

dm_status oc_output_rows_free_given(oc_transcription *t, dm_message *msg) {
  const oc_outputs *o = &t->task.outputs;
  for (int k = 0; o->y.ny && k <= t->N; k += t->N) {
    if (!t->out_asked[k]) continue;
    DM_TRY(eval_given_end(t, k));
    for (int i = 0; i < o->nlimits; i++) {
      const oc_rows *r = oc_rows_limit(t, i);
      const oc_output_limit *asked = &o->limits[i];
      const double y = t->out_here[asked->output];
      if (oc_outputs_driven(o, asked->output) || !oc_rows_has(r, k)) continue;
      if (!is_output_given(t, asked->output, k)) continue;
      DM_TRY(oc_outputs_hold(o, i, k, y, msg));
      oc_row_free(t, oc_rows_row(r, k));
    }

    // of a curve, whose ends are given
    const oc_followed *f = &o->follow;
    for (int i = 0; f->curve && i < f->curve->m; i++)
      if (is_output_given(t, f->output[i], k))
        DM_TRY(oc_curve_rows_free(t, k, i, t->out_here[f->output[i]], msg));
  }
  return DM_OK;
}

// the velocity of knot k; NULL if it is not an unknown, and then no output used there depends on it
static const double *velocity_of(const oc_transcription *t, const double *x, int k) {
  return has_velocity(t, k) ? x + find_velocity(t, k) : NULL;
}

// Values kept for a knot by the last walk: y [ny], y_q and y_v [ny x n].
typedef struct knot_outputs {
  double *y, *y_q, *y_v;
} knot_outputs;

static knot_outputs find_knot_outputs(const oc_transcription *t, int k) {
  const size_t ny = (size_t)t->task.outputs.y.ny, at = (size_t)k * ny, n = (size_t)t->n;
  return (knot_outputs){t->out_value + at, t->out_slope[0] + at * n, t->out_slope[1] + at * n};
}

static dm_status eval_knot_outputs(oc_transcription *t, const double *x, int k) {
  const knot_outputs at = find_knot_outputs(t, k);
  const size_t kept = t->task.outputs.y.kept;
  DM_TRY(oc_outputs_eval(&t->task.outputs, t->N, k, t->out_scratch, x + oc_transcription_q(t, k),
                         velocity_of(t, x, k), at.y, at.y_q, at.y_v));
  memcpy(t->out_kept + (size_t)k * kept, t->out_scratch, kept);
  return DM_OK;
}

// q_k for the outputs, or NULL if the last walk was at it: then its kept data are restored to the scratch
static const double *restore_knot(oc_transcription *t, const double *x, int k) {
  const int q = oc_transcription_q(t, k);
  const size_t kept = t->task.outputs.y.kept, size = (size_t)t->n * sizeof *x;
  if (!kept || !t->fresh || memcmp(x + q, t->x_at + q, size) != 0) return x + q;
  memcpy(t->out_scratch, t->out_kept + (size_t)k * kept, kept);
  return NULL;
}

dm_status oc_output_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s) {
  const oc_outputs *o = &t->task.outputs;
  const int n = t->n;
  (void)kind;
  for (int k = 0; o->y.ny && k <= t->N; k++) {
    if (!t->out_asked[k]) continue;
    const knot_outputs here = find_knot_outputs(t, k);
    if (s->val) DM_TRY(eval_knot_outputs(t, x, k));

    // y_q, y_v of the rows at this knot
    for (int i = 0; i < o->nlimits; i++) {
      const oc_rows *r = oc_rows_limit(t, i);
      const int output = o->limits[i].output, row = oc_rows_row(r, k), at = output * n;
      const int q = oc_transcription_q(t, k), v = find_velocity(t, k);
      if (oc_outputs_driven(o, output) || !oc_rows_has(r, k)) continue;
      for (int j = 0; j < n; j++) {
        if (!t->out_mask[at + j]) continue;
        oc_put(s, row, q + j, here.y_q[at + j]);
        if (t->out_rated[output]) oc_put(s, row, v + j, here.y_v[at + j]);
      }
    }
    oc_curve_rows_put(t, x, s, k);
  }
  return DM_OK;
}

void oc_output_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g) {
  const oc_outputs *o = &t->task.outputs;
  (void)kind;
  (void)x;
  for (int i = 0; i < o->nlimits; i++) {
    const oc_rows *r = oc_rows_limit(t, i);
    if (oc_outputs_driven(o, o->limits[i].output)) continue; // step_rows.h
    for (int k = r->knot; oc_rows_has(r, k); k++)
      g[oc_rows_row(r, k)] = t->out_value[k * o->y.ny + o->limits[i].output];
  }
}

// a cost at a knot, with its derivatives by y
typedef struct knot_cost {
  double value, slope, curve;
  double by_h; // 1 if it is integrated, i.e. also multiplied by h
} knot_cost;

// cost i at knot k for outputs y; false: it does not apply there
static bool find_knot_cost(const oc_transcription *t, int i, int k, const double *y,
                           knot_cost *at) {
  const oc_outputs *o = &t->task.outputs;
  const oc_output_cost *c = &o->costs[i];
  int first, last;
  if (oc_outputs_driven(o, c->output)) return false;
  oc_span_knots(c->at, t->N, &first, &last);
  if (k < first || k > last) return false;

  const double share = c->once ? 1 : oc_span_share(k, first, last, t->task.sum);
  const double w = share * c->weight, e = y[c->output] - oc_output_cost_reference(c, k);
  const oc_activated a = oc_activate(c->activation, e);
  *at = (knot_cost){.value = w * a.value,
                    .slope = w * a.slope,
                    .curve = w * a.curve,
                    .by_h = c->once ? 0 : oc_cost_factor_h(&t->task)};
  return true;
}

// the step length, which weights an integrated cost
static double find_cost_factor(const oc_transcription *t, const double *x, const knot_cost *at) {
  const double h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];
  return at->by_h > 0 ? h : 1;
}

double oc_output_rows_cost(const oc_transcription *t, const double *x) {
  double sum = 0;
  knot_cost at;
  for (int k = 0; t->task.outputs.ncosts && k <= t->N; k++)
    for (int i = 0; i < t->task.outputs.ncosts; i++)
      if (find_knot_cost(t, i, k, t->out_value + k * t->task.outputs.y.ny, &at))
        sum += find_cost_factor(t, x, &at) * at.value;
  return sum;
}

void oc_output_rows_gradient(const oc_transcription *t, const double *x, double *grad) {
  const oc_outputs *o = &t->task.outputs;
  const int n = t->n;
  knot_cost at;
  for (int k = 0; o->ncosts && k <= t->N; k++) {
    if (!t->out_asked[k]) continue;

    // w a' (y_q, y_v), and w a by the step
    const knot_outputs here = find_knot_outputs(t, k);
    for (int i = 0; i < o->ncosts; i++) {
      if (!find_knot_cost(t, i, k, here.y, &at)) continue;
      const int row = o->costs[i].output;
      const double slope = find_cost_factor(t, x, &at) * at.slope;
      double *g_q = grad + oc_transcription_q(t, k), *g_v = grad + find_velocity(t, k);
      for (int j = 0; j < n; j++) g_q[j] += slope * here.y_q[row * n + j];
      for (int j = 0; t->out_rated[row] && j < n; j++) g_v[j] += slope * here.y_v[row * n + j];
      if (t->h >= 0) grad[t->h] += at.by_h * at.value;
    }
  }
}

// the costs at knot k: multipliers of the outputs' curvature, w a'' y_x' y_x, and the coupling of h with x
static void add_cost_curvature(oc_transcription *t, const double *x, int k, double sigma) {
  const oc_outputs *o = &t->task.outputs;
  const int n = t->n;
  const knot_outputs here = find_knot_outputs(t, k);
  knot_cost at;
  for (int i = 0; i < o->ncosts; i++) {
    if (!find_knot_cost(t, i, k, here.y, &at)) continue;
    const int row = o->costs[i].output;
    const double *y_q = here.y_q + row * n, *y_v = here.y_v + row * n;
    const double factor = sigma * find_cost_factor(t, x, &at), w = factor * at.curve;
    t->out_lambda[row] += factor * at.slope;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) t->knot_block[a * n + b] += w * y_q[a] * y_q[b];
    for (int a = 0; t->h >= 0 && a < n; a++)
      t->knot_block_h[a] += sigma * at.by_h * at.slope * y_q[a];

    // and for outputs of velocities
    for (int a = 0; t->out_rated[row] && a < n; a++) {
      for (int b = 0; b < n; b++) {
        t->out_qv[a * n + b] += w * y_q[a] * y_v[b];
        t->out_vv[a * n + b] += w * y_v[a] * y_v[b];
      }
      t->out_vh[a] += sigma * at.by_h * at.slope * y_v[a];
    }
  }
}

dm_status oc_output_rows_contract(oc_transcription *t, const double *x, int k, double sigma,
                                  const double *lambda) {
  const oc_outputs *o = &t->task.outputs;
  const size_t row_size = (size_t)t->n * sizeof(double);
  if (!o->y.ny || !t->out_asked[k]) return DM_OK;
  memset(t->out_lambda, 0, (size_t)o->y.ny * sizeof *t->out_lambda);
  memset(t->out_qv, 0, row_size * (size_t)t->n);
  memset(t->out_vv, 0, row_size * (size_t)t->n);
  memset(t->out_vh, 0, row_size);

  for (int i = 0; i < o->nlimits; i++) {
    const oc_rows *r = oc_rows_limit(t, i);
    if (!oc_outputs_driven(o, o->limits[i].output) && oc_rows_has(r, k))
      t->out_lambda[o->limits[i].output] += lambda[oc_rows_row(r, k)];
  }
  oc_curve_rows_weigh(t, k, lambda);
  add_cost_curvature(t, x, k, sigma);
  return dm_output_map_contract(&o->y, t->out_scratch, restore_knot(t, x, k), velocity_of(t, x, k),
                                t->out_lambda, t->knot_block, t->out_qv, t->out_vv);
}

void oc_output_rows_add_speeds(oc_transcription *t, int k) {
  if (!t->task.outputs.y.ny || !t->out_asked[k]) return;
  for (int i = 0; i < t->n * t->n; i++) {
    t->end.L_qv[i] += t->out_qv[i];
    t->end.L_vv[i] += t->out_vv[i];
  }
}

// does output `row` have an integrated cost at knot k?
static bool costs_over_time(const oc_transcription *t, int row, int k) {
  const oc_outputs *o = &t->task.outputs;
  for (int i = 0; i < o->ncosts; i++) {
    const oc_output_cost *c = &o->costs[i];
    if (c->output == row && !c->once && oc_span_has(c->at, t->N, k)) return true;
  }
  return false;
}

void oc_output_rows_put_step(const oc_transcription *t, oc_triplets *s, int k) {
  const int ny = t->task.outputs.y.ny, n = t->n;
  if (!ny || t->h < 0 || !t->out_asked[k]) return;

  // each velocity once, even if it moves several outputs
  for (int j = 0; j < n; j++) {
    bool met = false;
    for (int i = 0; i < ny; i++)
      met = met || (t->out_rated[i] && t->out_mask[i * n + j] && costs_over_time(t, i, k));
    if (met) oc_put(s, t->h, find_velocity(t, k) + j, t->out_vh[j]);
  }
}
