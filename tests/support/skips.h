// tests/support/skips.h: leaving a test out, with its reason, which `./dmoc test` lists by the
// test's name.
#ifndef TESTS_SUPPORT_SKIPS_H
#define TESTS_SUPPORT_SKIPS_H
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define NO_IPOPT   "this build has no IPOPT"
#define NO_CHOLMOD "this build has no CHOLMOD"
#define NO_CVODE   "this build has no CVODE"
#define NO_MUJOCO  "this build has no MuJoCo"

// Whether a test of this program has been left out: what it held by then is not given back, which is
// no leak of the library. LeakSanitizer asks the function of this name, where it is linked.
static int test_was_skipped;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return test_was_skipped;
}

// End the test that runs here as left out. why: one line, what was missing.
static inline void skip_test(const char *why) {
  print_message("skipped: %s\n", why);
  test_was_skipped = 1;
  skip();
}

#endif
