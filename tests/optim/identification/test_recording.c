#include "lib/base/random.h"
#include "tests/support/models.h"

enum { MOST = 2000 };

// one coordinate and one input with times of their own
typedef struct log {
  double t[2][MOST], y[2][MOST];
  oc_channel q, u;
  oc_recording recording;
} log_t;

static double position(double t) {
  return 0.3 - 2 * t + 5 * t * t;
}

static double torque(double t) {
  return 1 + 3 * t;
}

// 500 samples at uneven times of about 2 ms, inputs 0.7 ms later
static void make_log(log_t *w, double noise) {
  for (int i = 0; i < 500; i++) {
    w->t[0][i] = 0.002 * i + 0.0004 * dm_random_uniform(1, 1, (uint64_t)i);
    w->t[1][i] = 0.002 * i - 0.0013;
    w->y[0][i] = position(w->t[0][i]) + noise * dm_random_normal(1, 2, (uint64_t)i);
    w->y[1][i] = torque(w->t[1][i]);
  }
  w->q = (oc_channel){"pivot", 500, w->t[0], w->y[0]};
  w->u = (oc_channel){"motor", 500, w->t[1], w->y[1]};
  w->recording = (oc_recording){.name = "log.csv", .n = 1, .nu = 1, .q = &w->q, .u = &w->u};
}

static oc_measured_motion *measure(const log_t *w, double h) {
  oc_measured_motion *m;
  dm_message msg = {""};
  if (oc_measured_motion_new(&m, &w->recording, h, &msg) != DM_OK) fail_msg("%s", msg.text);
  return m;
}

static void polynomials_of_degree_two_are_exact_at_knots(void **state) {
  (void)state;
  static log_t w;
  make_log(&w, 0);
  for (double h = 0.0021; h < 0.03; h *= 1.7) {
    oc_measured_motion *m = measure(&w, h);
    assert_int_equal(m->pieces, 1);
    for (int k = 1; k + 1 < m->knots; k++) {
      const double t = m->start + k * h;
      // a single sample in a step: three neighbours
      if (m->weight[k] > 0) assert_close(m->q[k], position(t), 1e-12);
      assert_close(m->u[k], torque(t + 0.5 * h), 1e-12);
      assert_close(m->u_delay[k], -3, 1e-9);
    }
    oc_measured_motion_free(m);
  }
}

static void weight_is_the_inverse_of_the_variance(void **state) {
  (void)state;
  static log_t w;
  make_log(&w, 1e-3);
  oc_measured_motion *m = measure(&w, 0.02);
  double sum = 0;
  int count = 0;
  for (int k = 1; k + 1 < m->knots; k++, count++) {
    const double off = (m->q[k] - position(m->start + k * 0.02)) / 1e-3;
    sum += off * off * m->weight[k];
    // ten samples, a parabola: 10 * 4 / 9
    assert_close(m->weight[k], 4.4, 0.8);
  }
  // a mean of 48 squares with variance 2 each
  assert_close(sum / count, 1, 3 * sqrt(2.0 / count));
  oc_measured_motion_free(m);
}

static void a_delay_moves_the_inputs(void **state) {
  (void)state;
  static log_t w;
  make_log(&w, 0);
  oc_measured_motion *m = measure(&w, 0.01);
  oc_measured_motion_delay(m, 0.006);
  for (int k = 2; k + 2 < m->knots; k++)
    assert_close(m->u[k], torque(m->start + (k + 0.5) * 0.01 - 0.006), 1e-12);
  oc_measured_motion_free(m);

  // held inputs: the mean of a step function; the derivative is the difference of its ends
  for (int i = 0; i < 500; i++) w.y[1][i] = i >= 250;
  w.recording.held = true;
  m = measure(&w, 0.01);
  const int k = (int)floor((w.t[1][250] - m->start) / 0.01);
  const double after = m->start + (k + 1) * 0.01 - w.t[1][250];
  assert_close(m->u[k], after / 0.01, 1e-9);
  assert_close(m->u_delay[k], -100, 1e-9);
  oc_measured_motion_delay(m, 0.001);
  assert_close(m->u[k], (after - 0.001) / 0.01, 1e-9);
  oc_measured_motion_free(m);
}

static void gaps_cut_and_dropped_samples_do_not(void **state) {
  (void)state;
  static log_t w;
  make_log(&w, 0);
  // 12 ms without samples, then 200 ms
  for (int i = 100; i < 106; i++) w.y[0][i] = NAN;
  for (int i = 300; i < 400; i++) w.y[0][i] = NAN;
  oc_measured_motion *m = measure(&w, 0.005);
  assert_int_equal(m->pieces, 2);
  int empty = 0;
  for (int p = 0; p < 2; p++)
    for (int k = m->piece[p][0]; k < m->piece[p][0] + m->piece[p][1]; k++) {
      empty += m->weight[k] == 0;
      assert_true(isfinite(m->q[k]));
    }
  assert_true(empty >= 1 && empty <= 3);
  const double end = m->start + (m->piece[0][0] + m->piece[0][1] - 1) * 0.005;
  assert_close(end, 0.6, 0.006);
  assert_close(m->start + m->piece[1][0] * 0.005, 0.8, 0.006);
  oc_measured_motion_free(m);
}

static void bad_logs_are_refused_by_name(void **state) {
  (void)state;
  static log_t w;
  oc_measured_motion *m;
  dm_message msg;
  make_log(&w, 0);
  w.t[0][7] = w.t[0][6];
  assert_int_equal(oc_measured_motion_new(&m, &w.recording, 0.01, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "log.csv: times of 'pivot' must increase"));
  make_log(&w, 0);
  assert_int_equal(oc_measured_motion_new(&m, &w.recording, 0.001, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "take longer steps"));
  w.u.count = 2;
  assert_int_equal(oc_measured_motion_new(&m, &w.recording, 0.01, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "2 samples of 'motor'"));
  w.u.count = 10;
  assert_int_equal(oc_measured_motion_new(&m, &w.recording, 0.1, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "in common"));
  assert_null(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_of_degree_two_are_exact_at_knots),
      cmocka_unit_test(weight_is_the_inverse_of_the_variance),
      cmocka_unit_test(a_delay_moves_the_inputs),
      cmocka_unit_test(gaps_cut_and_dropped_samples_do_not),
      cmocka_unit_test(bad_logs_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
