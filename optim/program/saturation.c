#include "optim/program/saturation.h"

#include <assert.h>
#include <math.h>

// the quantity of each kind; tolerances for being at a limit, as a fraction of its range, and the minimum
// duration, as a fraction of the motion
static const struct {
  oc_quantity of;
  double near, share;
} rules[OC_LIMIT_KINDS] = {
    [OC_LIMIT_STRAIN] = {OC_U, 0.5, 0.5},        [OC_LIMIT_INPUT] = {OC_U, 0.1, 0.5},
    [OC_LIMIT_SPEED] = {OC_V, 0.1, 0.5},         [OC_LIMIT_POSITION] = {OC_Q, 1e-3, 0.1},
    [OC_LIMIT_IMPULSE] = {OC_LAMBDA, 1e-3, 0.1}, [OC_LIMIT_TIME] = {.near = 1e-2, .share = 1},
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

// Entry i of a kind, and how often the motion is at its limits; infinite ones, and those that leave no
// freedom, are ignored.
static oc_limit measure_limit(const oc_task *task, const dm_trajectory *x, oc_limit_kind kind,
                              int i) {
  const oc_quantity of = rules[kind].of;
  const double *const values[OC_QUANTITIES] = {
      [OC_Q] = x->q, [OC_V] = x->q, [OC_U] = x->u, [OC_LAMBDA] = x->lambda};
  const int n = of == OC_U ? x->nu : of == OC_LAMBDA ? x->nc : x->n;
  oc_limit l = {.kind = kind, .index = i, .low = oc_low(task, of, i), .high = oc_high(task, of, i)};
  if (!(isfinite(l.low) || isfinite(l.high)) || !(l.low < l.high)) return l;

  // steps, or knots whose position is not prescribed by an end
  int first = 0, last = x->N - 1;
  if (of == OC_Q) {
    first = oc_given(task->start.q, i) ? 1 : 0;
    last = oc_given(task->goal.q, i) ? x->N - 1 : x->N;
  }
  for (int k = first; k <= last; k++) {
    const double *value = values[of] + (size_t)k * (size_t)n + i;
    count_value(&l, of == OC_V ? (value[n] - value[0]) / dm_trajectory_step(x, k) : value[0]);
  }
  return l;
}

int oc_saturation_find(const oc_task *task, const dm_trajectory *x, oc_limit *out, int room) {
  assert(task && x && room >= 0 && (out || room == 0));
  int count = 0;

  // inputs: at their limits, or otherwise strained
  for (int i = 0; i < x->nu; i++) {
    oc_limit l = measure_limit(task, x, OC_LIMIT_INPUT, i);
    if (!is_met(&l)) l = measure_limit(task, x, OC_LIMIT_STRAIN, i);
    count = insert_limit(&l, out, count, room);
  }

  // speeds and positions of coordinates, impulses, the time
  for (int i = 0; i < 2 * x->n; i++) {
    const oc_limit_kind kind = i % 2 ? OC_LIMIT_POSITION : OC_LIMIT_SPEED;
    const oc_limit l = measure_limit(task, x, kind, i / 2);
    count = insert_limit(&l, out, count, room);
  }
  for (int c = 0; c < x->nc; c++) {
    const oc_limit l = measure_limit(task, x, OC_LIMIT_IMPULSE, c);
    count = insert_limit(&l, out, count, room);
  }
  if (!task->time.free) return count;
  oc_limit time = {.kind = OC_LIMIT_TIME, .low = task->time.min, .high = task->time.max};
  count_value(&time, x->N * x->h);
  return insert_limit(&time, out, count, room);
}
