// Published robots, fixed and floating: every derivative of the Lagrangian, of inverse dynamics and
// of a step at random states, by the order of the error.
#include "tests/derivatives.h"

#include "tests/inverse.h"
#include "tests/robots.h"

static const char *path;

static dm_model *read_model(bool floating) {
  robot r = read_path(path, floating);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  pb_warnings_free(&r.warnings);
  return r.m;
}

static void derivatives_of_the_lagrangian_are_exact(void **state) {
  (void)state;
  for (unsigned long long seed = 1; seed <= 5; seed++) {
    derivatives_check(read_model(false), seed);
    derivatives_check(read_model(true), seed);
  }
}

static void derivatives_of_inverse_dynamics_are_exact(void **state) {
  (void)state;
  for (unsigned long long seed = 1; seed <= 5; seed++) {
    inverse_check(read_model(false), seed);
    inverse_check(read_model(true), seed);
  }
}

static void linearization_is_exact(void **state) {
  (void)state;
  for (unsigned long long seed = 1; seed <= 5; seed++) {
    derivatives_check_step(read_model(false), 0.01, seed);
    derivatives_check_step(read_model(true), 0.01, seed);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  path = argv[1];
  if (access(path, R_OK)) {
    printf("skipped: no %s here\n", path);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_the_lagrangian_are_exact),
      cmocka_unit_test(derivatives_of_inverse_dynamics_are_exact),
      cmocka_unit_test(linearization_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
