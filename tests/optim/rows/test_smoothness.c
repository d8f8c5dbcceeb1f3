// Costs on accelerations and jerks: derivatives, the least of both from rest to rest, who refuses them.
#include "optim/descent/descent.h"
#include "optim/solve.h"
#include "tests/support/checked.h"
#include "tests/support/tasks.h"

static dm_message msg;

static void derivatives_hold(void **state) {
  (void)state;
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_four_bar(20)};
  const double w_a[] = {0.3, 0, 2, 1, 1}, w_jerk[] = {1e-4, 2e-4, 0, 1e-4, 0};
  const double a[] = {9, INFINITY, 7, INFINITY, 8}, jerk[] = {INFINITY, 80, INFINITY, 90, 70};
  for (int i = 0; i < 2; i++)
    for (int way = 0; way < 6; way++) {
      oc_task *t = &tasks[i].t;
      t->cost[OC_A].running = w_a;
      t->cost[OC_JERK].running = w_jerk;
      t->bounds[OC_A].high = way < 4 ? NULL : a;
      t->bounds[OC_JERK].high = way < 4 ? NULL : jerk;
      t->time.grid = way < 2 ? NULL : tasks_knots();
      t->time.free = way % 2;
      t->sum = way == 2;
      t->time.min = 0.5 * t->time.T;
      t->time.max = 2 * t->time.T;
      checked_task(t, NULL, 1);
    }
  for (int i = 0; i < 2; i++) tasks_free(&tasks[i]);
}

// the least of a mass from rest to rest over 1 m in 1 s
static double find_least(int N, const double *w_a, const double *w_jerk, const double *grid) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"block", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u});
  const double from[] = {0}, to[] = {1};
  oc_task t = oc_task_of(m, N, 1);
  t.start.q = t.start.v = t.goal.v = from;
  t.goal.q = to;
  t.time.grid = grid;
  t.cost[OC_A].running = w_a;
  t.cost[OC_JERK].running = w_jerk;
  dm_trajectory *motion;
  oc_solve_info info;
  if (oc_solve(&t, NULL, &motion, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  dm_trajectory_free(motion);
  dm_model_free(m);
  return info.objective;
}

static void the_least_from_rest_to_rest(void **state) {
  (void)state;
  const double one[] = {1};
  double grid[2][41]; // steps of which the last is five times the first
  for (int i = 0; i < 2; i++)
    for (int k = 0; k <= 20 << i; k++) {
      const double s = k / (double)(20 << i);
      grid[i][k] = (20 << i) * (s + 2 * s * s) / 3;
    }
  for (int way = 0; way < 4; way++) {
    const bool jerk = way % 2;
    const double least = jerk ? 60 : 6;
    double error[2];
    for (int i = 0; i < 2; i++)
      error[i] =
          find_least(20 << i, jerk ? NULL : one, jerk ? one : NULL, way < 2 ? NULL : grid[i]) -
          least;
    assert_true(fabs(error[1]) < 0.03 * least);
    assert_close(log2(fabs(error[0] / error[1])), 2, 0.4);
  }
}

static void others_refuse_them(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(10);
  const double w[] = {1, -1};
  x.t.cost[OC_JERK].running = w;
  oc_transcription *p = NULL;
  assert_int_equal(oc_transcription_new(&p, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the jerk"));
  assert_int_equal(oc_descent_check(&x.t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "a cost on the jerk of 'slider'"));
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(the_least_from_rest_to_rest),
      cmocka_unit_test(others_refuse_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
