#include "optim/task/between_knots.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/driven_output.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// samples per step: a parabola's extremum is missed by at most 1/256 of its sag
enum { SAMPLES = 16 };

bool oc_between_has(const oc_outputs *o, int N, int i) {
  const oc_output_limit *l = &o->limits[i];
  int first, last;
  oc_span_knots(l->at, N, &first, &last);
  if (!(l->low < l->high)) return false;
  if (oc_outputs_driven(o, l->output)) return dm_driven_outputs_varies(&o->y, l->output);
  return last > first && !dm_output_map_is_rated(&o->y, l->output);
}

double oc_between_unit(const oc_outputs *o, int i) {
  const oc_output_limit *l = &o->limits[i];
  double size = 1;
  if (!oc_outputs_driven(o, l->output)) return size;
  if (isfinite(l->low)) size = fmax(size, fabs(l->low));
  if (isfinite(l->high)) size = fmax(size, fabs(l->high));
  return size;
}

// index of one side of a limit (low 0, high 1) in arrays with `count` entries per side
static size_t find_side(int limit, int side, int count) {
  return (size_t)(2 * limit + side) * (size_t)count;
}

static void lay_out_between(void *self, dm_block *b) {
  oc_between *w = self;
  const oc_outputs *o = &w->task->outputs;
  const size_t sides = 2 * (size_t)o->nlimits, N = (size_t)w->task->N;
  const size_t n = (size_t)w->task->system.L.nq;
  w->beyond = dm_block_alloc(b, sides * N, sizeof *w->beyond);
  w->room = dm_block_alloc(b, sides * (N + 1), sizeof *w->room);
  w->before = dm_block_alloc(b, sides * (N + 1), sizeof *w->before);
  w->sample = dm_block_alloc(b, (SAMPLES + 1) * (size_t)o->y.ny, sizeof *w->sample);
  w->mean = dm_block_alloc(b, (size_t)o->y.ny, sizeof *w->mean);
  w->state = dm_block_alloc(b, 4 * n, sizeof *w->state);
  w->lambda = dm_block_alloc(b, (size_t)o->y.impulses, sizeof *w->lambda);
  const size_t driven = dm_driven_outputs_scratch(&o->y, w->task->system.nu);
  w->scratch = dm_block_alloc(b, driven > o->y.scratch ? driven : o->y.scratch, 1);
}

dm_status oc_between_new(oc_between **out, const oc_task *task) {
  oc_between sizes = {.task = task, .limit = -1};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_between);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_between_free(oc_between *w) {
  dm_block_free(w);
}

// -- measuring a motion

// the cubic through q and v [2n] at both ends of a piece of duration dt, evaluated at fraction s; into state
// [2n]
static void find_cubic(int n, const double *a, const double *b, double dt, double s,
                       double *state) {
  const double s2 = s * s, s3 = s2 * s;
  for (int i = 0; i < n; i++) {
    const double q0 = a[i], q1 = b[i], m0 = dt * a[n + i], m1 = dt * b[n + i];
    state[i] = (2 * s3 - 3 * s2 + 1) * q0 + (s3 - 2 * s2 + s) * m0 + (3 * s2 - 2 * s3) * q1 +
               (s3 - s2) * m1;
    state[n + i] =
        (6 * (s2 - s) * (q0 - q1) + (3 * s2 - 4 * s + 1) * m0 + (3 * s2 - 2 * s) * m1) / dt;
  }
}

// absolute position Q = q + lag v and velocity at knot k, into state [2n]
static void find_knot(const oc_between *w, const dm_trajectory *x, int k, double *state) {
  const double *lag = w->task->system.lag;
  const double *q = dm_row(x->q, k, x->n), *v = dm_row(x->v, k, x->n);
  for (int i = 0; i < x->n; i++) {
    state[i] = q[i] + (lag ? lag[i] * v[i] : 0);
    state[x->n + i] = v[i];
  }
}

// step k at the fraction s, with its inputs and impulses; its ends are those of the knots
static dm_step find_step(const oc_between *w, const dm_trajectory *x, int k, double s) {
  for (int c = 0; c < w->task->outputs.y.impulses; c++)
    w->lambda[c] = dm_grid_impulse(x->grid, k) * dm_row(x->lambda, k, x->nc)[c];
  return (dm_step){.q0 = dm_row(x->q, k, x->n),
                   .q1 = dm_row(x->q, k + 1, x->n),
                   .u = dm_row(x->u, k, x->nu),
                   .h = dm_trajectory_step(x, k),
                   .time = {dm_trajectory_within(x, k, s), x->N * x->h},
                   .lambda = w->lambda};
}

// the means over step k of the driven outputs; the program's rows bound these means
static dm_status find_means(oc_between *w, const dm_trajectory *x, int k) {
  const dm_step step = find_step(w, x, k, 0.5);
  const dm_output_map *map = &w->task->outputs.y;
  const dm_status s = dm_driven_outputs_eval(map, x->nu, w->scratch, &step, w->mean, NULL);
  return s == DM_NOT_FINITE ? DM_OK : s;
}

// the outputs at a state [2n] in a step, NULL: without driven ones; NAN if an output has no value
static dm_status sample_state(oc_between *w, const double *at, dm_step *step, double *value) {
  const dm_output_map *map = &w->task->outputs.y;
  for (int i = 0; i < map->ny; i++) value[i] = NAN;
  dm_status s = dm_output_map_eval(map, w->scratch, at, at + map->n, value, NULL, NULL);
  if (!step || (s < 0 && s != DM_NOT_FINITE)) return s == DM_NOT_FINITE ? DM_OK : s;
  step->q0 = at;
  step->q1 = at + map->n;
  s = dm_driven_outputs_now(map, w->task->system.nu, w->scratch, step, value);
  return s == DM_NOT_FINITE ? DM_OK : s;
}

// the outputs at all samples of step k
static dm_status sample_step(oc_between *w, const dm_trajectory *x, int k, int parts,
                             const double *y) {
  const dm_output_map *map = &w->task->outputs.y;
  const bool driven = oc_outputs_driven_at(&w->task->outputs, x->N, k);
  const int n = x->n, each = SAMPLES / parts;
  double *knot = w->state, *at = w->state + 2 * n;
  find_knot(w, x, k, knot);
  if (driven) DM_TRY(find_means(w, x, k));
  for (int j = 0; j <= SAMPLES; j++) {
    // the piece that contains sample j; sample 0 is at the knot
    const int piece = j < SAMPLES ? j / each : parts - 1;
    const double *end = y + (size_t)(k * parts + piece + 1) * 2 * (size_t)n;
    const double *begin = piece ? end - 2 * n : knot;
    double *value = w->sample + j * map->ny;
    find_cubic(n, begin, end, dm_trajectory_step(x, k) / parts, (double)(j - piece * each) / each,
               at);
    dm_step step = find_step(w, x, k, (double)j / SAMPLES);
    DM_TRY(sample_state(w, at, driven ? &step : NULL, value));
  }
  return DM_OK;
}

// how far y exceeds one side of a limit at this time, in steps from the start
static double pass_by(const oc_output_limit *l, int side, double steps, double y) {
  const double off = y - oc_output_limit_reference(l, steps);
  const double by = side ? off - l->high : l->low - off;
  return isnan(by) ? INFINITY : by;
}

// the same for sample j of step k
static double find_excess(const oc_between *w, const oc_output_limit *l, int side, int k, int j) {
  const double y = w->sample[j * w->task->outputs.y.ny + l->output];
  return pass_by(l, side, k + (double)j / SAMPLES, y);
}

// the largest excess of step k over one side of limit i: at a sample, or at the vertex of the parabola
// through the largest sample and its neighbors; also updates the worst excess of the motion
static double find_worst(oc_between *w, int i, int side, int k) {
  const oc_output_limit *l = &w->task->outputs.limits[i];
  double most = -INFINITY;
  int at = 0;

  // the largest sample
  for (int j = 0; j <= SAMPLES; j++) {
    const double by = find_excess(w, l, side, k, j);
    if (!(by > most)) continue;
    most = by;
    at = j;
  }

  // the vertex of the parabola through it and its neighbors
  double where = at;
  if (at > 0 && at < SAMPLES && isfinite(most)) {
    const double a = find_excess(w, l, side, k, at - 1), c = find_excess(w, l, side, k, at + 1);
    const double bend = 2 * most - a - c;
    if (bend > 0 && isfinite(bend)) {
      where += (c - a) / (2 * bend);
      most += (c - a) * (c - a) / (8 * bend);
    }
  }

  // is it the worst so far?
  const oc_outputs *o = &w->task->outputs;
  if (w->limit < 0 || most / oc_between_unit(o, i) > w->excess / oc_between_unit(o, w->limit)) {
    const double from = oc_output_limit_reference(l, k + where / SAMPLES);
    w->limit = i;
    w->excess = most;
    w->at = k + where / SAMPLES;
    w->value = side ? from + l->high + most : from + l->low - most;
  }
  return most;
}

// the room that the program's bounds leave at knot k, or in step k, for output value y
static void find_room(oc_between *w, int i, int k, double y) {
  const oc_outputs *o = &w->task->outputs;
  const int N = w->task->N;
  for (int side = 0; side < 2; side++)
    w->room[find_side(i, side, N + 1) + (size_t)k] =
        -pass_by(&o->limits[i], side, k, y) - oc_outputs_margin(o, N, i, side, k);
}

// limit i in step k, if it applies there
static void measure_limit(oc_between *w, int i, int k) {
  const oc_outputs *o = &w->task->outputs;
  const int N = w->task->N, row = o->limits[i].output;
  const bool driven = oc_outputs_driven(o, row);
  int first, last;
  oc_outputs_span(o, row, o->limits[i].at, N, &first, &last);
  const int last_step = driven ? last : last - 1;
  if (k < first || k > last_step || !oc_between_has(o, N, i)) return;
  for (int side = 0; side < 2; side++)
    w->beyond[find_side(i, side, N) + (size_t)k] = find_worst(w, i, side, k);

  // the step of a power, or the knot at its start; after the last step also the final knot
  find_room(w, i, k, driven ? w->mean[row] : w->sample[row]);
  if (!driven && k == last_step) find_room(w, i, last, w->sample[SAMPLES * o->y.ny + row]);
}

dm_status oc_between_measure(oc_between *w, const dm_trajectory *x, int parts, const double *y) {
  const oc_outputs *o = &w->task->outputs;
  const int N = w->task->N;
  assert(x->N == N && parts >= 1 && SAMPLES % parts == 0);
  w->limit = -1;
  for (size_t j = 0; j < 2 * (size_t)o->nlimits * (size_t)N; j++) w->beyond[j] = -INFINITY;

  // step by step, all limits whose span contains the step
  for (int k = 0; k < N; k++) {
    DM_TRY(sample_step(w, x, k, parts, y));
    for (int i = 0; i < o->nlimits; i++) measure_limit(w, i, k);
  }
  return DM_OK;
}

// -- margins

// the excess over one side of a limit in the steps beside knot k, or in step k of a power; 0 if it is within
// `allowed`
static double find_missing(const oc_between *w, int i, int side, int k, double allowed) {
  const oc_outputs *o = &w->task->outputs;
  const int N = w->task->N;
  const double *steps = w->beyond + find_side(i, side, N);
  const bool both = k > 0 && !oc_outputs_driven(o, o->limits[i].output);
  const double before = both ? steps[k - 1] : -INFINITY, after = k < N ? steps[k] : -INFINITY;
  const double most = fmax(before, after);
  return most > allowed * oc_between_unit(o, i) && isfinite(most) ? most : 0;
}

// are all coordinates that move an output prescribed at that knot, an end?
static bool is_given(const oc_task *t, int output, int k) {
  const double *q = k == 0 ? t->start.q : t->goal.q;
  if ((k > 0 && k < t->N) || oc_outputs_driven(&t->outputs, output)) return false;
  for (int j = 0; j < t->outputs.y.n; j++)
    if (dm_output_map_moves(&t->outputs.y, output, j) && (!q || isnan(q[j]))) return false;
  return true;
}

// how much to narrow a bound for this excess; the bound of a power scales with its mean, so that the worst
// moment of the step ends up at the limit
static double find_narrowing(const oc_between *w, int i, int side, int k, double missing) {
  const oc_outputs *o = &w->task->outputs;
  const oc_output_limit *l = &o->limits[i];
  const int N = w->task->N;
  if (!oc_outputs_driven(o, l->output)) return missing;
  const double room = w->room[find_side(i, side, N + 1) + (size_t)k];
  const double left = room + oc_outputs_margin(o, N, i, side, k);
  const double limit = oc_output_limit_reference(l, k) + (side ? l->high : l->low);
  const double mean = side ? limit - left : limit + left;
  const double worst = side ? limit + missing : limit - missing;
  return room + missing * fmin(fmax(mean / worst, 0), 1);
}

// narrow one side of limit i at knot k; returns true if the bound changed
static bool narrow_bound(oc_between *w, int i, int side, int k, double allowed) {
  const oc_outputs *o = &w->task->outputs;
  const int output = o->limits[i].output;
  const size_t at = find_side(i, side, w->task->N + 1) + (size_t)k;
  const double missing = find_missing(w, i, side, k, allowed);

  // skip bounds that the motion already satisfies with this margin, and those of given values
  const double by = find_narrowing(w, i, side, k, missing);
  if (missing == 0 || !(by > w->room[at]) || is_given(w->task, output, k)) return false;

  // the limits on the output must leave a nonempty range
  const double margin = o->margins[at];
  double low, high;
  o->margins[at] += by;
  oc_outputs_range(o, w->task->N, output, k, true, &low, &high);
  if (low < high) return true;
  o->margins[at] = margin;
  return false;
}

int oc_between_raise(oc_between *w, double allowed, bool ends) {
  const oc_outputs *o = &w->task->outputs;
  const int N = w->task->N;
  int narrowed = 0;
  assert(o->margins);
  memcpy(w->before, o->margins, 2 * (size_t)o->nlimits * (size_t)(N + 1) * sizeof *w->before);
  for (int i = 0; i < o->nlimits; i++) {
    // all steps of a power, or all knots
    const bool driven = oc_outputs_driven(o, o->limits[i].output), all = ends || driven;
    const int from = all ? 0 : 1, to = driven || !all ? N - 1 : N;
    for (int side = 0; side < 2; side++)
      for (int k = from; k <= to; k++) narrowed += narrow_bound(w, i, side, k, allowed);
  }
  return narrowed;
}

void oc_between_lower(oc_between *w) {
  const oc_outputs *o = &w->task->outputs;
  const size_t count = 2 * (size_t)o->nlimits * (size_t)(w->task->N + 1);
  memcpy(o->margins, w->before, count * sizeof *w->before);
}
