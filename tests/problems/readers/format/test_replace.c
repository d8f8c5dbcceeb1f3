// tests/problems/readers/format/test_replace.c: values of a problem file replaced before it is read.
#include "tests/support/cart_pole.h"

#define FILE_TEXT                                                                                  \
  "model: {urdf: c.urdf, gravity: [0, 0, -9.8]}\n"                                                 \
  "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n"                                            \
  "goal: {q: {slider: 1, pole: 0}, v: 0}\ncost: {input: 1}\n"                                      \
  "bounds: {q: {slider: [-1, 1.5]}}\n"

// the problem with one value replaced; NULL: refused, with why in msg
static pb_problem *vary(const char *path, const char *text, dm_message *msg) {
  pb_problem *p = NULL;
  pb_replace with = {.path = path, .text = text};
  put_file(folder, "c.urdf", CART_POLE);
  dm_status s = pb_problem_vary(&p, put_file(folder, "p.yaml", FILE_TEXT), &with, 1, msg);
  assert_int_equal(s, p ? DM_OK : DM_BAD_INPUT);
  return p;
}

static void keys_places_in_lists_and_new_keys_are_replaced(void **state) {
  (void)state;
  dm_message msg = {""};
  pb_problem *steps = vary("horizon.steps", "9", &msg);
  pb_problem *bound = vary("bounds.q.slider.1", "2.5", &msg);
  pb_problem *added = vary("cost.time", "3", &msg);
  pb_problem *section = vary("solver.max_iter", "7", &msg);
  pb_problem *letter = vary("model.gravity.z", "-1.6", &msg);
  if (!steps || !bound || !added || !section || !letter) fail_msg("%s", msg.text);
  assert_true(letter->model->gravity.z == -1.6 && letter->model->gravity.x == 0);
  pb_problem_free(letter);
  assert_int_equal(steps->task.N, 9);
  assert_true(bound->task.bounds[OC_Q].low[0] == -1 && bound->task.bounds[OC_Q].high[0] == 2.5);
  assert_true(added->task.time.weight == 3);
  assert_int_equal(section->options.max_iter, 7);
  assert_string_not_equal(steps->file.sha256, bound->file.sha256);
  pb_problem_free(steps);
  pb_problem_free(bound);
  pb_problem_free(added);
  pb_problem_free(section);
}

static void paths_that_lead_nowhere_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *path, *why;
  } row[] = {
      {"horizon.steps.most", "horizon.steps.most: found '4' at horizon.steps, expected a mapping"},
      {"bounds.q.slider.x", "found 'x', expected a place in a list of 2, from 0"},
      {"bounds.q.slider.2", "found '2', expected a place in a list of 2, from 0"},
      {"bounds.q.slider.low", "found 'low', expected a place in a list of 2, from 0"},
      {"horizon.stepz", "stepz"},
  };
  for (size_t i = 0; i < COUNT_OF(row); i++) {
    dm_message msg = {""};
    assert_null(vary(row[i].path, "1", &msg));
    if (!strstr(msg.text, row[i].why)) fail_msg("%s", msg.text);
  }
}

// an undone refit leaves the step that was there before
static void a_refit_can_be_undone(void **state) {
  (void)state;
  dm_message msg = {""};
  pb_problem *p = vary("model.damping.slider", "5000", &msg);
  if (!p) fail_msg("%s", msg.text);
  const dm_stiff_damping *fitted = p->fit.now;
  double step = p->fit.step, added = dm_system_decay(&p->task.system, 0);
  assert_int_equal(pb_problem_refit(p, step / 2), DM_OK);
  assert_true(p->fit.step == step / 2);
  pb_problem_refit_undo(p);
  assert_true(p->fit.step == step && p->fit.now == fitted);
  assert_true(dm_system_decay(&p->task.system, 0) == added);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_places_in_lists_and_new_keys_are_replaced),
      cmocka_unit_test(paths_that_lead_nowhere_are_refused),
      cmocka_unit_test(a_refit_can_be_undone),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
