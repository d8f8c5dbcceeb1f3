#include "optim/descent/ranges.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

// minimum fraction of a multiplier, and of its distance from rho, that remains after a step;
// largest factor from the barrier's value
static const double KEPT = 0.01, FAR = 1e10;

void oc_ranges_input(const oc_task *t, int j, double *low, double *high) {
  *low = oc_low(t, OC_U, j);
  *high = oc_high(t, OC_U, j);
  for (int i = 0, kin = t->system.nu; t->system.nk && i < t->system.L.nq; i++) {
    if (!t->system.kinematic[i] || kin++ != j) continue;
    *low = fmax(*low, oc_low(t, OC_Q, i));
    *high = fmin(*high, oc_high(t, OC_Q, i));
  }
}

// -- kinds of limits

// The bounded quantity, the first step or knot, and whether the range is multiplied by h, or also stands at the
// last knot, unless its goal is given, which is within its bounds.
static const struct limit_kind {
  oc_quantity of;
  int first;
  bool per_step, at_goal;
} kinds[OC_RANGE_PATH] = {
    [OC_RANGE_POSITION] = {.of = OC_Q, .first = 1, .at_goal = true},
    [OC_RANGE_MOVE] = {.of = OC_V, .per_step = true}, // |q_{k+1} - q_k| <= v_max h
    [OC_RANGE_SPEED] = {.of = OC_V, .first = 1, .at_goal = true},
    [OC_RANGE_IMPULSE] = {.of = OC_LAMBDA},
    [OC_RANGE_CHANGE] = {.of = OC_RATE,
                         .first = 1,
                         .per_step = true}, // |u_k - u_{k-1}| <= rate_max h
};

static oc_range limit_row(const oc_task *t, oc_ranged of, int i) {
  oc_range row = {.of = of, .i = i, .last = t->N - 1};
  if (of == OC_RANGE_PATH) {
    row.low = t->functions.paths[i].low;
    row.high = t->functions.paths[i].high;
    return row;
  }
  const struct limit_kind *kind = &kinds[of];
  row.low = oc_low(t, kind->of, i);
  row.high = oc_high(t, kind->of, i);
  row.first = kind->first;
  if (!kind->at_goal) return row;

  // a kinematic coordinate has the limits of its input, and of its speed in steps
  if (t->system.kinematic && t->system.kinematic[i])
    row.last = 0;
  else if (!oc_given(of == OC_RANGE_POSITION ? t->goal.q : t->goal.v, i))
    row.last = t->N;
  return row;
}

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
  oc_range row = limit_row(t, of, i);
  if (row.first > row.last || (row.low == -INFINITY && row.high == INFINITY)) return;
  double unit = measure_range(row.low, row.high), h = oc_task_step(t), most = row.high;
  const bool impulse = of == OC_RANGE_IMPULSE; // an impulse has two directions
  row.sizeless =
      (row.low == 0 || row.high == 0) && (impulse || row.low == -INFINITY || row.high == INFINITY);
  if (row.sizeless && impulse) unit *= h;
  if (of == OC_RANGE_PATH || !kinds[of].per_step) {
    put_limit(w, unit, row);
    return;
  }

  unit *= h;
  if (!t->time.free) {
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
    const int rows = of == OC_RANGE_PATH ? t->functions.npaths : oc_task_size(t, kinds[of].of);
    for (int i = 0; i < rows; i++) put_limits(w, t, (oc_ranged)of, i);
  }
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
