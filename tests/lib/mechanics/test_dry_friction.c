// Dry friction: against the motion, the same in size either way, and its derivatives those of it.
#include "lib/mechanics/dry_friction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double size[] = {0.3, 0, 2};
static const dm_dry_friction friction = {.n = 3, .size = size};

// f, and df/dv where it is asked for
static void evaluate(const double *v, double f[3], double f_v[9]) {
  const dm_force force = dm_dry_friction_force(&friction);
  dm_force_jet out = {.f = f, .f_v = f_v};
  for (int i = 0; i < 3; i++) f[i] = 0;
  for (int i = 0; f_v && i < 9; i++) f_v[i] = 0;
  assert_int_equal(force.eval(force.self, NULL, f_v ? 2 : 1, NULL, v, NULL, &out), DM_OK);
}

static void it_is_against_the_motion(void **state) {
  (void)state;
  double f[3], g[3];
  evaluate((const double[]){5, 5, -5}, f, NULL);
  evaluate((const double[]){-5, -5, 5}, g, NULL);
  assert_true(f[0] < 0 && f[1] == 0 && f[2] > 0);
  for (int i = 0; i < 3; i++) assert_true(f[i] == -g[i]);

  // far above a hundredth of a rad/s it is F pi/2
  assert_true(fabs(f[2] - acos(-1)) < 1e-2);
}

// the error of a central difference falls with the square of its step
static void derivatives_are_those_of_the_force(void **state) {
  (void)state;
  const double v[] = {3e-3, 1, -7e-3}, mu[] = {1, 1, 0.5};
  const dm_force force = dm_dry_friction_force(&friction);
  double f_v[9], a[3], b[3], slope[2][9], vv[9] = {0}, first[2] = {0}, second[2] = {0};
  evaluate(v, a, f_v);
  assert_int_equal(
      force.contract(force.self, NULL, NULL, v, NULL, mu, &(dm_force_hessian){.vv = vv}), DM_OK);
  for (int halved = 0; halved < 2; halved++) {
    const double h = halved ? 2e-4 : 4e-4;
    double up[3], down[3];
    for (int i = 0; i < 3; i++) {
      up[i] = v[i] + h;
      down[i] = v[i] - h;
    }
    evaluate(up, a, slope[0]);
    evaluate(down, b, slope[1]);
    for (int i = 0; i < 3; i++) {
      first[halved] += fabs((a[i] - b[i]) / (2 * h) - f_v[4 * i]);
      second[halved] += fabs(mu[i] * (slope[0][4 * i] - slope[1][4 * i]) / (2 * h) - vv[4 * i]);
    }
  }
  assert_true(fabs(log2(first[0] / first[1]) - 2) < 0.05);
  assert_true(fabs(log2(second[0] / second[1]) - 2) < 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_against_the_motion),
      cmocka_unit_test(derivatives_are_those_of_the_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
