// tests/support/skips.h: skip a test with a reason, which `./dmoc test` lists next to the test's
// name.
#ifndef TESTS_SUPPORT_SKIPS_H
#define TESTS_SUPPORT_SKIPS_H
#include "tests/support/cmocka.h"

#define NO_IPOPT   "this build has no IPOPT"
#define NO_CHOLMOD "this build has no CHOLMOD"
#define NO_CVODE   "this build has no CVODE"
#define NO_MUJOCO  "this build has no MuJoCo"

// Whether a test of this program has been skipped: the blocks it had allocated by then are not
// freed, which is not a leak of the library. LeakSanitizer calls the function of this name, if it
// is linked.
static int test_was_skipped;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return test_was_skipped;
}

// End the running test as skipped. why: the reason, one line.
static inline void skip_test(const char *why) {
  print_message("skipped: %s\n", why);
  test_was_skipped = 1;
  skip();
}

#endif
