#include "control/loop/follow.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// reference length of a coordinate that hardly moves: in rad, or in lengths of the robot
static const double LEAST_STEP = 1e-3;
// reference length for short steps: share of the range of motion, and number of steps
static const double RANGE_SHARE = 0.02, MOST_STEPS = 4;

void fb_follow_input(const dm_trajectory *x, const dm_system *s, int k, double to, double *u) {
  const double *planned = dm_row(x->u, k, x->nu);
  assert(k >= 0 && k < x->N);

  // forces are a zero-order hold
  for (int i = 0; i < s->nu; i++) u[i] = planned[i];

  // a kinematic coordinate moves linearly to its position at the end of the step
  const double *q = dm_row(x->q, k, x->n);
  for (int i = 0, j = s->nu; s->nk && i < x->n; i++) {
    if (!s->kinematic[i]) continue;
    u[j] = q[i] + to * (planned[j] - q[i]);
    j++;
  }
}

typedef struct follower {
  const dm_trajectory *x;
  const dm_system *s;
  const fb_plant *plant;
  const dm_limits *limit;
  const double *range;
  fb_following *out;
  dm_continuous *mechanics;
  int parts, inner, n;
  double *state; // [2n] (q,p) of the plant
  double *plan;  // [n] position of the plan's knot
  double *unit;  // [n] of fb_following.share
  double *u;     // [nu]
  double *y, *U; // owned by the caller
} follower;

static void lay_out_follower(void *self, dm_block *b) {
  follower *w = self;
  w->state = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->state);
  w->plan = dm_block_alloc(b, (size_t)w->n, sizeof *w->plan);
  w->unit = dm_block_alloc(b, (size_t)w->n, sizeof *w->unit);
  w->u = dm_block_alloc(b, (size_t)w->x->nu, sizeof *w->u);
}

// put the plant at the plan's knot k
static void set_plant_to_knot(follower *w, int k) {
  size_t n = (size_t)w->n, bytes = n * sizeof *w->state;
  memcpy(w->state, dm_row(w->x->q, k, n), bytes);
  memcpy(w->state + n, dm_row(w->x->p, k, n), bytes);
}

// step k from one fraction to another, in `inner` steps, with the plan's inputs there
static dm_status step_plant_part(follower *w, int k, double from, double to) {
  // kinematic coordinates move in every inner step
  const double each = (to - from) / w->inner;
  for (int i = 0; i < w->inner; i++) {
    fb_follow_input(w->x, w->s, k, from + (i + 1) * each, w->u);
    DM_TRY(w->plant->step(w->plant->self, w->state, w->u, each * dm_trajectory_step(w->x, k)));
  }
  return DM_OK;
}

// (q,v) of the plant into y [2n]: its physical position and velocity
static dm_status find_plant_velocity(follower *w, double *y) {
  memset(y + w->n, 0, (size_t)w->n * sizeof *y);
  return dm_configuration_of(w->mechanics, w->state, y, y + w->n);
}

// compare the state (q,v) with the limits
static void compare_state_with_limits(follower *w, const double *y, double t) {
  const dm_limits *l = w->limit;
  fb_excess_add(&w->out->position, w->n, y, l->q.low, l->q.high, t);
  fb_excess_add_size(&w->out->speed, w->n, y + w->n, l->v.high, t);
}

double fb_gap_unit(const dm_trajectory *x, int i, double range, double size) {
  const double *q = x->q + i;
  double step = 0, low = q[0], high = q[0];
  for (int k = 0; k < x->N; k++) {
    const double here = q[(size_t)k * (size_t)x->n], next = q[(size_t)(k + 1) * (size_t)x->n];
    step = fmax(step, fabs(next - here));
    low = fmin(low, next);
    high = fmax(high, next);
  }

  // a share of the range, at most the plan's travel or a few steps
  const double share = fmin(RANGE_SHARE * range, fmin(high - low, MOST_STEPS * step));
  return fmax(step, share) + LEAST_STEP * size;
}

// the distance between x [n] and the plan at knot k, in units [n] (NULL: their own)
static void find_gap(fb_gap *gap, int n, const double *x, const double *plan, const double *unit,
                     int k) {
  for (int i = 0; i < n; i++) {
    double off = fabs(x[i] - plan[i]);
    if (unit) off /= unit[i];
    if (off > gap->size || gap->index < 0) *gap = (fb_gap){off, i, k};
  }
}

// the rest of a step that the plant could not take
static void record_failed_step(follower *w, int k, double *y, int pieces) {
  // the later states are unknown, and the gaps infinite from the next knot on
  for (int i = 0; i < 2 * w->n * pieces; i++) y[i] = NAN;
  if (w->out->failed < 0) w->out->failed = k;
  w->out->q = w->out->v = w->out->share = (fb_gap){INFINITY, 0, k + 1};
}

// step k from its knot; its pieces go to y and u
static void follow_step(follower *w, int k, double *y, double *u) {
  const dm_trajectory *x = w->x;
  size_t n = (size_t)w->n, next = (size_t)(k + 1) * n;
  double *end = y;
  set_plant_to_knot(w, k);

  // piece by piece: its inputs and its final state are compared with their limits
  for (int piece = 0; piece < w->parts; piece++, end += 2 * n, u += x->nu) {
    double from = (double)piece / w->parts;
    double to = (piece + 1.) / w->parts;
    double t = dm_trajectory_within(x, k, to);
    dm_status s = step_plant_part(w, k, from, to);
    memcpy(u, w->u, (size_t)x->nu * sizeof *u);
    fb_excess_add(&w->out->input, x->nu, u, w->limit->u.low, w->limit->u.high, t);
    if (s == DM_OK) s = find_plant_velocity(w, end);
    if (s != DM_OK) {
      record_failed_step(w, k, end, w->parts - piece);
      return;
    }
    compare_state_with_limits(w, end, t);
  }

  // a plant that failed before has an infinite drift already
  end -= 2 * n;
  if (w->out->failed >= 0) return;

  // the gaps to the plan's next knot, at its physical position Q = q + lag v
  const double *lag = w->s->lag;
  for (int i = 0; i < w->n; i++)
    w->plan[i] = x->q[next + (size_t)i] + (lag ? lag[i] * x->v[next + (size_t)i] : 0);
  find_gap(&w->out->q, w->n, end, w->plan, NULL, k + 1);
  find_gap(&w->out->share, w->n, end, w->plan, w->unit, k + 1);
  find_gap(&w->out->v, w->n, end + n, x->v + next, NULL, k + 1);
}

static dm_status follow_plan(follower *w) {
  size_t n = (size_t)w->n, pieces = (size_t)w->parts, nu = (size_t)w->x->nu;

  // units of the coordinates
  const double *range = w->range;
  double length = 0;
  for (int k = 0; k <= w->x->N; k++)
    length = fmax(length, dm_system_length(w->s, w->x->q + (size_t)k * (size_t)w->n));
  for (int i = 0; i < w->n; i++) {
    const bool slides = w->s->length && w->s->length[i] && length > 0;
    w->unit[i] = fb_gap_unit(w->x, i, range ? range[i] : 0, slides ? length : 1);
  }

  // compare the plan's knots with the limits; row 0 of y is the first
  for (int k = 0; k <= w->x->N; k++) {
    set_plant_to_knot(w, k);
    DM_TRY(find_plant_velocity(w, w->y));
    compare_state_with_limits(w, w->y, dm_trajectory_time(w->x, k));
  }
  set_plant_to_knot(w, 0);
  DM_TRY(find_plant_velocity(w, w->y));

  // each step from its own knot, then all of them in one rollout
  for (size_t k = 0; k < (size_t)w->x->N; k++)
    follow_step(w, (int)k, w->y + (k * pieces + 1) * 2 * n, w->U + k * pieces * nu);

  // the whole plan in one rollout from its start, for the drift
  dm_status s = DM_OK;
  double *drift = &w->out->drift;
  set_plant_to_knot(w, 0);
  for (int k = 0; k < w->x->N && s == DM_OK; k++) {
    const double *plan = dm_row(w->x->q, k + 1, w->n);
    s = step_plant_part(w, k, 0, 1);
    for (int i = 0; s == DM_OK && i < w->n; i++) *drift = fmax(*drift, fabs(w->state[i] - plan[i]));
  }
  if (s != DM_OK) *drift = INFINITY;

  return DM_OK;
}

dm_status fb_follow(const dm_trajectory *x, const dm_system *s, const fb_plant *plant, int parts,
                    int inner, const dm_limits *limit, const double *range, double *y, double *u,
                    fb_following *out) {
  follower sizes = {.x = x,
                    .s = s,
                    .plant = plant,
                    .limit = limit,
                    .range = range,
                    .out = out,
                    .parts = parts,
                    .inner = inner,
                    .n = x->n,
                    .y = y,
                    .U = u};
  assert(limit && y && u && out && parts >= 1 && inner >= 1);

  // no values yet
  fb_gap none = {0, -1, -1};
  *out = (fb_following){.position = fb_excess_none(),
                        .speed = fb_excess_none(),
                        .input = fb_excess_none(),
                        .q = none,
                        .v = none,
                        .share = none,
                        .failed = -1};

  // the mechanics that convert the plant's momenta to velocities
  follower *w = dm_block_make(&sizes, sizeof sizes, lay_out_follower);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK) {
    status = follow_plan(w);
    dm_continuous_free(w->mechanics);
  }
  dm_block_free(w);
  return status;
}
