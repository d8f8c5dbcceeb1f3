// Costs by key of `cost`: the program's derivatives with each of them, and the power of a motor.
#include "tests/support/cart_pole.h"

#include "optim/check.h"
#include "problems/readers/task/cost_terms.h"

#define FREE  "start: {q: {slider: 0.1, pole: 0.3}, v: 0.2}\nhorizon: {steps: 6, time: 2}\n"
#define MODEL "model: {urdf: c.urdf}\n"

static void derivatives_of_programs_with_each_key_hold(void **state) {
  (void)state;
#define LIST_KEY(key, ...) #key,
  static const char *const keys[] = {PB_COST_TERMS(LIST_KEY)};
#undef LIST_KEY
  for (size_t i = 0; i < COUNT_OF(keys); i++) {
    char text[300];
    snprintf(text, sizeof text, MODEL FREE "goal: {q: 0, v: 0}\ncost: {%s: 0.7}\n", keys[i]);
    pb_problem *p = get_problem(text);
    assert_true(p->task.functions.nterms > 0);
    assert_string_equal(dm_function_name(&p->task.functions.terms[0].y, 0), keys[i]);

    // gradient and Hessian against differences, by order
    oc_check found = oc_check_default();
    dm_message msg = {""};
    if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    if (found.failed) fail_msg("cost.%s: %d derivatives differ", keys[i], found.failed);
    pb_problem_free(p);
  }
}

// y = u v of the slider, by (q, v, u)
static void power_is_force_times_speed(void **state) {
  (void)state;
  pb_problem *p = get_problem(MODEL FREE "cost: {power: {slider: 2}}\n");
  assert_int_equal(p->task.functions.nterms, 1);
  const oc_term *term = p->task.functions.terms;
  const double x[] = {0.1, 0.2, 3, 4, 5};
  double y, y_x[5];
  assert_int_equal(term->y.eval(term->y.self, NULL, x, &y, y_x), DM_OK);
  assert_true(y == 15 && term->cost.weight == 2);
  expect_values(y_x, (const double[]){0, 0, 5, 0, 3}, 5);
  pb_problem_free(p);

  // a weight of 0 is no term
  p = get_problem(MODEL FREE "cost: {input: 1, power: 0}\n");
  assert_int_equal(p->task.functions.nterms, 0);
  pb_problem_free(p);
}

static void inputs_without_a_joint_are_refused(void **state) {
  (void)state;
  const refused rows[] = {
      {"model: {urdf: c.urdf, kinematic: [pole]}\n" FREE "cost: {power: {pole: 1}}\n",
       "cost.power: found 'pole', expected forces of joints with one coordinate"},
      {MODEL
       "inputs: [{body: tip, name: jet, frame: body, force: [1, 0, 0], max: 1, min: 0}]\n" FREE
       "cost: {power: 1}\n",
       "cost.power: found 'jet', expected forces of joints with one coordinate"},
      {MODEL FREE "cost: {power: -1}\n", "cost.power: found '-1', expected a number >= 0"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_programs_with_each_key_hold),
      cmocka_unit_test(power_is_force_times_speed),
      cmocka_unit_test(inputs_without_a_joint_are_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
