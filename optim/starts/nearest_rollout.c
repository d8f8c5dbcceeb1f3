#include "optim/starts/nearest_rollout.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "optim/starts/random_inputs.h"
#include "optim/starts/rollout.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  SAMPLES = 200,         // random motions,
  PERTURBATIONS = 200,   // and changes of the best one
  MOST_NUMBERS = 100000, // maximum N nq of a motion
  DRAW_SIZE = 1 << 20,   // random numbers per motion, besides those of its inputs
  DRAW_TIME = DRAW_SIZE + 2
};
static const double LEAST_SIZE = 0.1, MOST_SIZE = 3; // range of input sizes of random motions
static const double GROWS = 1.5, SHRINKS = 0.95;     // factors after a success, a failure
static const double LEAST_CHANGE = 1e-4;
static const double TIME_CHANGE = 0.3; // relative to the range of a free time, for a change of 1
static const double LIMITS = 4;        // weight of limits relative to ends

// a search and its workspace
typedef struct search {
  const oc_task *t;
  dm_del *del;
  dm_trajectory *best;
  double least, change; // the smallest error so far; the size of the next change
  double *y;            // [outputs.y.ny]
  void *scratch;
} search;

bool oc_has_nearest_rollout(const oc_task *t) {
  return t->system.nu > 0 && !t->periodic && t->N <= MOST_NUMBERS / t->system.L.nq;
}

static double square(double x) {
  return x * x;
}

// how far x is outside a range; either limit may be absent
static double find_excess(double x, const double *low, const double *high, int i) {
  const double below = low ? low[i] - x : 0, above = high ? x - high[i] : 0;
  return fmax(0, fmax(below, above));
}

// the error of an end; free entries have no error
static double miss_of(const double *asked, int i, double x) {
  return asked && !isnan(asked[i]) ? x - asked[i] : 0;
}

// the error of limits on outputs, knot by knot
static double measure_outputs(const search *w, const dm_trajectory *x) {
  const oc_outputs *o = &w->t->outputs;
  double sum = 0;
  for (int k = 0; o->nlimits > 0 && k <= x->N; k++) {
    const double *q = x->q + k * x->n, *v = x->v + k * x->n;
    if (oc_outputs_eval(o, x->N, k, w->scratch, q, v, w->y, NULL, NULL) != DM_OK) return INFINITY;
    for (int i = 0; i < o->nlimits; i++) {
      const oc_output_limit *l = &o->limits[i];
      int first, last;
      if (oc_outputs_driven(o, l->output) || !oc_span_has(l->at, x->N, k)) continue;
      oc_span_knots(l->at, x->N, &first, &last);
      sum += square(fmax(0, oc_output_limit_excess(l, k, w->y[l->output]))) / (last - first + 1);
    }
  }
  return sum;
}

// the scale for errors of coordinate i: 1 rad; for a length the robot's extent, or the coordinate's typical
// travel if the robot has no extent
static double find_size(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  return s->length && s->length[i] && s->extent > 0 ? s->extent : oc_task_way(t, i);
}

// the total error of a motion, as defined in the header
static double measure_miss(const search *w, const dm_trajectory *x) {
  const oc_task *t = w->t;
  const double half = 0.5 * x->h * x->N;
  const double *q = x->q + x->N * x->n, *v = x->v + x->N * x->n;
  double ends = 0, beyond = 0;
  for (int i = 0; i < x->n; i++) {
    const double size = find_size(t, i), pace = half / size;
    ends += square(miss_of(t->goal.q, i, q[i]) / size) + square(pace * miss_of(t->goal.v, i, v[i]));
    for (int k = 0; k <= x->N; k++) {
      const double speed = fabs(x->v[k * x->n + i]);
      beyond +=
          square(find_excess(x->q[k * x->n + i], t->bounds[OC_Q].low, t->bounds[OC_Q].high, i) /
                 size) /
          (x->N + 1);
      beyond += square(pace * find_excess(speed, NULL, t->bounds[OC_V].high, i)) / (x->N + 1);
    }
  }
  return ends + LIMITS * (beyond + measure_outputs(w, x));
}

// the final time of a random motion, or of a change of the best one
static double draw_time(const search *w, uint64_t seed, int number, bool anew) {
  const oc_task *t = w->t;
  if (!t->time.free) return t->time.T;
  const double part = dm_random_uniform(seed, number, DRAW_TIME), range = t->time.max - t->time.min;
  const double T = anew ? t->time.min + 0.5 * (1 + part) * range
                        : w->best->h * t->N + TIME_CHANGE * w->change * part * range;
  return fmin(t->time.max, fmax(t->time.min, T));
}

// one more motion; the best one is kept
static dm_status try_motion(search *w, uint64_t seed, int number, bool anew, dm_trajectory *x) {
  int failed;
  anew |= !isfinite(w->least);
  if (anew) {
    const double size = oc_guess_size(seed, number, DRAW_SIZE, LEAST_SIZE, MOST_SIZE);
    oc_random_inputs_draw(w->t, seed, number, size, x->u);
  } else {
    memcpy(x->u, w->best->u, (size_t)(x->N * x->nu) * sizeof *x->u);
    oc_random_inputs_add(w->t, seed, number, w->change, x->u);
  }
  oc_task_set_steps(w->t, draw_time(w, seed, number, anew) / w->t->N, x);
  const dm_status s = oc_rollout_follow(w->del, x, &failed);
  if (s == DM_NO_MEMORY) return s;

  const double miss = s == DM_OK && failed < 0 ? measure_miss(w, x) : INFINITY;
  const bool better = miss < w->least;
  if (!anew) w->change = fmin(1, fmax(LEAST_CHANGE, w->change * (better ? GROWS : SHRINKS)));
  if (!better) return DM_OK;
  w->least = miss;
  dm_trajectory_copy(w->best, x);
  return DM_OK;
}

dm_status oc_nearest_rollout(const oc_task *t, uint64_t seed, int number, oc_deadline *until,
                             dm_trajectory *x) {
  assert(t && x && x->N == t->N);
  search w = {.t = t, .least = INFINITY, .change = 1};
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)t->outputs.y.ny, sizeof *w.y);
  dm_block_alloc(&b, t->outputs.y.scratch + 1, 1);
  DM_TRY(dm_block_new(&b));
  w.y = dm_block_alloc(&b, (size_t)t->outputs.y.ny, sizeof *w.y);
  w.scratch = dm_block_alloc(&b, t->outputs.y.scratch + 1, 1);
  dm_status s = dm_trajectory_of(&w.best, t->N, &t->system);
  if (s == DM_OK) s = oc_rollout_begin(&w.del, t, x);
  if (s == DM_OK) dm_trajectory_copy(w.best, x);

  for (int i = 0; s == DM_OK && i < SAMPLES + PERTURBATIONS; i++) {
    if (oc_deadline_heed(until) != DM_OK) break;
    s = try_motion(&w, seed, number * (SAMPLES + PERTURBATIONS) + i, i < SAMPLES, x);
  }

  if (s == DM_OK) dm_trajectory_copy(x, w.best);
  oc_guess_prescribe(t, x);
  dm_del_free(w.del);
  dm_trajectory_free(w.best);
  dm_block_free(b.base);
  return s;
}
