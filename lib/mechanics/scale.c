#include "lib/mechanics/scale.h"

#include "lib/base/block.h"
#include "lib/mechanics/mass_matrix.h"

#include <assert.h>
#include <math.h>

static const double SHORT = 1e-3;  // of the longest distance: shorter ones are ignored
static const double LIGHT = 1e-12; // of the largest M q^2: below this, a coordinate counts as
                                   // massless

typedef struct scale_work {
  dm_scale scale; // result
  int n;
  const dm_system *system;
  const dm_scale_task *task;
  double *at;   // [n] position
  double *mass; // [n]
  double *pull; // [n] |L_q| at zero velocity
} scale_work;

static void lay_out_scale(void *self, dm_block *b) {
  scale_work *w = self;
  double **of[] = {&w->scale.q, &w->scale.v, &w->scale.p, &w->at, &w->mass, &w->pull};
  for (int i = 0; i < 6; i++) *of[i] = dm_block_alloc(b, (size_t)w->n, sizeof(double));
}

static double entry_or(const double *a, int i, double other) {
  return a && !isnan(a[i]) ? a[i] : other;
}

static bool is_size(double x) {
  return x > 0 && isfinite(x) && isfinite(1 / x);
}

static bool is_length(const scale_work *w, int i) {
  const bool *constant = w->task->constant;
  return w->system->length && w->system->length[i] && !(constant && constant[i]);
}

// half the range of coordinate i; INFINITY if unbounded
static double find_half_range(const scale_work *w, int i) {
  const dm_range q = dm_bounds_at(w->task->q, i);
  return (q.high - q.low) / 2;
}

// distance of coordinate i from start to goal; NAN if unknown
static double find_way(const scale_work *w, int i) {
  const dm_scale_task *t = w->task;
  const double way = entry_or(t->q_goal, i, NAN) - entry_or(t->q_start, i, NAN);
  return fabs(entry_or(t->travel, i, way));
}

// update the maxima of M_ii and |L_q| at zero velocity with the start or the goal
static dm_status measure_mass(scale_work *w, dm_mass_matrix *M, const double *end,
                              const double *other) {
  const dm_scale_task *t = w->task;
  // position: the given end, else the other end, else the middle of the range
  for (int i = 0; i < w->n; i++) {
    const dm_range q = dm_bounds_at(t->q, i);
    const double middle = isfinite(q.low) && isfinite(q.high) ? (q.low + q.high) / 2 : 0;
    w->at[i] = entry_or(end, i, entry_or(other, i, fmin(fmax(middle, q.low), q.high)));
  }
  dm_mass_matrix_place(M, w->at);
  const dm_status s = dm_mass_matrix_eval(M);
  for (int i = 0; s == DM_OK && i < w->n; i++) {
    const double mass = M->jet.L_vv[i * w->n + i], pull = fabs(M->jet.L_q[i]);
    if (is_size(mass)) w->mass[i] = fmax(w->mass[i], mass);
    if (is_size(pull)) w->pull[i] = fmax(w->pull[i], pull);
  }
  return s == DM_NO_MEMORY ? s : DM_OK;
}

// The length of a robot whose coordinates give none: its radius of gyration, or the distance that
// gravity moves it in the horizon.
static double find_length(const scale_work *w) {
  double turning = 0, sliding = 0, fall = 0;
  for (int i = 0; i < w->n; i++) {
    double *largest = is_length(w, i) ? &sliding : &turning;
    *largest = fmax(*largest, w->mass[i]);
    if (is_length(w, i) && w->mass[i] > 0)
      fall = fmax(fall, w->pull[i] / w->mass[i] * w->task->time * w->task->time);
  }
  if (is_size(turning / sliding)) return sqrt(turning / sliding);
  if (is_size(fall)) return fall;
  return is_size(w->task->reach) ? w->task->reach : 1;
}

// 1. lengths from ends and ranges
static void scale_ways(scale_work *w) {
  double longest = 0;
  for (int i = 0; i < w->n; i++)
    if (is_length(w, i) && is_size(find_way(w, i))) longest = fmax(longest, find_way(w, i));
  for (int i = 0; i < w->n; i++) {
    const double way = find_way(w, i), half = find_half_range(w, i);
    const bool constant = w->task->constant && w->task->constant[i];
    double *q = &w->scale.q[i];
    *q = is_length(w, i) ? 0 : 1;
    if (constant) *q = is_size(half) ? half : fmax(fabs(entry_or(w->task->q_start, i, 1)), 0);
    if (!is_length(w, i)) continue;
    if (is_size(half)) *q = half;
    if (is_size(way) && way >= SHORT * longest) *q = way;
    w->scale.length = fmax(w->scale.length, *q);
  }
}

dm_status dm_scale_new(dm_scale **out, const dm_system *s, const dm_scale_task *task) {
  assert(out && s && task && task->time > 0);
  *out = NULL;
  scale_work sizes = {.n = s->L.nq, .system = s, .task = task, .scale = {.time = task->time}};
  scale_work *w = dm_block_make(&sizes, sizeof sizes, lay_out_scale);
  if (!w) return DM_NO_MEMORY;

  dm_mass_matrix *M = NULL;
  dm_status status = dm_mass_matrix_new(&M, &s->L);
  if (status == DM_OK) status = measure_mass(w, M, task->q_start, task->q_goal);
  if (status == DM_OK) status = measure_mass(w, M, task->q_goal, task->q_start);
  dm_mass_matrix_free(M);
  if (status != DM_OK) {
    dm_block_free(w);
    return status;
  }
  scale_ways(w);

  // 2. remaining lengths: the robot's length
  bool any = false;
  for (int i = 0; i < w->n; i++) any |= is_length(w, i);
  if (any && !is_size(w->scale.length)) w->scale.length = find_length(w);
  for (int i = 0; i < w->n; i++)
    if (!is_size(w->scale.q[i])) w->scale.q[i] = is_length(w, i) ? w->scale.length : 1;

  // 3. velocities and momenta; a massless coordinate gets the largest inertia
  const double *q = w->scale.q;
  double largest = 0;
  for (int i = 0; i < w->n; i++) largest = fmax(largest, w->mass[i] * q[i] * q[i]);
  if (!is_size(largest)) largest = 1;
  for (int i = 0; i < w->n; i++) {
    const bool light = w->mass[i] * q[i] * q[i] < LIGHT * largest;
    const double mass = light ? largest / (q[i] * q[i]) : w->mass[i];
    w->scale.v[i] = q[i] / w->scale.time;
    w->scale.p[i] = mass * q[i] / w->scale.time;
  }

  w->system = NULL; // borrowed; no longer valid
  w->task = NULL;
  *out = &w->scale;
  return DM_OK;
}

void dm_scale_free(dm_scale *w) {
  dm_block_free(w);
}
