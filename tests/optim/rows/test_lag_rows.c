// Limits of the commands of motors with a lag: derivatives of the program, commands of a motion against
// their definition, and a motor that follows a command against its differential equation.
#include "lib/multibody/drive_limits.h"
#include "optim/descent/descent.h"
#include "optim/solve.h"
#include "tests/support/checked.h"
#include "tests/support/tasks.h"

static dm_message msg;

static void derivatives_hold(void **state) {
  (void)state;
  tasks_task tasks[] = {tasks_cart_pole(12), tasks_four_bar(12)};
  const double lag[] = {0.07, 0.03, 0.05};
  for (int i = 0; i < 2; i++)
    for (int way = 0; way < 2; way++) {
      oc_task *t = &tasks[i].t;
      t->lag = lag;
      t->time.free = way;
      t->time.min = 0.5 * t->time.T;
      t->time.max = 2 * t->time.T;
      checked_task(t, NULL, 1);
    }
  for (int i = 0; i < 2; i++) tasks_free(&tasks[i]);
}

// A mass goes 1 m from rest to rest with at most 10 N: first without a lag, then with one. Commands are then
// at the limits, where torques of the first motion needed larger ones; a free time becomes longer.
static void commands_stay_within_the_limits(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"block", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = in});
  const double from[] = {0}, to[] = {1}, low[] = {-10}, high[] = {10}, lag[] = {0.05}, w[] = {1e-3};
  for (int timed = 0; timed < 2; timed++) {
    double most[2], cost[2];
    for (int lagged = 0; lagged < 2; lagged++) {
      oc_task t = oc_task_of(m, 40, 1);
      t.start.q = t.start.v = t.goal.v = from;
      t.goal.q = to;
      t.bounds[OC_U] = (dm_bounds){low, high};
      t.cost[OC_U].running = w;
      t.lag = lagged ? lag : NULL;
      t.time = (oc_duration){.T = 1, .free = timed, .min = 0.2, .max = 3, .weight = timed ? 1 : 0};
      if (!timed) t.time.T = 0.95;
      dm_trajectory *x;
      oc_solve_info info;
      if (oc_solve(&t, NULL, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
      most[lagged] = 0;
      for (int k = 0; k < x->N; k++)
        most[lagged] =
            fmax(most[lagged], fabs(dm_drive_command(x->N, x->u, 1, k, false, lag[0], x->h)));
      cost[lagged] = info.objective;
      dm_trajectory_free(x);
    }
    assert_true(most[0] > 10.1);
    assert_true(most[1] <= 10 * (1 + 1e-6) && most[1] > 9.99);
    assert_true(cost[1] > cost[0] * (1 + 1e-4));
  }
  dm_model_free(m);
}

// Under the commands for a smooth torque a motor gives it: the mean of each step differs by O(h^2). The motor
// is that of the plants, m <- m + (1 - exp(-h/lag)) (c - m), from the plan's torque at the start.
static void a_motor_under_its_commands_gives_the_torque(void **state) {
  (void)state;
  const double lag = 0.08;
  double error[2];
  for (int i = 0; i < 2; i++) {
    const int N = 40 << i;
    const double h = 1. / N, share = -expm1(-h / lag), rest = lag / h * share;
    double u[80], m = 0;
    for (int k = 0; k < N; k++) u[k] = sin(4 * (k + 0.5) * h);
    m = dm_drive_torque_at(N, u, 1, 0);
    error[i] = 0;
    for (int k = 0; k < N; k++) {
      const double c = dm_drive_command(N, u, 1, k, false, lag, h), mean = c + (m - c) * rest;
      error[i] = fmax(error[i], fabs(mean - u[k]));
      m += share * (c - m);
    }
  }
  assert_close(log2(error[0] / error[1]), 2, 0.35);
  assert_true(error[1] < 2e-3);
}

static void neighbours_are_within_the_motion(void **state) {
  (void)state;
  int at[2];
  assert_int_equal(dm_drive_neighbours(1, 0, false, at), 0);
  assert_int_equal(dm_drive_neighbours(5, 0, false, at), 1);
  assert_true(at[0] == 0 && at[1] == 1);
  assert_int_equal(dm_drive_neighbours(5, 4, false, at), 1);
  assert_true(at[0] == 3 && at[1] == 4);
  assert_int_equal(dm_drive_neighbours(5, 2, true, at), 2);
  assert_true(at[0] == 1 && at[1] == 3);
  assert_int_equal(dm_drive_neighbours(5, 0, true, at), 2);
  assert_true(at[0] == 4 && at[1] == 1);
  assert_int_equal(dm_drive_neighbours(5, 4, true, at), 2);
  assert_true(at[0] == 3 && at[1] == 0);
}

static void a_descent_refuses_lags_by_name(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(10);
  const double lag[] = {0.01};
  const char *keys;
  task.t.lag = lag;
  assert_int_equal(oc_descent_check(&task.t, false, &keys, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "cannot have lags of motors ('"));
  assert_string_equal(keys, "model.drives");
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(commands_stay_within_the_limits),
      cmocka_unit_test(a_motor_under_its_commands_gives_the_torque),
      cmocka_unit_test(neighbours_are_within_the_motion),
      cmocka_unit_test(a_descent_refuses_lags_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
