// tests/optim/test_smooth_guess.c: chains without damping, from guesses by decreasing costs on speeds.
#include "optim/smooth_guess.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "tests/support/skips.h"
#include "tests/support/tasks.h"

#include <math.h>

enum { LINKS = 5, STEPS = 60 };
static dm_message msg;

// hanging links of 0.2 m and 1 kg, all joints from 0 to half a radian in a second
static tasks_task hanging_chain(double weight) {
  tasks_task x = tasks_make(models_chain(LINKS, 0.2, 0), STEPS, 1);
  tasks_rest(&x, 0, (double[LINKS]){0});
  tasks_rest(&x, 1, (double[LINKS]){0.5, 0.5, 0.5, 0.5, 0.5});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, LINKS, weight);
  return x;
}

static double solve_from(const tasks_task *x, const dm_trajectory *guess) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *motion = NULL;
  set.guess = guess;
  const dm_status s = oc_solve(&x->t, &set, &motion, &info, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info.detail);
  dm_trajectory_free(motion);
  return info.objective;
}

static dm_trajectory *make_smooth(const tasks_task *x, const oc_hooks *hooks, dm_status expected) {
  const oc_options set = oc_options_default();
  dm_trajectory *guess;
  assert_int_equal(dm_trajectory_of(&guess, x->t.N, &x->t.system), DM_OK);
  guess->h = oc_task_step(&x->t);
  assert_int_equal(oc_guess_line(&x->t, guess), DM_OK);
  assert_int_equal(oc_smooth_guess(&x->t, &set, hooks, guess), expected);
  return guess;
}

// far below the optimum from the line, and in proportion to the weight: the guess does not depend on units of cost
static void a_smooth_guess_leads_to_a_low_optimum_in_any_units(void **state) {
  (void)state;
  double found[2];
  for (int i = 0; i < 2; i++) {
    tasks_task x = hanging_chain(i ? 1024 : 1);
    dm_trajectory *guess = make_smooth(&x, NULL, DM_OK);
    found[i] = solve_from(&x, guess);
    if (i == 0 && !(found[0] < 0.5 * solve_from(&x, NULL))) fail_msg("objective %g", found[0]);
    dm_trajectory_free(guess);
    tasks_free(&x);
  }
  assert_close(found[1] / 1024, found[0], 1e-6 * found[0]);
}

static bool stop_at_once(void *user) {
  (void)user;
  return true;
}

static void it_can_be_interrupted(void **state) {
  (void)state;
  tasks_task x = hanging_chain(1);
  dm_trajectory_free(make_smooth(&x, &(oc_hooks){.stop = stop_at_once}, DM_INTERRUPTED));
  tasks_free(&x);
}

static void it_needs_a_cost_of_inputs_and_both_ends(void **state) {
  (void)state;
  tasks_task x = hanging_chain(1);
  assert_true(oc_has_smooth_guess(&x.t));
  oc_task t = x.t;
  t.cost[OC_U].running = NULL;
  assert_false(oc_has_smooth_guess(&t));
  t = x.t;
  t.goal.q = NULL;
  assert_false(oc_has_smooth_guess(&t));
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_smooth_guess_leads_to_a_low_optimum_in_any_units),
      cmocka_unit_test(it_can_be_interrupted),
      cmocka_unit_test(it_needs_a_cost_of_inputs_and_both_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
