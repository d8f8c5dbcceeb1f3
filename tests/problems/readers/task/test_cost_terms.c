// Costs by key of `cost`: the program's derivatives with each of them, and their values.
#include "tests/support/cart_pole.h"

#include "optim/check.h"
#include "problems/readers/format/expression.h"
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

// y of the slider at x = (q0, q1, v0, v1, u) is the row's text, in q, v and u
static void values_are_those_of_the_text(void **state) {
  (void)state;
#define LIST_TEXT(key, of, activation, text, ...) {#key, text},
  static const struct { const char *key, *text; } rows[] = {PB_COST_TERMS(LIST_TEXT)};
#undef LIST_TEXT
  static const pb_symbol symbols[] = {{"q", 0, 0, NULL}, {"v", 1, 0, NULL}, {"u", 2, 0, NULL}};
  const pb_language language = {.list = symbols, .n = 3, .functions = true};
  const double x[] = {0.3, 0.2, -1.7, 4, 2.9};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[300];
    snprintf(text, sizeof text, MODEL FREE "cost: {%s: {slider: 2}}\n", rows[i].key);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->task.functions.nterms, 1);
    const oc_term *term = p->task.functions.terms;
    assert_true(term->cost.weight == 2);

    double y, y_x[5], room[256], own[3];
    pb_arena arena = {0};
    pb_expression formula;
    dm_tape f;
    const int *used;
    dm_message msg = {""};
    assert_int_equal(term->y.eval(term->y.self, NULL, x, &y, y_x), DM_OK);
    if (pb_expression_parse(&arena, rows[i].text, &language, &formula, &msg) != DM_OK)
      fail_msg("%s: %s", rows[i].key, msg.text);
    assert_int_equal(pb_expression_compile(&arena, &formula, &f, &used), DM_OK);
    assert_true(dm_tape_room(&f) <= 256);
    for (int j = 0; j < f.nx; j++) own[j] = x[2 * used[j]];
    const double want = dm_tape_eval(&f, own, room, NULL, NULL);
    assert_true(fabs(y - want) <= 1e-14 * fabs(want)); // a few roundings
    pb_arena_free(&arena);
    pb_problem_free(p);
  }
}

static void a_weight_of_0_is_no_term(void **state) {
  (void)state;
  pb_problem *p = get_problem(MODEL FREE "cost: {input: 1, power: 0}\n");
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
      cmocka_unit_test(values_are_those_of_the_text),
      cmocka_unit_test(a_weight_of_0_is_no_term),
      cmocka_unit_test(inputs_without_a_joint_are_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
