// tests/optim/rows/test_ratio.c: costs per second and per way: the program at a price, known
// ratios, and that no other time or way does better.
#include "optim/rows/ratio.h"

#include "lib/multibody/output.h"
#include "optim/descent/descent.h"
#include "optim/solve.h"
#include "tests/support/tasks.h"

static dm_message msg;

static double solve_task(const oc_task *t, oc_solver_kind solver, dm_trajectory **motion,
                         oc_solve_info *info) {
  oc_setup set = oc_setup_default();
  set.options.method = solver;
  if (oc_solve(t, &set, motion, info, &msg) != DM_OK)
    fail_msg("%s, row %d by %g: %s", info->detail, info->worst_row, info->max_violation, msg.text);
  return info->objective;
}

static double solve_by_both(const oc_task *t, dm_trajectory **motion) {
  oc_solve_info info;
  const double stage = solve_task(t, OC_SOLVER_STAGE, motion, &info);
  if (oc_ipopt_is_built()) {
    dm_trajectory *other;
    assert_close(stage, solve_task(t, OC_SOLVER_IPOPT, &other, &info), 1e-8 * fabs(stage));
    dm_trajectory_free(other);
  }
  return stage;
}

// a periodic task of a cart-pole whose cart goes one way
static tasks_task make_task(const double *low, const double *high) {
  tasks_task task = tasks_cart_pole(20);
  oc_task *t = &task.t;
  task.m->damping[0] = 2;
  t->start.q = t->start.v = t->goal.q = t->goal.v = NULL;
  t->periodic = true;
  t->bounds[OC_TRAVEL].low = low;
  t->bounds[OC_TRAVEL].high = high;
  t->time.free = true;
  t->time.T = 1;
  t->time.min = 0.1;
  t->time.max = 5;
  t->time.weight = 8;
  return task;
}

// f = J - price D and its gradient, of a way in either direction and of a time
static void a_price_is_taken_off(void **state) {
  (void)state;
  const double low[] = {0.1, 0}, high[] = {1, 0}, back_low[] = {-1, 0}, back_high[] = {-0.1, 0};
  for (int way = 0; way < 3; way++) {
    tasks_task task = make_task(way == 1 ? back_low : low, way == 1 ? back_high : high);
    oc_transcription *p;
    task.t.per.of = way == 2 ? OC_PER_TIME : OC_PER_TRAVEL;
    assert_int_equal(oc_transcription_new(&p, &task.t, &msg), DM_OK);
    const int n = p->nlp.n;
    double *x = calloc((size_t)(3 * n), sizeof *x), *g = x + n, *g0 = g + n, f, f0;
    for (int i = 0; i < n; i++) x[i] = 0.3 + 0.2 * sin(i);
    const double D = oc_ratio_way(p, x);
    const double travel = x[oc_transcription_q(p, 20)] - x[0];
    assert_close(D, way == 2 ? 20 * x[p->h] : way == 1 ? -travel : travel, 1e-14);

    p->nlp.f(p, x, &f0);
    p->nlp.grad(p, x, g0);
    p->ratio_price = 3;
    p->nlp.f(p, x, &f);
    p->nlp.grad(p, x, g);
    assert_close(f, f0 - 3 * D, 1e-12);

    // D is linear: its slope along a direction is its change
    double slope = 0;
    for (int i = 0; i < n; i++) slope += (g[i] - g0[i]) * cos(2 * i);
    for (int i = 0; i < n; i++) x[i] += cos(2 * i);
    assert_close(slope, -3 * (oc_ratio_way(p, x) - D), 1e-12);
    free(x);
    oc_transcription_free(p);
    tasks_free(&task);
  }
}

// effort and 8 a second through friction of 2 N s/m: a metre costs 2 v + 8/v, 8 at 2 m/s; forwards and back
static void a_metre_costs_least_at_one_speed(void **state) {
  (void)state;
  const double low[] = {0.1, 0}, high[] = {1, 0}, back_low[] = {-1, 0}, back_high[] = {-0.1, 0};
  for (int back = 0; back < 2; back++) {
    tasks_task task = make_task(back ? back_low : low, back ? back_high : high);
    dm_trajectory *x;
    task.t.per.of = OC_PER_TRAVEL;
    assert_close(solve_by_both(&task.t, &x), 8, 1e-7);
    for (int k = 0; k <= 20; k++) assert_close(x->v[k * x->n], back ? -2 : 2, 1e-4);
    dm_trajectory_free(x);
    tasks_free(&task);
  }
}

static bool count_iteration(void *user, const oc_iterate *it) {
  *(int *)user += it->iteration > 0;
  return true;
}

// However few iterations there are, no more are taken, and what is called solved is the least ratio.
static void a_limit_of_iterations_is_kept(void **state) {
  (void)state;
  const double low[] = {0.1, 0}, high[] = {1, 0};
  tasks_task task = make_task(low, high);
  oc_setup set = oc_setup_default();
  int solved = 0, taken;
  set.options.method = OC_SOLVER_STAGE;
  set.hooks.watch = count_iteration;
  set.hooks.user = &taken;
  task.t.per.of = OC_PER_TRAVEL;
  for (set.options.max_iter = 1; set.options.max_iter < 60; set.options.max_iter++) {
    dm_trajectory *x = NULL;
    oc_solve_info info;
    taken = 0;
    const dm_status s = oc_solve(&task.t, &set, &x, &info, &msg);
    assert_true(s == DM_OK || s == DM_MAX_ITER);
    if (taken > set.options.max_iter) fail_msg("%d of %d iterations", taken, set.options.max_iter);
    assert_int_equal(taken, info.spent);
    if (s == DM_OK) assert_close(info.objective, 8, 1e-9);
    solved += s == DM_OK;
    dm_trajectory_free(x);
  }
  assert_true(solved > 0);
  tasks_free(&task);
}

// A pendulum that passes 1 rad once a period, with friction: mean effort is least at about its natural
// period. No other time, given, does better, and that one as well.
static void no_other_period_does_better(void **state) {
  (void)state;
  static const int pivot[] = {0};
  static const double weight[] = {1};
  const dm_output out = {
      .name = "way", .kind = DM_OUTPUT_SUM, .n = 1, .coord = pivot, .weight = weight};
  tasks_task task = tasks_make(models_pendulum(), 40, 1.5);
  oc_task *t = &task.t;
  const oc_output_limit via = {0, {0.5, 0.5}, 1, 1, NULL};
  dm_outputs *w;
  dm_trajectory *x, *y;
  oc_solve_info info;
  task.m->damping[0] = 0.3;
  assert_int_equal(dm_outputs_new(&w, task.m, 1, &out, &msg), DM_OK);
  const dm_holonomic signals = dm_outputs_signals(w);
  t->outputs =
      (oc_outputs){.y = dm_outputs_map(w, &signals, task.m->nq), .nlimits = 1, .limits = &via};
  t->start.q = t->start.v = t->goal.q = t->goal.v = NULL;
  t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  t->periodic = t->time.free = true;
  t->time.min = 0.5;
  t->time.max = 3.5;
  t->per.of = OC_PER_TIME;
  const double least = solve_by_both(t, &x), T = 40 * x->h;
  assert_close(T, 2 * TASKS_PI / sqrt(9.8), 0.2);

  t->time.free = false;
  t->per.of = OC_PER_MOTION;
  for (int i = -2; i <= 2; i++) {
    t->time.T = T * (1 + 0.01 * i);
    const double mean = solve_task(t, OC_SOLVER_STAGE, &y, &info) / t->time.T;
    if (i == 0) assert_close(mean, least, 1e-8 * least);
    if (i != 0) assert_true(mean > least * (1 + 1e-5));
    dm_trajectory_free(y);
  }
  dm_trajectory_free(x);
  dm_outputs_free(w);
  tasks_free(&task);
}

static void refuse(const oc_task *t, const char *expected) {
  oc_transcription *p = NULL;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  if (!strstr(msg.text, expected)) fail_msg("%s", msg.text);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  const double low[] = {0, 0}, high[] = {1, 0};
  tasks_task task = make_task(low, high);
  oc_task *t = &task.t;
  t->per.of = OC_PER_TRAVEL;
  refuse(t, "a cost per way of slider needs a travel of one sign, got one from 0 to 1");
  t->periodic = false;
  t->bounds[OC_TRAVEL].low = t->bounds[OC_TRAVEL].high = NULL;
  refuse(t, "a cost per way needs a coordinate of a periodic motion");
  t->per.of = OC_PER_TIME;
  assert_int_equal(oc_descent_check(t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "a cost per time or distance"));
  t->time.free = false;
  refuse(t, "a cost per second needs a free final time");
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_price_is_taken_off),
      cmocka_unit_test(a_metre_costs_least_at_one_speed),
      cmocka_unit_test(a_limit_of_iterations_is_kept),
      cmocka_unit_test(no_other_period_does_better),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
