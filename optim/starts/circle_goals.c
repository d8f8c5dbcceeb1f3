#include "optim/starts/circle_goals.h"

#include "optim/task/lagrangian_image.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

int oc_find_circles(const oc_task *t, const dm_model *m, bool *circle) {
  assert(t && m && circle);
  const int n = t->system.L.nq;
  int count = 0;
  memset(circle, 0, (size_t)n * sizeof *circle);
  if (!t->goal.q || m->nq != n || t->system.hol.nc || t->functions.nterms || t->functions.npaths ||
      oc_task_has_via(t))
    return 0;

  oc_image *w = NULL;
  double *turned = calloc((size_t)n, sizeof *turned);
  if (!turned || oc_image_new(&w, t) != DM_OK) {
    free(turned);
    return 0;
  }

  // its kind, its limits, its weights, and then the effect of a revolution on L
  for (int i = 0; i < n; i++) {
    if (m->kind[i] != DM_TURN || isnan(t->goal.q[i])) continue;
    if (t->system.kinematic && t->system.kinematic[i]) continue;
    if (!dm_range_is_none(oc_task_range(t, OC_Q, i))) continue;
    if (oc_weight(t->cost[OC_Q].running, i) > 0 || oc_weight(t->cost[OC_Q].goal, i) > 0) continue;
    turned[i] = TURN;
    circle[i] = oc_image_is_alike(w, 1, turned);
    turned[i] = 0;
    count += circle[i];
  }
  oc_image_free(w);
  free(turned);
  return count;
}

// are entries zero, or free?
static bool is_zero(const double *x, int n) {
  for (int i = 0; x && i < n; i++)
    if (!isnan(x[i]) && x[i] != 0) return false;
  return true;
}

static bool is_symmetric(const oc_task *t, oc_quantity of) {
  for (int i = 0; i < oc_task_size(t, of); i++)
    if (oc_low(t, of, i) != -oc_high(t, of, i)) return false;
  return true;
}

// does each motion have a mirror image, (q, v, u) times -1, that is a motion with the same cost?
static bool has_mirror(const oc_task *t) {
  const int n = t->system.L.nq;
  oc_image *w;
  if (!is_zero(t->start.q, n) || !is_zero(t->start.v, n) || !is_zero(t->goal.v, n)) return false;
  for (int of = 0; of < OC_QUANTITIES; of++)
    if (t->cost[of].reference) return false;
  if (t->functions.nterms || t->functions.npaths || oc_task_has_via(t)) return false;
  if (t->system.force.count || t->system.hol.nc) return false;
  if (!is_symmetric(t, OC_Q) || !is_symmetric(t, OC_U)) return false;
  if (oc_image_new(&w, t) != DM_OK) return false;
  const bool alike = oc_image_is_alike(w, -1, NULL);
  oc_image_free(w);
  return alike;
}

// the distance of a goal from the start, as a sum of squares
static double measure_way(const oc_task *t, const int *turns) {
  double way = 0;
  for (int i = 0; i < t->system.L.nq; i++) {
    const double from = oc_given(t->start.q, i) ? t->start.q[i] : t->goal.q[i];
    const double d = isnan(t->goal.q[i]) ? 0 : t->goal.q[i] + TURN * turns[i] - from;
    way += d * d;
  }
  return way;
}

// is the mirror image of these revolutions among the goals?
static bool is_mirrored(const oc_circle_goals *g, const oc_task *t, const int *turns) {
  for (int k = 0; k < g->count; k++) {
    const int *other = g->turns + (size_t)k * (size_t)g->n;
    bool same = true;
    for (int i = 0; i < g->n && same; i++)
      // q + 2 pi a = -(q + 2 pi b)
      same = isnan(t->goal.q[i]) || fabs(2 * t->goal.q[i] + TURN * (turns[i] + other[i])) <= 1e-9;
    if (same) return true;
  }
  return false;
}

// insert a goal in order among those after the first; drop the farthest if the list is full
static void insert_goal(oc_circle_goals *g, const oc_task *t, const int *turns, double *way) {
  const size_t n = (size_t)g->n;
  const double d = measure_way(t, turns);
  int at = g->count;
  while (at > 1 && way[at - 1] > d) at--;
  if (at >= OC_CIRCLE_GOALS) return;
  const int last = g->count < OC_CIRCLE_GOALS ? g->count++ : OC_CIRCLE_GOALS - 1;
  for (int k = last; k > at; k--) {
    way[k] = way[k - 1];
    memcpy(g->turns + (size_t)k * n, g->turns + (size_t)(k - 1) * n, n * sizeof *g->turns);
  }
  way[at] = d;
  memcpy(g->turns + (size_t)at * n, turns, n * sizeof *turns);
}

dm_status oc_circle_goals_new(oc_circle_goals *out, const oc_task *t, const bool *circle,
                              const int *turns, int nturns) {
  assert(out && t && circle && turns && nturns >= 1);
  const int n = t->system.L.nq;
  double way[OC_CIRCLE_GOALS] = {0};
  *out = (oc_circle_goals){.n = n, .count = 1};

  // revolutions, goals, and those of one more
  out->turns = calloc((size_t)(OC_CIRCLE_GOALS + 1) * (size_t)n, sizeof *out->turns);
  out->q = calloc((size_t)OC_CIRCLE_GOALS * (size_t)n, sizeof *out->q);
  if (!out->turns || !out->q) {
    oc_circle_goals_free(out);
    return DM_NO_MEMORY;
  }
  int *next = out->turns + (size_t)OC_CIRCLE_GOALS * (size_t)n;

  // all combinations of revolutions except mirror images; with too many joints, those of the first ones
  const bool mirror = t->goal.q && has_mirror(t);
  long all = 1;
  for (int i = 0; i < n && all < 100000; i++) all *= circle[i] ? nturns : 1;
  for (long k = 0; k < all; k++) {
    // the revolutions of goal number `at` among all combinations
    long at = k;
    bool own = true;
    for (int i = 0; i < n; i++) {
      next[i] = 0;
      if (!circle[i]) continue;
      next[i] = turns[at % nturns];
      at /= nturns;
      own = own && next[i] == 0;
    }
    if (!own && !(mirror && is_mirrored(out, t, next))) insert_goal(out, t, next, way);
  }

  // q_goal + 2 pi revolutions; free entries stay free
  for (int k = 0; k < out->count; k++)
    for (int i = 0; i < n; i++) {
      const double q = t->goal.q ? t->goal.q[i] : NAN;
      out->q[k * n + i] = out->turns[k * n + i] ? q + TURN * out->turns[k * n + i] : q;
    }
  return DM_OK;
}

void oc_circle_goals_free(oc_circle_goals *g) {
  free(g->turns);
  free(g->q);
  *g = (oc_circle_goals){.n = 0};
}
