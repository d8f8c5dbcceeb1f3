// The error of plans through contact, compared with tasks whose solution in continuous time is known in closed form.
#include "optim/grid_error.h"
#include "tests/support/models.h"
#include "tests/support/plans.h"

#include <math.h>
#include <stdio.h>

// the error of a file with %d steps, solved with N
static oc_grid_error measure(const char *text, int N) {
  char filled[1200];
  dm_message msg;
  pb_problem *p;
  oc_solution *w;
  oc_grid_error e;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  snprintf(filled, sizeof filled, text, N);
  if (pb_problem_read(&p, put_file(folder, "task.yaml", filled), &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(oc_solution_new(&w, &p->task, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  assert_int_equal(w->info.status, DM_OK);
  assert_int_equal(oc_grid_error_measure(&e, w, w->motion, 0), DM_OK);
  if (e.source != OC_ERROR_CONTACTS) fail_msg("N %d: %s", N, e.why);
  e.other = w->info.objective; // for comparison
  oc_solution_free(w);
  pb_problem_free(p);
  return e;
}

// The stated error is at least the true one, and falls with the step: below `most` h.
static void check_bound(const char *text, double J, double most) {
  static const int steps[] = {10, 13, 17, 20, 27, 31, 40};
  for (int i = 0; i < COUNT(steps); i++) {
    const oc_grid_error e = measure(text, steps[i]);
    const double off = fabs(e.other - J);
    if (off > e.objective_error || e.objective_error * steps[i] > most)
      fail_msg("%d steps: error %.3g, stated %.3g", steps[i], off, e.objective_error);
    assert_true(e.changes >= 1 && e.contact && e.change_error <= e.objective_error);
  }
}

// A block of m = 1 kg moves by d against the friction F: it slides in T = sqrt(6 m d / F), so that the input ends at
// zero, and J = 2/3 F^2 T.
static void the_error_of_a_sliding_block_is_bounded(void **state) {
  (void)state;
  check_bound("model:\n"
              "  bodies: [{name: box, joints: [tx], mass: 1}]\n"
              "  friction: [{joint: box, force: 3}]\n"
              "inputs: [{joint: box}]\n"
              "horizon: {steps: %d, time: 1}\n"
              "start: {q: 0, v: 0}\n"
              "goal: {q: 0.3, v: 0}\n"
              "cost: {input: 1}\n",
              2.0 / 3 * 9 * sqrt(0.6), 6);
}

// A ball falls by 1 m and stays on the floor: J = 1/2 int z^2 dt over its fall.
static void the_error_of_a_falling_ball_is_bounded(void **state) {
  (void)state;
  const double g = 9.81, T = sqrt(2 / g);
  check_bound("model:\n"
              "  gravity: [0, 0, -9.81]\n"
              "  bodies:\n"
              "    - {name: ball, joints: [tz], mass: 1}\n"
              "    - {name: cart, joints: [tx], mass: 1}\n"
              "  contacts: [{name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1]}]\n"
              "inputs: [{joint: cart}]\n"
              "horizon: {steps: %d, time: 1}\n"
              "start: {q: {ball: 1, cart: 0}, v: 0}\n"
              "goal: {q: {cart: 0}}\n"
              "cost: {input: 1, state: {q: {ball: 1}}}\n",
              0.5 * (T - g * T * T * T / 3 + g * g * pow(T, 5) / 20), 0.06);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_of_a_sliding_block_is_bounded),
      cmocka_unit_test(the_error_of_a_falling_ball_is_bounded),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
