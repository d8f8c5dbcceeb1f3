// Statistics of what is watched: of a straight line its slope and no scatter, of a bounded error
// hardly a slope, and the scatter of a sine.
#include "tests/support/models.h"

enum { STEPS = 999 };

static const double pi = 3.14159265358979323846;

// y(k) over a whole run
static dm_series_summary summary_of(double (*y)(int k), double h) {
  dm_series series = {0};
  for (int k = 0; k <= STEPS; k++) dm_series_add(&series, k, STEPS, y(k));
  assert_int_equal(series.count, STEPS + 1);
  return dm_series_summarize(&series, h);
}

static double rising(int k) {
  return 1e6 + 0.02 * k;
}

static double swinging(int k) {
  return 3 + sin(2 * pi * k / 10);
}

static void a_line_has_a_slope_and_no_scatter(void **state) {
  (void)state;
  dm_series_summary of = summary_of(rising, 0.01);
  assert_close(of.slope, 2, 1e-11);
  assert_close(of.scatter, 0, 1e-6);
  assert_close(of.start, 1e6, 0);
  assert_close(of.low, 1e6, 0);
  assert_close(of.high, 1e6 + 0.02 * STEPS, 0);
  assert_close(of.mean, 1e6 + 0.01 * STEPS, 1e-8);

  // tenths have their means at the middle of each
  assert_int_equal(of.windows, DM_WINDOWS);
  for (int i = 0; i < DM_WINDOWS; i++)
    assert_close(of.window[i], 1e6 + 0.02 * (100 * i + 49.5), 1e-8);
}

static void a_bounded_error_hardly_has_one(void **state) {
  (void)state;
  dm_series_summary of = summary_of(swinging, 0.01);
  assert_close(of.mean, 3, 1e-12);
  // the line takes 6/(pi periods) of the amplitude off it
  assert_close(of.scatter, sqrt(0.5 - pow(6 / (pi * 100), 2) / 12), 2e-6);
  assert_true(fabs(of.slope) < 4e-3);
  for (int i = 0; i < DM_WINDOWS; i++) assert_close(of.window[i], 3, 1e-12);
}

static void what_is_not_there_is_not_counted(void **state) {
  (void)state;
  dm_series series[DM_MONITORS] = {{0}};
  double value[DM_MONITORS];
  for (int i = 0; i < DM_MONITORS; i++) value[i] = i;
  value[DM_MONITOR_FORM] = NAN;
  for (int k = 0; k <= 2; k++) dm_monitors_add(series, k, 2, value);
  for (int i = 0; i < DM_MONITORS; i++)
    assert_int_equal(series[i].count, i == DM_MONITOR_FORM ? 0 : 3);

  // three knots fall into three of the tenths
  dm_series_summary of = dm_series_summarize(&series[DM_MONITOR_CLOUD], 1);
  assert_int_equal(of.windows, 3);
  assert_string_equal(dm_monitor_names[DM_MONITOR_CLOUD], "form.cloud");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_has_a_slope_and_no_scatter),
      cmocka_unit_test(a_bounded_error_hardly_has_one),
      cmocka_unit_test(what_is_not_there_is_not_counted),
  };
  return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
