#include "optim/starts/phases_guess.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "optim/starts/guess.h"
#include "optim/starts/inverse_kinematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double entry_or_free(const double *x, int i) {
  return x ? x[i] : NAN;
}

static int find_named_coordinate(const oc_task *t, const char *name) {
  for (int i = 0; i < t->system.L.nq; i++)
    if (!strcmp(t->coord_name[i], name)) return i;
  return -1;
}

// the next given value of a coordinate from phase i's goal on, and the time until then from its start
static double find_given_value(const oc_phases_task *t, int i, int coord, double *time) {
  const char *name = t->task[i]->coord_name[coord];
  *time = 0;
  for (int k = i; k < t->n; k++) {
    const int c = find_named_coordinate(t->task[k], name);
    if (c < 0) return NAN;
    if (k > i && !isnan(entry_or_free(t->task[k]->start.q, c))) return t->task[k]->start.q[c];
    *time += t->task[k]->time.T;
    if (!isnan(entry_or_free(t->task[k]->goal.q, c))) return t->task[k]->goal.q[c];
  }
  return NAN;
}

// the initial state that the join passes to phase i, for its free entries: q, v [n]
static dm_status hand_on(const oc_phases_task *t, int i, const dm_trajectory *before, double *q,
                         double *v) {
  const oc_join *join = &t->join[i - 1];
  const dm_holonomic *f = &join->before;
  const int m = before->n;
  const double *q_a = before->q + before->N * m, *v_a = before->v + before->N * m;
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)f->nc, sizeof(double));
  dm_block_alloc(&b, (size_t)(f->nc * m), sizeof(double));
  dm_block_alloc(&b, f->scratch, 1);
  DM_TRY(dm_block_new(&b));
  double *y = dm_block_alloc(&b, (size_t)f->nc, sizeof *y);
  double *y_q = dm_block_alloc(&b, (size_t)(f->nc * m), sizeof *y_q);
  void *scratch = dm_block_alloc(&b, f->scratch, 1);

  // y, y_q v of functions, otherwise the coordinate's own
  const dm_status s = f->nc ? f->eval(f->self, scratch, q_a, y, y_q) : DM_OK;
  for (int p = 0; s == DM_OK && p < join->npairs; p++) {
    const int from = join->pairs[p].before, to = join->pairs[p].after, row = -1 - from;
    if (to < 0) continue;
    double rate = 0;
    for (int k = 0; from < 0 && k < m; k++) rate += y_q[row * m + k] * v_a[k];
    const double sign = oc_pair_sign(&join->pairs[p]);
    if (isnan(q[to])) q[to] = sign * (from < 0 ? y[row] : q_a[from]);
    if (isnan(v[to])) v[to] = sign * (from < 0 ? rate : v_a[from]);
  }
  dm_block_free(b.base);
  return s;
}

// the goal of phase i if it is free: on the way to the next given value
static void head_on(const oc_phases_task *t, int i, const double *start, double *goal) {
  const oc_task *task = t->task[i];
  const bool free = oc_is_waypoint(task, task->N); // the outputs determine the position
  for (int c = 0; !free && c < task->system.L.nq; c++) {
    double time;
    if (!isnan(goal[c])) continue;
    const double later = find_given_value(t, i, c, &time);
    const double from = isnan(start[c]) ? later : start[c];
    goal[c] = from + (later - from) * task->time.T / time; // NAN: it does not move
  }
}

// a random free goal within the limits of positions
static void wander_off(const oc_task *task, uint64_t seed, int i, const double *start,
                       double *goal) {
  const double spread = 0.7; // of a coordinate's typical travel
  for (int c = 0; seed && c < task->system.L.nq; c++) {
    if (!isnan(entry_or_free(task->goal.q, c)) || isnan(start[c])) continue;
    const double way = spread * oc_task_way(task, c);
    goal[c] = (isnan(goal[c]) ? start[c] : goal[c]) + way * dm_random_normal(seed, i, (uint64_t)c);
    if (task->bounds[OC_Q].low) goal[c] = fmax(goal[c], oc_low(task, OC_Q, c));
    if (task->bounds[OC_Q].high) goal[c] = fmin(goal[c], oc_high(task, OC_Q, c));
  }
}

// the line of phase i between completed ends; ends: [3 n] workspace
static dm_status draw_phase(const oc_phases_task *t, int i, uint64_t seed,
                            dm_trajectory *const *motion, double *ends) {
  oc_task task = *t->task[i];
  const int n = task.system.L.nq;
  double *q_start = ends, *v_start = ends + n, *q_goal = ends + 2 * n;
  for (int c = 0; c < n; c++) {
    q_start[c] = entry_or_free(task.start.q, c);
    v_start[c] = entry_or_free(task.start.v, c);
    q_goal[c] = entry_or_free(task.goal.q, c);
  }
  if (i > 0) DM_TRY(hand_on(t, i, motion[i - 1], q_start, v_start));
  head_on(t, i, q_start, q_goal);
  wander_off(t->task[i], seed, i, q_start, q_goal);
  task.start.q = q_start;
  task.start.v = v_start;
  task.goal.q = q_goal;
  return oc_guess_line(&task, motion[i]);
}

dm_status oc_phases_guess(const oc_phases_task *t, uint64_t seed, dm_trajectory *const *motion) {
  int most = 0;
  for (int i = 0; i < t->n; i++)
    most = t->task[i]->system.L.nq > most ? t->task[i]->system.L.nq : most;
  double *ends = calloc(3 * (size_t)most, sizeof *ends);
  dm_status s = ends ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < t->n; i++) s = draw_phase(t, i, seed, motion, ends);
  free(ends);
  return s;
}
