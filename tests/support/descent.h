// tests/support/descent.h: a descent solver, and tasks for it.
#ifndef TESTS_SUPPORT_DESCENT_H
#define TESTS_SUPPORT_DESCENT_H
#include "optim/descent/descent.h"
#include "optim/starts/guess.h"
#include "optim/starts/rollout.h"
#include "tests/support/tasks.h"

enum { ROOM = 2000 };

typedef struct descent {
  dm_trajectory *x;
  oc_descent_row row[ROOM];
  oc_descent_info info;
  dm_message msg;
} descent;

static inline dm_trajectory *standing(const tasks_task *task) {
  dm_trajectory *x;
  assert_int_equal(dm_trajectory_of(&x, task->t.N, &task->t.system), DM_OK);
  assert_int_equal(oc_guess_rollout(&task->t, NULL, x), DM_OK);
  return x;
}

static inline oc_options settings(oc_method method) {
  oc_options set = oc_options_default();
  set.descent.method = method;
  return set;
}

static inline descent *descend_watched(const tasks_task *task, const oc_options *set,
                                       const oc_hooks *hooks) {
  descent *d = calloc(1, sizeof *d);
  d->x = standing(task);
  dm_status s = oc_descend(&task->t, set, hooks, d->x, d->row, ROOM, &d->info, &d->msg);
  assert_int_equal(s, d->info.status);
  return d;
}

static inline descent *descend(const tasks_task *task, const oc_options *set) {
  return descend_watched(task, set, NULL);
}

static inline void descent_free(descent *d) {
  dm_trajectory_free(d->x);
  free(d);
}

// the swing-up of paper 001: reference 0, then pi from half of the time; no goal
static inline tasks_task paper_task(void) {
  tasks_task x = tasks_pendulum(INFINITY);
  double *ref = tasks_reference(&x, 0);
  for (int k = 50; k <= 100; k++) ref[k] = TASKS_PI;
  x.t.goal.q = x.t.goal.v = NULL;
  x.t.sum = true;
  x.t.scales.pace = 1; // states and inputs then have weight 1, as in the paper
  x.t.cost[OC_Q].reference = ref;
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 50);
  x.t.cost[OC_Q].running = x.t.cost[OC_Q].goal = tasks_weight(&x, 1, 1, 1000);
  x.t.cost[OC_P].running = x.t.cost[OC_P].goal = tasks_weight(&x, 2, 1, 1);
  return x;
}

// replace the goal by a terminal cost
static inline tasks_task soften(tasks_task x) {
  int n = x.m->nq;
  double *ref = tasks_reference(&x, 0);
  for (int k = 0; k <= x.t.N; k++) memcpy(ref + k * n, x.t.goal.q, (size_t)n * sizeof *ref);
  x.t.goal.q = x.t.goal.v = NULL;
  x.t.bounds[OC_Q].low = x.t.bounds[OC_Q].high = x.t.bounds[OC_V].high = NULL;
  x.t.cost[OC_Q].reference = ref;
  x.t.cost[OC_Q].goal = tasks_weight(&x, 3, n, 20);
  x.t.cost[OC_V].goal = tasks_weight(&x, 4, n, 1);
  x.t.cost[OC_V].running = tasks_weight(&x, 5, n, 0.1);
  return x;
}
#endif
