// Gains for inputs that act one step late: the regulator of the system that carries them along.
#include "control/delay.h"
#include "control/loop.h"
#include "control/measure.h"

#include "tests/hold.h"

static fb_schedule *late_schedule(const hold *z, const double *Qf) {
  static const double Q[] = {10, 100, 1, 1}, R[] = {1};
  dm_trajectory *x;
  fb_schedule *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, HOLD_STEPS, 2, 1), DM_OK);
  x->h = z->f->h;
  for (int k = 0; k <= HOLD_STEPS; k++) x->q[2 * k + 1] = 3.141592653589793;
  fb_weights weights = {.Q = Q, .R = R, .Qf = Qf, .delay = 1};
  assert_int_equal(fb_schedule_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return f;
}

// what the law of a schedule makes of a start: the loop with its inputs, late or not
static dm_status balance(const hold *z, const fb_schedule *f, const double *start, double *x,
                         double *u, fb_loop_result *r) {
  fb_plant p;
  fb_measure *w;
  assert_int_equal(fb_plant_discrete(&p, &z->s), DM_OK);
  assert_int_equal(fb_measure_new(&w, f, &z->s, FB_STATE, true, NULL), DM_OK);
  dm_status s = fb_loop_run(&w->f, &p, start, NULL, NULL, NULL, x, u, r);
  fb_measure_free(w);
  fb_plant_free(&p);
  return s;
}

// the sum of dx'Q dx + dv'R dv is dx'P dx where the input under way is as planned; and more than
// without delay
static void the_value_is_the_cost(void **state) {
  (void)state;
  hold z = hold_open();
  static const double Q[] = {10, 100, 1, 1};
  fb_schedule *f = late_schedule(&z, Q);
  static double x[4 * (HOLD_STEPS + 1)], u[HOLD_STEPS];
  double error[2], scale = 0.02;
  for (int half = 0; half < 2; half++, scale /= 2) {
    double start[] = {scale, 3.141592653589793 + scale, 0, -scale}, cost = 0, value = 0, plain = 0;
    fb_loop_result r;
    assert_int_equal(balance(&z, f, start, x, u, &r), DM_OK);
    assert_true(u[0] == 0); // nothing was decided yet
    for (int i = 0; i < 4 * (HOLD_STEPS + 1); i++) cost += Q[i % 4] * pow(x[i] - f->x[i], 2);
    for (int k = 0; k < HOLD_STEPS; k++) cost += u[k] * u[k];
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        value += (start[i] - f->x[i]) * f->P[4 * i + j] * (start[j] - f->x[j]);
        plain += (start[i] - f->x[i]) * z.f->P[4 * i + j] * (start[j] - f->x[j]);
      }
    assert_true(value > 1.01 * plain);
    error[half] = fabs(cost / value - 1);
  }
  assert_true(error[1] < 1e-3 && fabs(error[0] / error[1] - 4) < 0.2);
  fb_schedule_free(f);
  hold_close(&z);
}

// gains that know of the delay hold where those that do not let the pole fall
static void gains_made_for_it_hold(void **state) {
  (void)state;
  hold z = hold_open();
  fb_schedule *f = late_schedule(&z, NULL);
  static double none[HOLD_STEPS], x[4 * (HOLD_STEPS + 1)], u[HOLD_STEPS];
  double start[] = {0.1, 3.141592653589793 + 0.1, 0, 0};
  fb_loop_result knowing, blind;
  assert_int_equal(balance(&z, f, start, x, u, &knowing), DM_OK);
  fb_schedule naive = *z.f;
  naive.late = 1, naive.W = none;
  balance(&z, &naive, start, x, u, &blind);
  assert_true(knowing.final_error < 0.01);
  assert_true(knowing.worst_error < blind.worst_error);
  fb_schedule_free(f);
  hold_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_value_is_the_cost),
      cmocka_unit_test(gains_made_for_it_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
