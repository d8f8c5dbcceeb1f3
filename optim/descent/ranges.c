#include "optim/descent/ranges.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

static double limit_or(const double *bound, int i, double none) {
  return bound ? bound[i] : none;
}

static bool is_given_end(const double *end, int i) {
  return end && !isnan(end[i]);
}

static bool is_kinematic_limit(const oc_task *t, int i) {
  return t->system.kinematic && t->system.kinematic[i];
}

// -- the kinds: how many entries each has, and its row of one of them

static oc_range limit_position(const oc_task *t, int i) {
  oc_range row = {.low = limit_or(t->q_min, i, -INFINITY), .high = limit_or(t->q_max, i, INFINITY)};
  row.first = 1;
  row.last = is_given_end(t->q_goal, i) ? t->N - 1 : t->N; // which is within its bounds
  if (is_kinematic_limit(t, i)) row.last = 0;
  return row;
}

// |q_{k+1} - q_k| <= v_max h
static oc_range limit_move(const oc_task *t, int i) {
  double most = limit_or(t->v_max, i, INFINITY);
  return (oc_range){.low = -most, .high = most, .last = t->N - 1};
}

static oc_range limit_speed(const oc_task *t, int i) {
  double most = limit_or(t->v_max, i, INFINITY);
  oc_range row = {.low = -most, .high = most, .first = 1};
  row.last = is_given_end(t->v_goal, i) ? t->N - 1 : t->N;
  if (is_kinematic_limit(t, i)) row.last = 0; // the step's is all that it has
  return row;
}

static oc_range limit_impulse(const oc_task *t, int i) {
  return (oc_range){.low = limit_or(t->lambda_min, i, -INFINITY),
                    .high = limit_or(t->lambda_max, i, INFINITY),
                    .last = t->N - 1};
}

// |u_k - u_{k-1}| <= rate_max h
static oc_range limit_change(const oc_task *t, int i) {
  double most = limit_or(t->rate_max, i, INFINITY);
  return (oc_range){.low = -most, .high = most, .first = 1, .last = t->N - 1};
}

static oc_range limit_path(const oc_task *t, int i) {
  return (oc_range){.low = t->paths[i].low, .high = t->paths[i].high, .last = t->N - 1};
}

static int count_coordinates(const oc_task *t) {
  return t->system.L.nq;
}

static int count_constraints(const oc_task *t) {
  return t->system.hol.nc;
}

static int count_forces(const oc_task *t) {
  return t->system.nu;
}

static int count_paths(const oc_task *t) {
  return t->npaths;
}

static const struct limit_kind {
  int (*count)(const oc_task *t);
  oc_range (*row)(const oc_task *t, int i);
  bool per_step; // its range is times h
} kinds[OC_RANGE_KINDS] = {
    [OC_RANGE_POSITION] = {count_coordinates, limit_position, false},
    [OC_RANGE_MOVE] = {count_coordinates, limit_move, true},
    [OC_RANGE_SPEED] = {count_coordinates, limit_speed, false},
    [OC_RANGE_IMPULSE] = {count_constraints, limit_impulse, false},
    [OC_RANGE_CHANGE] = {count_forces, limit_change, true},
    [OC_RANGE_PATH] = {count_paths, limit_path, false},
};

// -- the rows

// the size of a range: half of it, or the end that there is
static double measure_range(double low, double high) {
  if (isfinite(low) && isfinite(high) && high > low) return (high - low) / 2;
  double end = isfinite(low) ? fabs(low) : fabs(high);
  return end > 0 ? end : 1;
}

// the row in units of its range
static void put_limit(oc_ranges *w, double unit, oc_range row) {
  row.unit = unit;
  row.low /= unit;
  row.high /= unit;
  if (w->row) w->row[w->n] = row;
  w->n++;
}

// row i of a kind: none where it limits nothing, two where its range is times a step that is free
static void put_limits(oc_ranges *w, const oc_task *t, oc_ranged of, int i) {
  oc_range row = kinds[of].row(t, i);
  row.of = of;
  row.i = i;
  if (row.first > row.last || (row.low == -INFINITY && row.high == INFINITY)) return;
  double unit = measure_range(row.low, row.high), h = oc_task_step(t), most = row.high;
  if (of == OC_RANGE_IMPULSE && (row.low == 0 || row.high == 0)) unit *= h; // it pushes or pulls
  if (!kinds[of].per_step) {
    put_limit(w, unit, row);
    return;
  }

  unit *= h;
  if (!t->free_time) {
    row.high = most * h;
    row.low = -row.high;
    put_limit(w, unit, row);
    return;
  }

  // g - most h <= 0 <= g + most h
  row.by_step = most;
  row.low = -INFINITY;
  row.high = 0;
  put_limit(w, unit, row);
  row.by_step = -most;
  row.low = 0;
  row.high = INFINITY;
  put_limit(w, unit, row);
}

static void list_limits(oc_ranges *w, const oc_task *t) {
  w->n = 0;
  for (int of = 0; of < OC_RANGE_KINDS; of++)
    for (int i = 0; i < kinds[of].count(t); i++) put_limits(w, t, (oc_ranged)of, i);
}

static void lay_out_limits(void *self, dm_block *b) {
  oc_ranges *w = self;
  size_t n = (size_t)w->n, all = ((size_t)w->N + 1) * n;
  w->row = dm_take(b, n, sizeof *w->row);
  w->g = dm_take(b, all, sizeof *w->g);
  w->y = dm_take(b, all, sizeof *w->y);
}

dm_status oc_ranges_new(oc_ranges **out, const oc_task *task) {
  assert(out && task);
  oc_ranges sizes = {.N = task->N};
  list_limits(&sizes, task);
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_limits);
  if (!*out) return DM_NO_MEMORY;
  list_limits(*out, task);
  return DM_OK;
}

void oc_ranges_free(oc_ranges *w) {
  dm_block_free(w);
}

bool oc_ranges_ask_speed(const oc_ranges *w) {
  for (int i = 0; i < w->n; i++)
    if (w->row[i].of == OC_RANGE_SPEED) return true;
  return false;
}

// how far x is beyond the row's range
static double go_beyond(const oc_range *row, double x) {
  if (x < row->low) return x - row->low;
  return x > row->high ? x - row->high : 0 * x; // what is no number stays none
}

double oc_ranges_beyond(const oc_ranges *w, int k, int i, double g) {
  return go_beyond(&w->row[i], g + w->y[(size_t)k * (size_t)w->n + (size_t)i] / w->penalty);
}

double oc_ranges_pull(const oc_ranges *w, int k, int i, double g) {
  double y = w->y[(size_t)k * (size_t)w->n + (size_t)i];
  if (w->bend == 0) return y;
  return y + w->bend * (w->penalty * oc_ranges_beyond(w, k, i, g) - y);
}

double oc_ranges_merit(oc_ranges *w, int k, int i, double g) {
  double y = w->y[(size_t)k * (size_t)w->n + (size_t)i], rho = w->penalty;
  double beyond = oc_ranges_beyond(w, k, i, g);

  // the change g - nearest(g + y/rho), which is (pi - y)/rho
  double change = beyond - y / rho;
  w->miss = fmax(w->miss, fabs(change));
  w->gap += change * change;
  return 0.5 * (rho * beyond * beyond - y * y / rho);
}

double oc_ranges_excess(const oc_ranges *w, int i, double g) {
  double beyond = go_beyond(&w->row[i], g);
  return 0.5 * beyond * beyond;
}
