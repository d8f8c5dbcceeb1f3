#include "optim/program/saturation.h"

#include <assert.h>
#include <math.h>

// tolerances for being at a limit, as a fraction of its range, and the minimum duration, as a fraction of the
// motion
static const struct {
  double near, share;
} rules[OC_LIMIT_KINDS] = {
    [OC_LIMIT_STRAIN] = {0.5, 0.5},   [OC_LIMIT_INPUT] = {0.1, 0.5},
    [OC_LIMIT_SPEED] = {0.1, 0.5},    [OC_LIMIT_POSITION] = {1e-3, 0.1},
    [OC_LIMIT_IMPULSE] = {1e-3, 0.1}, [OC_LIMIT_TIME] = {1e-2, 1},
};

// half the distance between two limits, or the magnitude of a single limit
static double half_range(double low, double high) {
  if (isfinite(low) && isfinite(high)) return (high - low) / 2;
  return isfinite(low) ? fabs(low) : fabs(high);
}

static void count_value(oc_limit *l, double value) {
  double near = rules[l->kind].near * half_range(l->low, l->high);
  l->of++;

  if (value - l->low <= near)
    l->at_low++;
  else if (l->high - value <= near)
    l->at_high++;
}

static bool is_met(const oc_limit *l) {
  return l->of > 0 && l->at_low + l->at_high >= rules[l->kind].share * l->of;
}

static double met_share(const oc_limit *l) {
  return (double)(l->at_low + l->at_high) / l->of;
}

// insert a limit into the list, after those that are active at least as long; if the list is full, drop the
// last
static int insert_limit(const oc_limit *l, oc_limit *out, int count, int room) {
  if (!is_met(l) || room == 0) return count;
  // its index, after those that are active at least as long
  int at = count;
  while (at > 0 && met_share(&out[at - 1]) < met_share(l)) at--;
  if (at == room) return count; // the list is full of longer ones
  if (count < room) count++;

  // the later ones move by one
  for (int i = count - 1; i > at; i--) out[i] = out[i - 1];
  out[at] = *l;
  return count;
}

// limits that are infinite, and those that leave no freedom, are ignored
static bool is_open(double low, double high) {
  return (isfinite(low) || isfinite(high)) && low < high;
}

// the bounds of entry i of a quantity
static oc_limit limit_of(const oc_task *t, oc_limit_kind kind, oc_quantity of, int i) {
  return (oc_limit){.kind = kind, .index = i, .low = oc_low(t, of, i), .high = oc_high(t, of, i)};
}

static oc_limit measure_input(const oc_task *task, const dm_trajectory *x, oc_limit_kind kind,
                              int i) {
  oc_limit l = limit_of(task, kind, OC_U, i);
  for (int k = 0; k < x->N && is_open(l.low, l.high); k++) count_value(&l, x->u[k * x->nu + i]);
  return l;
}

static oc_limit measure_speed(const oc_task *task, const dm_trajectory *x, int i) {
  oc_limit l = limit_of(task, OC_LIMIT_SPEED, OC_V, i);
  // (q_{k+1} - q_k)/h compared with -v_max and v_max
  for (int k = 0; k < x->N && is_open(l.low, l.high); k++)
    count_value(&l, (x->q[(k + 1) * x->n + i] - x->q[k * x->n + i]) / x->h);
  return l;
}

static oc_limit measure_position(const oc_task *task, const dm_trajectory *x, int i) {
  oc_limit l = limit_of(task, OC_LIMIT_POSITION, OC_Q, i);
  // knots whose position is not prescribed by an end
  int first = oc_given(task->start.q, i) ? 1 : 0;
  int last = oc_given(task->goal.q, i) ? x->N - 1 : x->N;
  for (int k = first; k <= last && is_open(l.low, l.high); k++) count_value(&l, x->q[k * x->n + i]);
  return l;
}

static oc_limit measure_impulse(const oc_task *task, const dm_trajectory *x, int c) {
  oc_limit l = limit_of(task, OC_LIMIT_IMPULSE, OC_LAMBDA, c);
  for (int k = 0; k < x->N && is_open(l.low, l.high); k++)
    count_value(&l, x->lambda[k * x->nc + c]);
  return l;
}

static oc_limit measure_time(const oc_task *task, const dm_trajectory *x) {
  oc_limit l = {.kind = OC_LIMIT_TIME, .low = task->time.min, .high = task->time.max};
  count_value(&l, x->N * x->h);
  return l;
}

int oc_saturation_find(const oc_task *task, const dm_trajectory *x, oc_limit *out, int room) {
  assert(task && x && room >= 0 && (out || room == 0));
  int count = 0;
  // inputs: at their limits, or otherwise strained
  for (int i = 0; i < x->nu; i++) {
    oc_limit l = measure_input(task, x, OC_LIMIT_INPUT, i);
    if (!is_met(&l)) l = measure_input(task, x, OC_LIMIT_STRAIN, i);
    count = insert_limit(&l, out, count, room);
  }

  // coordinates: speeds and positions
  for (int i = 0; i < x->n; i++) {
    oc_limit speed = measure_speed(task, x, i);
    oc_limit position = measure_position(task, x, i);
    count = insert_limit(&speed, out, count, room);
    count = insert_limit(&position, out, count, room);
  }

  // impulses, the time
  for (int c = 0; c < x->nc; c++) {
    oc_limit l = measure_impulse(task, x, c);
    count = insert_limit(&l, out, count, room);
  }
  if (!task->time.free) return count;
  oc_limit time = measure_time(task, x);
  return insert_limit(&time, out, count, room);
}
