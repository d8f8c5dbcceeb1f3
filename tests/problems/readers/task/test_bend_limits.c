// tests/problems/readers/task/test_bend_limits.c: limits of accelerations and jerks: derivatives of programs, a
// minimum time in closed form by its order, limits that hold at every knot.
#include "tests/support/cart_pole.h"

#include "optim/check.h"
#include "optim/solve.h"

#include <math.h>

#define CART "model:\n  bodies: [{name: cart, mass: 1, joints: [tx]}]\ninputs: [{joint: cart}]\n"
#define ENDS "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\n"

static void derivatives_of_programs_hold(void **state) {
  (void)state;
  static const char *const rows[] = {
      "horizon: {steps: 5, time: 1}\nbounds: {a: 9, jerk: {pole: 30}}\n",
      "horizon: {steps: 5, time: {free: [0.5, 2]}}\nbounds: {a: {pole: 9}, jerk: 30}\n",
      "horizon: {steps: 1, time: {free: [0.5, 2]}}\nbounds: {a: 9, jerk: 30}\n"};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model: {urdf: c.urdf}\nstart: {q: 0.1, v: free}\ngoal: {q: free}\n"
             "cost: {input: 1}\n%s",
             rows[i]);
    pb_problem *p = get_problem(text);
    oc_check found = oc_check_default();
    dm_message msg = {""};
    if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    if (found.failed) fail_msg("row %d: %d derivatives differ", (int)i, found.failed);
    pb_problem_free(p);
  }
}

// the shortest time of a cart over 1 m, and the largest |D| of its positions over a^2 and jerk^3
static double solve(int steps, double *a, double *jerk) {
  char text[400];
  snprintf(text, sizeof text,
           CART ENDS "horizon: {steps: %d, time: {free: [0.2, 10]}}\ncost: {time: 1}\n"
                     "bounds: {a: 2, jerk: 20}\n",
           steps);
  pb_problem *p = get_problem(text);
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *x;
  dm_message msg = {""};
  if (oc_solve(&p->task, &set, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  const double *q = x->q, T = x->h * x->N, h = x->h;
  *a = *jerk = 0;
  for (int k = 1; k < x->N; k++) {
    *a = fmax(*a, fabs(q[k - 1] - 2 * q[k] + q[k + 1]) / (h * h));
    if (k + 1 < x->N)
      *jerk = fmax(*jerk, fabs(-q[k - 1] + 3 * q[k] - 3 * q[k + 1] + q[k + 2]) / (h * h * h));
  }
  dm_trajectory_free(x);
  pb_problem_free(p);
  return T;
}

// It accelerates by 2 for t, turns to -2 within 0.2 s by the jerk, and brakes for t: 2 t^2 + 0.4 t + 2/150 = 1.
static void a_minimum_time_has_its_closed_form(void **state) {
  (void)state;
  const double t = -0.1 + sqrt(0.01 + 0.5 - 1. / 150), T = 2 * t + 0.2;
  double a, jerk, error[2];
  for (int i = 0; i < 2; i++) {
    error[i] = fabs(solve(i ? 80 : 20, &a, &jerk) - T);
    assert_true(a < 2 * (1 + 1e-6) && a > 2 * (1 - 1e-6));
    assert_true(jerk < 20 * (1 + 1e-6) && jerk > 20 * (1 - 1e-6));
  }
  assert_true(error[1] < 1e-4 * T && error[0] > 4 * error[1]); // at least of first order
}

static void others_refuse_them(void **state) {
  (void)state;
  const refused rows[] = {
      {CART ENDS "horizon: {steps: 4, time: 1}\ncost: {input: 1}\nbounds: {a: 1}\n"
                 "transcription: second-order\n",
       "a second-order transcription cannot have a limit on the acceleration of 'cart'"},
      {CART ENDS "horizon: {steps: 4, time: 1}\ncost: {input: 1}\nbounds: {jerk: 0}\n",
       "bounds.jerk: found '0', expected a number > 0"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_programs_hold),
      cmocka_unit_test(a_minimum_time_has_its_closed_form),
      cmocka_unit_test(others_refuse_them),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
