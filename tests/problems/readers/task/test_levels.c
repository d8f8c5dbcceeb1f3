// tests/problems/readers/task/test_levels.c: integrals and largest values of formulas: derivatives of programs, optima
// in closed form, refusals by name.
#include "tests/support/cart_pole.h"

#include "optim/check.h"
#include "optim/solve.h"

#include <math.h>

#define CART                                                                                       \
  "model:\n  bodies: [{name: cart, mass: 2, joints: [tx]}]\ninputs: [{joint: cart}]\n"             \
  "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\n"

// of positions, velocities and inputs, over parts of a fixed and of a free time
static void derivatives_of_programs_hold(void **state) {
  (void)state;
  static const char *const rows[] = {"horizon: {steps: 5, time: 1}\n",
                                     "horizon: {steps: 6, time: {free: [0.5, 2]}}\n",
                                     "horizon: {steps: 5, time: {free: [0.5, 2]}}\ngoal: start\n"};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[1400];
    snprintf(
        text, sizeof text,
        "model: {urdf: c.urdf}\nstart: {q: 0.1, v: free}\n%s"
        "constraints:\n"
        "  a: {formula: q.pole^2 + v.pole^2 q.slider, within: [none, 3], integral: true}\n"
        "  b: {formula: u.slider v.slider q.pole, within: [-1, 2], integral: true, from: 20 %%}\n"
        "cost:\n  input: 1\n  outputs:\n"
        "    - {formula: v.pole^2 - q.slider, weight: 2, activation: largest, to: 60 %%}\n"
        "    - {formula: u.slider^2 + v.pole, weight: 3, activation: largest}\n"
        "    - {formula: (q.pole - sin(t))^2 v.slider + T q.slider, weight: 2, activation: "
        "linear}\n"
        "    - {formula: t^2 q.pole + T^3, weight: 0.5, activation: linear, from: 40 %%}\n",
        rows[i]);
    if (i < 2) strcat(text, "goal: {q: free}\n");
    pb_problem *p = get_problem(text);
    oc_check found = oc_check_default();
    dm_message msg = {""};
    assert_int_equal(p->task.outputs.nlevels, 4);
    if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    if (found.failed) fail_msg("row %d: %d derivatives differ", (int)i, found.failed);
    pb_problem_free(p);
  }
}

static double solve(const char *task) {
  char text[700];
  snprintf(text, sizeof text, CART "%s", task);
  pb_problem *p = get_problem(text);
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *x;
  dm_message msg = {""};
  if (oc_solve(&p->task, &set, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  const double objective = info.objective;
  dm_trajectory_free(x);
  pb_problem_free(p);
  return objective;
}

// 2 kg over 1 m: the least largest force in 1 s is 8 N; with an integral of u^2 of 48/T^3 it takes T; the distance
// is the integral of the speed, and the most of it is at the end
static void optima_have_their_closed_forms(void **state) {
  (void)state;
  const double largest =
      solve("horizon: {steps: 20, time: 1}\n"
            "cost: {outputs: [{formula: u.cart^2, weight: 3, activation: largest}]}\n");
  assert_true(fabs(largest - 3 * 64) < 1e-5);
  double error[2];
  for (int i = 0; i < 2; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "horizon: {steps: %d, time: {free: [0.1, 5]}}\ncost: {time: 1}\n"
             "constraints: {e: {formula: u.cart^2, within: [none, 48], integral: true}}\n",
             i ? 40 : 20);
    error[i] = fabs(solve(text) - 1);
  }
  assert_true(error[1] < 3e-4 && error[0] > 3.5 * error[1] && error[0] < 4.5 * error[1]);

  // of positions: the trapezoidal rule, exact for this one, which is linear in each step
  assert_true(
      fabs(solve("horizon: {steps: 20, time: 1}\ncost: {outputs: [{formula: q.cart, weight: 1, "
                 "activation: largest}]}\nbounds: {u: 10}\n"
                 "constraints: {m: {formula: q.cart, within: 0.5, integral: true}}\n") -
           1) < 1e-6);
}

static void what_cannot_have_levels_refuses_them(void **state) {
  (void)state;
#define ONE_SECOND CART "horizon: {steps: 4, time: 1}\n"
  const refused rows[] = {
      {ONE_SECOND "cost: {input: 1, outputs: [{formula: q.cart, weight: 1, activation: largest}]}\n"
                  "transcription: second-order\n",
       "a second-order transcription cannot have integrals or largest values of outputs "
       "('cost-1')"},
      {ONE_SECOND "cost: {outputs: [{formula: q.cart, weight: 1, activation: largest, at: 0.5}]}\n",
       "cost.outputs[]: found 'at' beside 'activation: largest', expected none"},
      {ONE_SECOND "cost: {input: 1}\n"
                  "constraints: {e: {formula: q.cart, within: 1, integral: true, at: 0.5}}\n",
       "constraints.e: found 'at' beside 'integral', expected 'from' and 'to'"},
      {ONE_SECOND
       "cost: {input: 1}\nconstraints: {e: {formula: q.cart, within: 1, integral: yes}}\n",
       "constraints.e.integral: found the unknown word 'yes', expected one of false, true"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_programs_hold),
      cmocka_unit_test(optima_have_their_closed_forms),
      cmocka_unit_test(what_cannot_have_levels_refuses_them),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
