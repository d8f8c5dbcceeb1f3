// tests/lib/base/test_difference.c: derivatives that are right, wrong and exact, of functions whose
// differences err by a known order.
#include "lib/base/difference.h"
#include "tests/support/cmocka.h"

#include <float.h>
#include <math.h>

// (sin x0 cos x1, exp(x0 x1))
static dm_status eval_smooth(void *self, const double *x, double *y) {
  (void)self;
  y[0] = sin(x[0]) * cos(x[1]);
  y[1] = exp(x[0] * x[1]);
  return DM_OK;
}

// 3 x0^2 - x1, of which central differences are exact
static dm_status eval_quadratic(void *self, const double *x, double *y) {
  (void)self;
  y[0] = 3 * x[0] * x[0] - x[1];
  return DM_OK;
}

// x0 |x0| + x1, whose derivative by x0 is 0 at 0: differences err by e there, not by e^2
static dm_status eval_bent(void *self, const double *x, double *y) {
  (void)self;
  y[0] = x[0] * fabs(x[0]) + x[1];
  return DM_OK;
}

// x0^5 + x1, whose third derivative is 0 at 0: differences err by e^4
static dm_status eval_flat(void *self, const double *x, double *y) {
  (void)self;
  y[0] = pow(x[0], 5) + x[1];
  return DM_OK;
}

static dm_status eval_nowhere(void *self, const double *x, double *y) {
  (void)self;
  (void)x;
  (void)y;
  return DM_NOT_FINITE;
}

static const double x[] = {0.3, -0.7}, d[] = {0.8, 0.5};

static dm_verdict judge(int m, dm_status (*f)(void *, const double *, double *), const double *at,
                        const double *Jd) {
  double room[2 + 3 * 2];
  dm_difference claim = {.n = 2, .m = m, .x = at, .d = d, .Jd = Jd, .f = f, .noise = DBL_EPSILON};
  return dm_difference_judge(&claim, room);
}

// the derivative of eval_smooth at x along d
static void smooth_derivative(double Jd[2]) {
  Jd[0] = cos(x[0]) * cos(x[1]) * d[0] - sin(x[0]) * sin(x[1]) * d[1];
  Jd[1] = exp(x[0] * x[1]) * (x[1] * d[0] + x[0] * d[1]);
}

static void a_true_derivative_holds_with_order_two(void **state) {
  (void)state;
  double Jd[2];
  smooth_derivative(Jd);
  dm_verdict v = judge(2, eval_smooth, x, Jd);
  assert_true(v.holds);
  assert_true(fabs(v.order - 2) < 0.01);
  assert_true(v.error < 1e-8);
}

// a component with an error of one part in a thousand keeps it, so that no order exists
static void a_wrong_derivative_keeps_its_error(void **state) {
  (void)state;
  double Jd[2];
  smooth_derivative(Jd);
  Jd[1] += 1e-3;
  dm_verdict v = judge(2, eval_smooth, x, Jd);
  assert_false(v.holds);
  assert_true(fabs(v.error - 1e-3) < 1e-6);
  assert_true(fabs(v.order) < 0.1);
}

static void where_differences_are_exact_there_is_no_order(void **state) {
  (void)state;
  const double Jd[] = {6 * x[0] * d[0] - d[1]};
  dm_verdict v = judge(1, eval_quadratic, x, Jd);
  assert_true(v.holds);
  assert_true(isnan(v.order));
}

static void a_kink_in_the_slope_shows_as_order_one(void **state) {
  (void)state;
  const double origin[] = {0, 0}, Jd[] = {d[1]};
  dm_verdict v = judge(1, eval_bent, origin, Jd);
  assert_false(v.holds);
  assert_true(fabs(v.order - 1) < 0.01);
}

static void an_error_that_falls_faster_is_no_failure(void **state) {
  (void)state;
  const double origin[] = {0, 0}, Jd[] = {d[1]};
  const dm_verdict v = judge(1, eval_flat, origin, Jd);
  assert_true(v.holds);
  assert_true(v.order > 3.5);
}

// |y_1 - 0.03| beside its kink: steps beyond it err, shorter ones are exact
static dm_status eval_beside_kink(void *self, const double *y, double *f) {
  (void)self;
  f[0] = fabs(y[0] - 0.03) + y[1];
  return DM_OK;
}

static void a_kink_that_long_steps_cross_is_no_failure(void **state) {
  (void)state;
  const double origin[] = {0, 0}, Jd[] = {d[1] - d[0]}, wrong[] = {d[1] - d[0] + 1e-4};
  assert_true(judge(1, eval_beside_kink, origin, Jd).holds);
  assert_false(judge(1, eval_beside_kink, origin, wrong).holds);
}

// tanh(1000 y_0) + y_1: the third derivative is 1e9 beside steps of 6e-6 and more
static dm_status eval_sharp(void *self, const double *y, double *f) {
  (void)self;
  f[0] = tanh(1000 * y[0]) + y[1];
  return DM_OK;
}

// what is sharp beside the steps is no failure, nor is a part in 1e5 of it that is wrong hidden by it
static void a_sharp_function_is_no_failure(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const double at[] = {0.0004 * i, 0}, c = cosh(1000 * at[0]);
    const double Jd[] = {1000 / (c * c) * d[0] + d[1]}, wrong[] = {Jd[0] * (1 + 1e-5)};
    const dm_verdict v = judge(1, eval_sharp, at, Jd);
    if (!v.holds) fail_msg("at %g: error %g, order %g", at[0], v.error, v.order);
    assert_false(judge(1, eval_sharp, at, wrong).holds);
  }
}

// 1e-6 of a component counts in its unit
static void small_components_count_in_their_unit(void **state) {
  (void)state;
  double Jd[2], room[2 + 3 * 2];
  const double unit[] = {1, 1e-3};
  smooth_derivative(Jd);
  dm_difference claim = {.n = 2,
                         .m = 2,
                         .x = x,
                         .d = d,
                         .Jd = Jd,
                         .f = eval_smooth,
                         .unit = unit,
                         .noise = DBL_EPSILON};
  assert_true(dm_difference_judge(&claim, room).holds);
  Jd[1] += 1e-6;
  const dm_verdict v = dm_difference_judge(&claim, room);
  assert_false(v.holds);
  assert_true(v.error > 1e-6);
}

static void a_function_that_fails_proves_nothing(void **state) {
  (void)state;
  const double Jd[] = {0};
  dm_verdict v = judge(1, eval_nowhere, x, Jd);
  assert_false(v.holds);
  assert_true(isinf(v.error) && isnan(v.order));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_true_derivative_holds_with_order_two),
      cmocka_unit_test(a_wrong_derivative_keeps_its_error),
      cmocka_unit_test(where_differences_are_exact_there_is_no_order),
      cmocka_unit_test(a_kink_in_the_slope_shows_as_order_one),
      cmocka_unit_test(an_error_that_falls_faster_is_no_failure),
      cmocka_unit_test(a_kink_that_long_steps_cross_is_no_failure),
      cmocka_unit_test(a_sharp_function_is_no_failure),
      cmocka_unit_test(small_components_count_in_their_unit),
      cmocka_unit_test(a_function_that_fails_proves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
