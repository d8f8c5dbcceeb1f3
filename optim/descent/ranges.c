#include "optim/descent/ranges.h"

#include "lib/base/block.h"

#include <assert.h>
#include <stdlib.h>
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

static oc_range limit_input(const oc_task *t, int i) {
  return (oc_range){.low = limit_or(t->u_min, i, -INFINITY), .high = limit_or(t->u_max, i, INFINITY), .last = t->N - 1};
}

static int count_inputs(const oc_task *t) {
  return dm_system_inputs(&t->system);
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
    [OC_RANGE_INPUT] = {count_inputs, limit_input, false},
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
  for (int of = 0; of < OC_RANGE_KINDS; of++) {
    if (of == OC_RANGE_INPUT && ((w->n == 0 && !t->free_time) || getenv("NOINPUT"))) break;
    for (int i = 0; i < kinds[of].count(t); i++) put_limits(w, t, (oc_ranged)of, i);
  }
}

static void lay_out_limits(void *self, dm_block *b) {
  oc_ranges *w = self;
  size_t n = (size_t)w->n, all = ((size_t)w->N + 1) * n;
  w->row = dm_block_alloc(b, n, sizeof *w->row);
  w->g = dm_block_alloc(b, all, sizeof *w->g);
  w->y = dm_block_alloc(b, 2 * all, sizeof *w->y);
  w->pull = dm_block_alloc(b, all, sizeof *w->pull);
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

// One end of a row: e = g - high + y/rho, or low - g + y/rho. Its slope is rho times the smoothed
// larger of e and 0, (e + r)/2 with r^2 = e^2 + 4 kappa; s = (r - e)/2 is how far within the end.
typedef struct end {
  double y, e, sign; // sign: of e by g
  bool none;
} end;

static end find_end(const oc_ranges *w, int k, int i, double g, int high) {
  const oc_range *row = &w->row[i];
  end x = {.y = w->y[2 * ((size_t)k * (size_t)w->n + (size_t)i) + (size_t)high]};
  double at = high ? row->high : row->low;
  x.sign = high ? 1 : -1;
  x.none = !isfinite(at);
  x.e = x.sign * (g - at) + x.y / w->penalty;
  return x;
}

// (e + r)/2 without cancellation
static double smooth_beyond(const oc_ranges *w, double e) {
  double r = sqrt(e * e + 4 * w->smooth);
  return e >= 0 ? (e + r) / 2 : 2 * w->smooth / (r - e);
}

double oc_ranges_value(const oc_ranges *w, int k, int i, double g) {
  double sum = 0, rho = w->penalty;
  for (int high = 0; high < 2; high++) {
    end x = find_end(w, k, i, g, high);
    if (x.none) continue;
    double beyond = smooth_beyond(w, x.e), within = beyond - x.e;
    sum += 0.5 * rho * (beyond * beyond - x.y * x.y / (rho * rho));
    if (w->smooth > 0) sum -= rho * w->smooth * log(within);
  }
  return sum;
}

double oc_ranges_slope(const oc_ranges *w, int k, int i, double g) {
  double sum = 0;
  for (int high = 0; high < 2; high++) {
    end x = find_end(w, k, i, g, high);
    if (!x.none) sum += x.sign * w->penalty * smooth_beyond(w, x.e);
  }
  return sum;
}

double oc_ranges_weight(const oc_ranges *w, int k, int i, double g) {
  double sum = 0;
  for (int high = 0; high < 2; high++) {
    end x = find_end(w, k, i, g, high);
    if (x.none) continue;
    double beyond = smooth_beyond(w, x.e), r = 2 * beyond - x.e;
    if (r > 0) sum += w->penalty * beyond / r;
  }
  return sum;
}

double oc_ranges_pull(const oc_ranges *w, int k, int i, double g) {
  const double *y = w->y + 2 * ((size_t)k * (size_t)w->n + (size_t)i);
  (void)y, (void)g;
  return w->pull[(size_t)k * (size_t)w->n + (size_t)i];
}

void oc_ranges_count(oc_ranges *w, int k, int i, double g) {
  if (w->row[i].of == OC_RANGE_INPUT) return;
  for (int high = 0; high < 2; high++) {
    end x = find_end(w, k, i, g, high);
    if (x.none) continue;
    double change = smooth_beyond(w, x.e) - x.y / w->penalty;
    w->miss = fmax(w->miss, fabs(change));
    w->gap += change * change;
  }
}

void oc_ranges_multiply(oc_ranges *w, int k, int i, double g) {
  if (w->row[i].of == OC_RANGE_INPUT) return;
  double *y = w->y + 2 * ((size_t)k * (size_t)w->n + (size_t)i), next[2];
  for (int high = 0; high < 2; high++) {
    end x = find_end(w, k, i, g, high);
    next[high] = x.none ? 0 : w->penalty * smooth_beyond(w, x.e);
  }
  y[0] = next[0];
  y[1] = next[1];
}

double oc_ranges_excess(const oc_ranges *w, int i, double g) {
  const oc_range *row = &w->row[i];
  double beyond = fmax(fmax(g - row->high, row->low - g), 0);
  return 0.5 * beyond * beyond;
}
