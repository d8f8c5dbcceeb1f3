// Gains for motors with a lag: their linearization against differences of the plant, the torque that the controller
// or a filter keeps against the plant's, inputs a step late against a prediction, and the limit of a fast motor.
#include "control/feedback/estimator.h"
#include "control/feedback/kept_states.h"
#include "control/feedback/motor.h"
#include "control/feedback/output_feedback.h"
#include "control/loop/plant.h"
#include "tests/support/balanced.h"

enum {
  N = 60,
  NA = 6
}; // (q, p) of slider and pole, the integral of the slider, the motor's torque
static const double Q[] = {10, 100, 1, 1}, R[] = {1}, Qi[] = {20, 0};

// gains along a swing of the cart-pole under a changing force, with a lag or without one; in a loop also with
// inputs a step late, and an integral or none
static fb_tvlqr *swing_with(const balanced *z, double lag, int delay, const double *integral) {
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_plant plant;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, N, 2, 1), DM_OK);
  assert_int_equal(fb_plant_discrete(&plant, &z->s), DM_OK);
  double at[4] = {0, 0.4, 0, 0.1};
  x->h = 0.02;
  for (int k = 0; k <= N; k++) {
    memcpy(x->q + 2 * k, at, 2 * sizeof *at);
    memcpy(x->p + 2 * k, at + 2, 2 * sizeof *at);
    if (k == N) break;
    x->u[k] = 3 * sin(0.2 * k);
    assert_int_equal(plant.step(plant.self, at, x->u + k, x->h), DM_OK);
  }
  fb_plant_free(&plant);
  const fb_weights weights = {.Q = Q,
                              .R = R,
                              .Qf = Q,
                              .delay = delay,
                              .integral = integral,
                              .lag = lag > 0 ? (double[]){lag} : NULL};
  assert_int_equal(fb_tvlqr_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  if (lag > 0) f->lag = NULL; // of this function
  dm_trajectory_free(x);
  return f;
}

static fb_tvlqr *swing(const balanced *z, double lag) {
  return swing_with(z, lag, 0, Qi);
}

// a step of the plant whose motor has a lag: (x, m) under the command c
static void step_lagging(fb_plant *plant, double lag, double h, double *y, double c) {
  const double mean = fb_motor_mean(y[4], c, lag, h);
  assert_int_equal(plant->step(plant->self, y, &mean, h), DM_OK);
  y[4] = fb_motor_move(y[4], c, fb_motor_share(lag, h));
}

// the largest difference between [A B] of step k and central differences over `size` of the plant with its motor
static double linearization_error(const balanced *z, const fb_tvlqr *f, double lag, int k,
                                  double size) {
  double A[NA * NA], B[NA], worst = 0;
  const fb_kept_states kept = {4, 1, 1, 1, f->h, f->integral, f->lagging, f->share, &lag};
  fb_plant plant;
  assert_int_equal(fb_plant_discrete(&plant, &z->s), DM_OK);
  fb_kept_states_extend(&kept, f->A + k * 16, f->B + k * 4, A, B);
  for (int j = 0; j <= 5; j++) { // the state, the torque, the command
    double y[2][5];
    for (int s = 0; s < 2; s++) {
      const double by = s ? size : -size;
      memcpy(y[s], f->x + 4 * k, 4 * sizeof **y);
      y[s][4] = f->u[k]; // as the command: their mean is the plan's
      if (j < 5) y[s][j] += by;
      step_lagging(&plant, lag, f->h, y[s], f->u[k] + (j == 5 ? by : 0));
    }
    for (int i = 0; i < 5; i++) {
      const int row = i < 4 ? i : 5, column = j < 4 ? j : 5;
      const double slope = (y[1][i] - y[0][i]) / (2 * size);
      worst = fmax(worst, fabs(slope - (j == 5 ? B[row] : A[row * NA + column])));
    }
  }
  fb_plant_free(&plant);
  return worst;
}

static void the_linearization_is_that_of_the_plant_with_its_motor(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double lags[] = {0.004, 0.05, 0.4};
  for (int l = 0; l < 3; l++) {
    fb_tvlqr *f = swing(&z, lags[l]);
    assert_true(f->nl == 1 && f->ni == 1 && f->lagging[0] == 0);
    for (int k = 7; k < 50; k += 21) {
      f->u[k] = 3 * sin(0.2 * k); // the torque itself as command
      const double off[] = {linearization_error(&z, f, lags[l], k, 2e-2),
                            linearization_error(&z, f, lags[l], k, 1e-2)};
      assert_true(off[1] < 1e-3);
      assert_close(log2(off[0] / off[1]), 2, 0.02); // differences are of second order
    }
    fb_tvlqr_free(f);
  }
  balanced_close(&z);
}

// The controller's torque is the plant's minus the plan's, whatever the measurements, also where a limit cuts the input.
static void the_kept_torque_is_that_of_the_motor(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double lag = 0.07, share = fb_motor_share(lag, 0.02);
  fb_tvlqr *f = swing(&z, lag);
  fb_output_feedback *law;
  f->lag = &lag;
  assert_int_equal(fb_output_feedback_new(&law, f, &z.s, FB_STATE, false, NULL), DM_OK);
  double m = 1.5, planned = 1.5, u = 0;
  int cut = 0;
  for (int k = 0; k < N; k++) {
    double x[4];
    for (int i = 0; i < 4; i++) x[i] = f->x[4 * k + i] + 0.05 * sin(3. * k + i);
    assert_int_equal(law->controller.input(law, k, x, &u), DM_OK);
    assert_close(law->z[1], m - planned, 1e-13);
    cut += fabs(u) > 4;
    u = fmin(fmax(u, -4), 4);
    m = fb_motor_move(m, u, share);
    planned = fb_motor_move(planned, f->u[k], share);
  }
  assert_true(cut > 3 && cut < N - 3);
  fb_output_feedback_free(law);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

// A decision for the next step is that of the gains there, of the state and torque to which this step leads.
static void late_inputs_are_those_of_the_prediction(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double lag = 0.05;
  fb_tvlqr *prompt = swing_with(&z, lag, 0, NULL), *late = swing_with(&z, lag, 1, NULL);
  const fb_kept_states kept = {4,           1,   0, 1, late->h, late->integral, late->lagging,
                               late->share, &lag};
  for (int k = 0; k + 1 < N; k++) {
    double A[25], B[5], y[6], wanted = 0, found = 0, size = 0;
    fb_kept_states_extend(&kept, late->A + 16 * k, late->B + 4 * k, A, B);
    for (int j = 0; j < 6; j++)
      y[j] = sin(5. * k + j); // the state, the torque, the input under way
    for (int i = 0; i < 5; i++) {
      const double K = i < 4 ? prompt->K[4 * (k + 1) + i] : prompt->Ki[k + 1];
      double next = B[i] * y[5];
      for (int j = 0; j < 5; j++) next += A[5 * i + j] * y[j];
      wanted += K * next;
      size += fabs(K * next);
    }
    for (int j = 0; j < 4; j++) found += late->K[4 * k + j] * y[j];
    found += late->Ki[k] * y[4] + late->W[k] * y[5];
    assert_close(found, wanted, 1e-13 * size);
  }
  fb_tvlqr_free(prompt);
  fb_tvlqr_free(late);
  balanced_close(&z);
}

// A filter has the torque from commands alone, cut or not, whatever the encoders measure.
static void a_filter_knows_the_torque(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double lag = 0.07, share = fb_motor_share(lag, 0.02), same[] = {1e-3, 1e-3},
               wide[] = {0.1, 0.1};
  const fb_sensor_noise noise = {
      .encoder = same, .process = same, .start_q = wide, .start_p = wide};
  fb_tvlqr *f = swing_with(&z, lag, 0, NULL);
  fb_estimator *filter;
  int failed;
  f->lag = &lag;
  assert_int_equal(fb_estimator_new(&filter, f, &z.s, &noise, &failed, NULL), DM_OK);
  const fb_sensor sensor = fb_estimator_sensor(filter);
  double m = 0.5;
  sensor.begin(sensor.self, 0);
  for (int k = 0; k < N; k++) {
    double x[4];
    for (int i = 0; i < 4; i++) x[i] = f->x[4 * k + i] + 0.05 * sin(3. * k + i);
    sensor.measure(sensor.self, k, x);
    assert_close(*sensor.motor, k ? m : 0, 1e-13);
    assert_true(fb_estimator_deviation(filter, k, 0) > 0 &&
                fb_estimator_deviation(filter, k, 4) == 0);
    const double off = 3 * sin(0.7 * k), u = f->u[k] + off;
    m = fb_motor_move(k ? m : 0, off, share);
    sensor.act(sensor.self, k, &u, x);
  }
  fb_estimator_free(filter);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

// With a short lag, K is that without one up to terms in proportion to the lag, and the gain on the torque vanishes so.
static void a_fast_motor_has_the_gains_of_an_ideal_one(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *ideal = swing(&z, 0);
  double off[2], on[2];
  for (int l = 0; l < 2; l++) {
    fb_tvlqr *f = swing(&z, l ? 5e-5 : 1e-4);
    off[l] = on[l] = 0;
    for (int i = 0; i < 4 * N; i++) off[l] = fmax(off[l], fabs(f->K[i] - ideal->K[i]));
    for (int k = 0; k < N; k++) on[l] = fmax(on[l], fabs(f->Ki[2 * k + 1]));
    fb_tvlqr_free(f);
  }
  assert_close(off[0] / off[1], 2, 0.05);
  assert_close(on[0] / on[1], 2, 0.05);
  fb_tvlqr_free(ideal);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_linearization_is_that_of_the_plant_with_its_motor),
      cmocka_unit_test(the_kept_torque_is_that_of_the_motor),
      cmocka_unit_test(late_inputs_are_those_of_the_prediction),
      cmocka_unit_test(a_filter_knows_the_torque),
      cmocka_unit_test(a_fast_motor_has_the_gains_of_an_ideal_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
