#include "optim/descent/ranges.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

// minimum fraction of a multiplier, and of its distance from rho, that remains after a step;
// largest factor from the barrier's value
static const double KEPT = 0.01, FAR = 1e10;

static double limit_or(const double *bound, int i, double none) {
  return bound ? bound[i] : none;
}

static bool is_given_end(const double *end, int i) {
  return end && !isnan(end[i]);
}

static bool is_kinematic_limit(const oc_task *t, int i) {
  return t->system.kinematic && t->system.kinematic[i];
}

void oc_ranges_input(const oc_task *t, int j, double *low, double *high) {
  *low = limit_or(t->u_min, j, -INFINITY);
  *high = limit_or(t->u_max, j, INFINITY);
  for (int i = 0, kin = t->system.nu; t->system.nk && i < t->system.L.nq; i++) {
    if (!t->system.kinematic[i] || kin++ != j) continue;
    *low = fmax(*low, limit_or(t->q_min, i, -INFINITY));
    *high = fmin(*high, limit_or(t->q_max, i, INFINITY));
  }
}

// -- kinds of limits: number of entries, and the row of each

static oc_range limit_position(const oc_task *t, int i) {
  oc_range row = {.low = limit_or(t->q_min, i, -INFINITY), .high = limit_or(t->q_max, i, INFINITY)};
  row.first = 1;
  row.last = is_given_end(t->q_goal, i) ? t->N - 1 : t->N; // a given goal is within its bounds
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
  if (is_kinematic_limit(t, i)) row.last = 0; // only the limit in steps applies
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
  bool per_step; // its range is multiplied by h
} kinds[OC_RANGE_KINDS] = {
    [OC_RANGE_POSITION] = {count_coordinates, limit_position, false},
    [OC_RANGE_MOVE] = {count_coordinates, limit_move, true},
    [OC_RANGE_SPEED] = {count_coordinates, limit_speed, false},
    [OC_RANGE_IMPULSE] = {count_constraints, limit_impulse, false},
    [OC_RANGE_CHANGE] = {count_forces, limit_change, true},
    [OC_RANGE_PATH] = {count_paths, limit_path, false},
};

// -- the rows

// size of a range: half of it, or its only finite end
static double measure_range(double low, double high) {
  if (isfinite(low) && isfinite(high) && high > low) return (high - low) / 2;
  double end = isfinite(low) ? fabs(low) : fabs(high);
  return end > 0 ? end : 1;
}

// scale the row by its range
static void put_limit(oc_ranges *w, double unit, oc_range row) {
  row.unit = unit;
  row.low /= unit;
  row.high /= unit;
  if (w->row) w->row[w->n] = row;
  w->n++;
}

// row i of a kind: none if unlimited, two if its range is multiplied by a free step
static void put_limits(oc_ranges *w, const oc_task *t, oc_ranged of, int i) {
  oc_range row = kinds[of].row(t, i);
  row.of = of;
  row.i = i;
  if (row.first > row.last || (row.low == -INFINITY && row.high == INFINITY)) return;
  double unit = measure_range(row.low, row.high), h = oc_task_step(t), most = row.high;
  const bool impulse = of == OC_RANGE_IMPULSE; // an impulse has two directions
  row.sizeless =
      (row.low == 0 || row.high == 0) && (impulse || row.low == -INFINITY || row.high == INFINITY);
  if (row.sizeless && impulse) unit *= h;
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
  w->row = dm_block_alloc(b, n, sizeof *w->row);
  w->g = dm_block_alloc(b, all, sizeof *w->g);
  w->y = dm_block_alloc(b, 2 * all, sizeof *w->y);
}

dm_status oc_ranges_new(oc_ranges **out, const oc_task *task) {
  assert(out && task);
  oc_ranges sizes = {.N = task->N};
  list_limits(&sizes, task);
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_limits);
  if (!*out) return DM_NO_MEMORY;
  oc_ranges *w = *out;
  list_limits(w, task);
  for (int i = 0; i < w->n; i++) {
    int ends = isfinite(w->row[i].low) + isfinite(w->row[i].high);
    w->ends += ends * (w->row[i].last - w->row[i].first + 1);
  }
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

void oc_ranges_resize(oc_ranges *w, int i, double size) {
  oc_range *row = &w->row[i];
  if (!row->sizeless || !(size > 0) || !isfinite(size)) return;
  row->unit *= size;
  row->low /= size;
  row->high /= size;
}

// -- barrier of a row

// One end of a row, c = g - high or low - g <= 0, with slacks s, t > 0 of its elastic barrier and
// the slope mu/s by c, which is the barrier's multiplier.
typedef struct range_end {
  bool none;
  double sign; // derivative of c by g
  double c, s, t;
} range_end;

static size_t at_range_end(const oc_ranges *w, int k, int i, int high) {
  return 2 * ((size_t)k * (size_t)w->n + (size_t)i) + (size_t)high;
}

// s and t = s + c from mu/s + mu/t = rho: both roots without cancellation, by s t = mu (2 mu +
// r)/rho^2
static range_end find_range_end(const oc_ranges *w, int i, double g, int high) {
  const oc_range *row = &w->row[i];
  const double mu = w->barrier, rho = w->elastic, at = high ? row->high : row->low;
  range_end x = {.none = !isfinite(at), .sign = high ? 1 : -1};
  if (x.none) return x;

  x.c = x.sign * (g - at);
  double e = rho * x.c, r = sqrt(4 * mu * mu + e * e), product = mu * (2 * mu + r) / (rho * rho);
  double larger = (2 * mu + fabs(e) + r) / (2 * rho);
  x.s = e > 0 ? product / larger : larger;
  x.t = e > 0 ? larger : product / larger;
  return x;
}

double oc_ranges_value(oc_ranges *w, int i, double g) {
  double sum = 0;
  for (int high = 0; high < 2; high++) {
    range_end x = find_range_end(w, i, g, high);
    if (x.none) continue;
    sum += w->elastic * x.t - w->barrier * (log(x.t) + log(x.s));
    if (!(x.c <= w->residual)) w->residual = x.c; // also NaN
  }
  return sum;
}

double oc_ranges_slope(const oc_ranges *w, int i, double g) {
  double sum = 0;
  for (int high = 0; high < 2; high++) {
    range_end x = find_range_end(w, i, g, high);
    if (!x.none) sum += x.sign * w->barrier / x.s;
  }
  return sum;
}

double oc_ranges_pull(const oc_ranges *w, int k, int i) {
  const double *y = w->y + at_range_end(w, k, i, 0);
  return y[1] - y[0];
}

// d(multiplier)/dc of an end, from Newton's method for y s = mu, (rho - y) t = mu, t - s = c
static double find_end_weight(const oc_ranges *w, const range_end *x, double y) {
  return 1 / (x->s / y + x->t / (w->elastic - y));
}

double oc_ranges_weight(const oc_ranges *w, int k, int i, double g) {
  double sum = 0;
  for (int high = 0; high < 2; high++) {
    range_end x = find_range_end(w, i, g, high);
    if (!x.none) sum += find_end_weight(w, &x, w->y[at_range_end(w, k, i, high)]);
  }
  return sum;
}

void oc_ranges_begin(oc_ranges *w, int k, int i, double g) {
  for (int high = 0; high < 2; high++) {
    range_end x = find_range_end(w, i, g, high);
    w->y[at_range_end(w, k, i, high)] = x.none ? 0 : w->barrier / x.s;
  }
}

void oc_ranges_multiply(oc_ranges *w, int k, int i, double g, double next, double a) {
  const double rho = w->elastic;
  for (int high = 0; high < 2; high++) {
    range_end x = find_range_end(w, i, g, high), to = find_range_end(w, i, next, high);
    double *y = &w->y[at_range_end(w, k, i, high)];
    if (x.none) continue;

    // Newton step, with the constant part times a; keep at least KEPT of the distance to 0 and to
    // rho
    double new = *y + a *(w->barrier / x.s - *y) + find_end_weight(w, &x, *y) * (to.c - x.c);
    new = fmin(fmax(new, KEPT * *y), rho - KEPT * (rho - *y));

    // keep within a factor FAR of the barrier's value
    double low = w->barrier / to.s, high_left = w->barrier / to.t; // low + high_left = rho
    new = fmin(fmax(new, low / FAR), rho - high_left / FAR);
    *y = fmin(new, fmin(FAR * low, rho - high_left / FAR));
    *y = fmax(*y, rho - FAR * high_left);
  }
}
