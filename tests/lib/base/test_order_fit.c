// The order of convergence: known orders are found, from exact errors and from differences of
// approximations, which have the reference's own error in them.
#include "lib/base/order_fit.h"

#include "tests/support/models.h"

enum { STEPS = 5 };
static const double h[STEPS] = {0.4, 0.2, 0.1, 0.05, 0.025};

static void a_power_is_its_own_order(void **state) {
  (void)state;
  for (int p = 1; p <= 6; p++) {
    double e[STEPS];
    for (int i = 0; i < STEPS; i++) e[i] = 3 * pow(h[i], p);
    const dm_order_fit fit = dm_order_fit_errors(STEPS, h, e, 0);
    assert_int_equal(fit.n, STEPS);
    assert_close(fit.order, p, 1e-12);
    assert_close(fit.constant, 3, 1e-10);
    assert_close(fit.scatter, 0, 1e-12);
    assert_close(dm_order_fit_error(&fit, 0.3, 0), 3 * pow(0.3, p), 1e-9);
  }
}

// e.g. h^2 at 0.4 and 0.2, measured from 0.1: 0.15 and 0.03, a naive slope of 2.32
static void the_references_own_error_is_taken_off(void **state) {
  (void)state;
  for (int p = 1; p <= 6; p++) {
    double e[STEPS];
    for (int i = 0; i < STEPS; i++) e[i] = 2 * fabs(pow(h[i], p) - pow(h[STEPS - 1], p));
    const dm_order_fit fit = dm_order_fit_errors(STEPS, h, e, h[STEPS - 1]);
    assert_int_equal(fit.n, STEPS - 1);
    assert_close(fit.order, p, 1e-6);
    assert_close(fit.constant, 2, 1e-4);
    assert_close(dm_order_fit_error(&fit, h[0], h[STEPS - 1]), e[0], 1e-6 * e[0]);
  }
}

static void counted_steps_have_the_negative_order(void **state) {
  (void)state;
  const double N[] = {10, 20, 40, 80};
  double e[4];
  for (int i = 0; i < 4; i++) e[i] = 5 * pow(N[i], -2);
  assert_close(dm_order_fit_errors(4, N, e, 0).order, -2, 1e-12);
  for (int i = 0; i < 4; i++) e[i] = 5 * fabs(pow(N[i], -2) - pow(80, -2));
  assert_close(dm_order_fit_errors(4, N, e, 80).order, -2, 1e-6);
}

// the trapezoid rule for the integral of exp over [0, 1]
static void a_rule_of_second_order_is_one(void **state) {
  (void)state;
  double error[STEPS], value[STEPS];
  for (int i = 0; i < STEPS; i++) {
    const int n = 1 << (i + 1);
    const double step = 1. / n;
    value[i] = 0;
    for (int k = 0; k < n; k++) value[i] += step * (exp(k * step) + exp((k + 1) * step)) / 2;
    error[i] = fabs(value[i] - (exp(1) - 1));
  }
  const double steps[STEPS] = {0.5, 0.25, 0.125, 0.0625, 0.03125};
  assert_close(dm_order_fit_errors(STEPS, steps, error, 0).order, 2, 0.01);

  // from the finest in place of the integral
  for (int i = 0; i < STEPS; i++) error[i] = fabs(value[i] - value[STEPS - 1]);
  assert_close(dm_order_fit_errors(STEPS, steps, error, 0.03125).order, 2, 0.01);
}

static void too_few_errors_have_no_order(void **state) {
  (void)state;
  const double e[] = {1, 0, NAN, -1}, one[] = {0.1, 0.1}, two[] = {1e-3, 2e-3};
  assert_true(isnan(dm_order_fit_errors(4, h, e, 0).order));
  assert_int_equal(dm_order_fit_errors(4, h, e, 0).n, 1);
  assert_true(isnan(dm_order_fit_errors(0, h, e, 0).order));
  assert_true(isnan(dm_order_fit_errors(2, one, two, 0).order));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_power_is_its_own_order),
      cmocka_unit_test(the_references_own_error_is_taken_off),
      cmocka_unit_test(counted_steps_have_the_negative_order),
      cmocka_unit_test(a_rule_of_second_order_is_one),
      cmocka_unit_test(too_few_errors_have_no_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
