// Probabilities estimated from counts: the interval compared with sums of binomial terms.
#include "control/loop/binomial.h"

#include "tests/support/models.h"

// probability of at least `held` of n
static double tail(int held, int n, double p) {
  double sum = 0;
  for (int k = held; k <= n; k++)
    sum +=
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
  return sum;
}

static void the_beta_function_is_the_binomial_tail(void **state) {
  (void)state;
  for (int n = 1; n < 60; n += 7)
    for (int held = 1; held <= n; held++)
      for (double p = 0.05; p < 1; p += 0.15)
        assert_close(fb_binomial_beta(held, n - held + 1, p), tail(held, n, p), 1e-12);
  for (double x = 0.1; x < 1; x += 0.2) assert_close(fb_binomial_beta(1, 1, x), x, 1e-14);
}

// at the ends of the interval each tail has half of the remaining probability
static void ends_leave_what_confidence_allows(void **state) {
  (void)state;
  double low, high;
  for (int n = 5; n < 80; n += 15)
    for (int held = 0; held <= n; held += 5) {
      fb_binomial_interval(held, n, 0.9, &low, &high);
      if (held > 0) assert_close(tail(held, n, low), 0.05, 1e-10);
      if (held < n) assert_close(1 - tail(held + 1, n, high), 0.05, 1e-10);
      assert_true(low <= (double)held / n && (double)held / n <= high);
    }
}

static void all_and_none_have_closed_forms(void **state) {
  (void)state;
  double low, high;
  fb_binomial_interval(0, 20, 0.95, &low, &high);
  assert_true(low == 0);
  assert_close(high, 1 - pow(0.025, 1. / 20), 1e-14);
  fb_binomial_interval(20, 20, 0.95, &low, &high);
  assert_true(high == 1);
  assert_close(low, pow(0.025, 1. / 20), 1e-14);
  assert_close(fb_binomial_lower_bound(1000, 1000, 0.99), pow(0.01, 1e-3), 1e-14);
  fb_binomial_interval(0, 0, 0.95, &low, &high);
  assert_true(low == 0 && high == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_beta_function_is_the_binomial_tail),
      cmocka_unit_test(ends_leave_what_confidence_allows),
      cmocka_unit_test(all_and_none_have_closed_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
