// The numbers of a file that a search changes: whole ones stay whole, motors give what they give.
#include "problems/readers/task/tunables.h"
#include "tests/support/files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "horizon: {steps: 20, time: 1.50}\n"
    "bounds: {u: {slider: [-9, 9], pole: [-3e0, 30]}}\n"
    "feedback: {Q: {q: 1, outputs: {tool.z: 40}}, R: 1e2, hold: 0.5, limits: [-8, 20],\n"
    "  tune: {vary: [horizon.steps, horizon.time, bounds.u.slider,\n"
    "                bounds.u.pole, feedback.R, feedback.limits,\n"
    "                feedback.Q.outputs.tool.z]}}\n";

static pb_tunables *read_file(void) {
  pb_tunables *t;
  dm_message msg = {""};
  const char *folder = make_folder();
  char kept[256];
  assert_non_null(folder);
  snprintf(kept, sizeof kept, "%s", folder);
  const char *path = put_file(folder, "p.yaml", text);
  assert_int_equal(pb_tunables_read(&t, path, &msg), DM_OK);
  unlink(path);
  rmdir(kept);
  return t;
}

// a number by its path
static int find(const pb_tunables *t, const char *path) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->number[i].path, path)) return i;
  fail_msg("%s is none of the numbers", path);
  return -1;
}

// its value where all factors are exp(by)
static double value_of(const pb_tunables *t, const char *path, double by) {
  double x[16];
  char word[32];
  for (int i = 0; i < t->factors; i++) x[i] = by;
  return strtod(pb_tunables_value(t, find(t, path), x, word), NULL);
}

static void at_the_start_the_file_is_as_it_was(void **state) {
  (void)state;
  pb_tunables *t = read_file();
  const double x[16] = {0};
  char *written;
  size_t size;
  FILE *f = open_memstream(&written, &size);
  pb_tunables_write(t, x, f);
  fclose(f);
  assert_string_equal(written, text);
  free(written);
  pb_tunables_free(t);
}

static void whole_numbers_stay_whole(void **state) {
  (void)state;
  pb_tunables *t = read_file();
  for (double by = -1; by < 1; by += 0.07) {
    const double steps = value_of(t, "horizon.steps", by), time = value_of(t, "horizon.time", by);
    assert_true(steps == round(20 * exp(by)));
    assert_true(fabs(time - 1.5 * exp(by)) < 1e-5 * time);
    assert_true(fabs(value_of(t, "feedback.hold", by) - fmax(0, 2 - time)) < 1e-5);
  }
  pb_tunables_free(t);
}

// of a name with a dot in it, for example a row of an output
static void keys_may_have_dots(void **state) {
  (void)state;
  pb_tunables *t = read_file();
  assert_true(fabs(value_of(t, "feedback.Q.outputs.tool.z", 1) - 40 * exp(1)) < 1e-3);
  pb_tunables_free(t);
}

static void limits_stay_within_what_motors_give(void **state) {
  (void)state;
  static const char *const name[] = {"slider", "pole"};
  static const double low[] = {-10, -4}, high[] = {10, 4};
  pb_tunables *t = read_file();
  const double x[16] = {1, 1, 1, 1, 1, 1};
  pb_tunables_limit(t, name, 2, low, high);

  // of one input, and of all; one that the file has beyond the motor goes no further
  assert_true(value_of(t, "bounds.u.slider.0", 1) == -10);
  assert_true(value_of(t, "bounds.u.slider.1", 1) == 10);
  assert_true(value_of(t, "bounds.u.pole.0", 1) == -4);
  assert_true(value_of(t, "bounds.u.pole.1", 1) == 30);
  assert_true(value_of(t, "feedback.limits.0", 1) == -8);
  assert_true(value_of(t, "feedback.limits.1", 1) == 20);
  assert_true(pb_tunables_limited(t, find(t, "bounds.u.slider.0"), x));
  assert_false(pb_tunables_limited(t, find(t, "feedback.R"), x));

  // inside they are free
  assert_true(fabs(value_of(t, "bounds.u.slider.1", -1) - 9 * exp(-1)) < 1e-5);
  assert_true(fabs(value_of(t, "feedback.R", 1) - 100 * exp(1)) < 1e-3);
  pb_tunables_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_the_start_the_file_is_as_it_was),
      cmocka_unit_test(whole_numbers_stay_whole),
      cmocka_unit_test(keys_may_have_dots),
      cmocka_unit_test(limits_stay_within_what_motors_give),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
