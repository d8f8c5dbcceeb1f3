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

// End the test that runs here as left out. why: one line, what was missing.
static inline void skip_test(const char *why) {
  print_message("skipped: %s\n", why);
  skip();
}

#endif
