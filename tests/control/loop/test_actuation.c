// Pushes and motors: the force at a time, and its integral over an interval.
#include "control/feedback/motor.h"
#include "control/loop/push.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Simpson's rule; its error decreases with the fourth power of the step
static double integrate(const fb_push *p, double a, double b, int n) {
  double sum = 0, h = (b - a) / n;
  for (int i = 0; i < n; i++)
    sum += h / 6 *
           (fb_push_force(p, a + i * h) + 4 * fb_push_force(p, a + (i + 0.5) * h) +
            fb_push_force(p, a + (i + 1) * h));
  return sum;
}

static void an_impulse_is_the_integral_of_a_push(void **state) {
  (void)state;
  const fb_push p = {.at = 0.7, .width = 0.08, .height = -3};
  const double exact = fb_push_impulse(&p, 0.55, 0.8);
  const double coarse = fabs(integrate(&p, 0.55, 0.8, 20) - exact);
  const double fine = fabs(integrate(&p, 0.55, 0.8, 40) - exact);
  assert_true(fabs(log2(coarse / fine) - 4) < 0.1);

  // parts add up; the total is height width sqrt(2 pi)
  assert_true(fabs(fb_push_impulse(&p, 0.55, 0.61) + fb_push_impulse(&p, 0.61, 0.8) - exact) <
              1e-15);
  assert_true(fabs(fb_push_impulse(&p, -9, 9) + 3 * 0.08 * sqrt(2 * acos(-1))) < 1e-14);
}

static void a_motor_moves_alike_in_one_time_or_in_two(void **state) {
  (void)state;
  const double lag = 0.03, m = 2, u = -1, whole = fb_motor_share(lag, 0.02);
  const double half = fb_motor_part(whole, 0.01, 0.02);
  assert_true(fabs(half - fb_motor_share(lag, 0.01)) < 1e-15);
  assert_true(fabs(fb_motor_move(fb_motor_move(m, u, half), u, half) - fb_motor_move(m, u, whole)) <
              1e-15);

  // T m' = u - m: the remaining distance at the end, relative to the mean
  const double mean = fb_motor_mean(m, u, lag, 0.02), moved = fb_motor_move(m, u, whole) - m;
  assert_true(fabs(lag * moved / 0.02 - (u - mean)) < 1e-14);

  // without lag it is immediate; beyond the given interval a fraction is unchanged
  assert_true(fb_motor_share(0, 0.01) == 1 && fb_motor_mean(m, u, 0, 0.01) == u);
  assert_true(fb_motor_part(1, 0.01, 0.02) == 1 && fb_motor_part(1.5, 0.01, 0.02) == 1.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_impulse_is_the_integral_of_a_push),
      cmocka_unit_test(a_motor_moves_alike_in_one_time_or_in_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
