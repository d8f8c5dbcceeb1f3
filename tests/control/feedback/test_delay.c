// Gains for inputs that act one step late: the regulator of the system extended by the delayed
// inputs.
#include "control/feedback/dare.h"
#include "control/feedback/delay.h"
#include "control/feedback/output_feedback.h"
#include "control/loop/closed_loop.h"

#include "tests/support/balanced.h"

static fb_tvlqr *late_schedule(const balanced *z, const double *Qf) {
  static const double Q[] = {10, 100, 1, 1}, R[] = {1};
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, HOLD_STEPS, 2, 1), DM_OK);
  x->h = z->f->h;
  for (int k = 0; k <= HOLD_STEPS; k++) x->q[2 * k + 1] = 3.141592653589793;
  fb_weights weights = {.Q = Q, .R = R, .Qf = Qf, .delay = 1};
  assert_int_equal(fb_tvlqr_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return f;
}

// closed loop with a gain schedule from an initial state, with its inputs delayed or not
static dm_status balance(const balanced *z, const fb_tvlqr *f, const double *start, double *x,
                         double *u, fb_closed_loop_result *r) {
  fb_plant p;
  fb_output_feedback *w;
  assert_int_equal(fb_plant_discrete(&p, &z->s), DM_OK);
  assert_int_equal(fb_output_feedback_new(&w, f, &z->s, FB_STATE, true, NULL), DM_OK);
  dm_status s = fb_closed_loop_run(&w->f, &p, start, NULL, NULL, NULL, x, u, r);
  fb_output_feedback_free(w);
  fb_plant_free(&p);
  return s;
}

// the gains equal the gains of the regulator of (x,w), computed by a sweep of that extended system
static void it_is_the_regulator_of_state_and_input_under_way(void **state) {
  (void)state;
  enum { N = 6, NX = 3, NU = 2, NZ = NX + NU };
  static double A[N][NX][NX], B[N][NX][NU], K[N][NU][NX], P[N + 1][NX][NX], W[N][NU][NU];
  static double Az[N][NZ][NZ], Bz[NZ][NU], Kz[N][NU][NZ], Pz[N + 1][NZ][NZ], Qz[NZ][NZ],
      Qfz[NZ][NZ], Qf[NX][NX];
  const double Q[NX][NX] = {{2, 0.5, 0}, {0.5, 1, 0}, {0, 0, 3}}, R[NU][NU] = {{1, 0.2}, {0.2, 2}};
  uint64_t r = 5;
  int failed;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < NX; i++) {
      for (int j = 0; j < NX; j++) Az[k][i][j] = A[k][i][j] = models_random(&r);
      for (int j = 0; j < NU; j++) Az[k][i][NX + j] = B[k][i][j] = models_random(&r);
    }
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NX; j++) Qz[i][j] = Q[i][j], Qfz[i][j] = Qf[i][j] = 2 * Q[i][j];
  for (int j = 0; j < NU; j++) Bz[NX + j][j] = 1;
  fb_lq lq = {N, NX, NU, .A = A[0][0], .B = B[0][0], .Q = Q[0], .R = R[0], .Qf = Qf[0]};
  lq.A_stride = NX * NX, lq.B_stride = NX * NU;
  fb_lq both = {N, NZ, NU, .A = Az[0][0], .B = Bz[0], .Q = Qz[0], .R = R[0], .Qf = Qfz[0]};
  both.A_stride = NZ * NZ;
  fb_riccati *w;
  assert_int_equal(fb_riccati_new(&w, NX, NU), DM_OK);
  assert_int_equal(fb_riccati_sweep(w, &lq, K[0][0], P[0][0], &failed), DM_OK);
  fb_riccati_free(w);
  assert_int_equal(fb_riccati_new(&w, NZ, NU), DM_OK);
  assert_int_equal(fb_riccati_sweep(w, &both, Kz[0][0], Pz[0][0], &failed), DM_OK);
  fb_riccati_free(w);
  fb_delay_gains(N, NX, NU, A[0][0], B[0][0], NULL, K[0][0], W[0][0]);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < NU; i++) {
      for (int j = 0; j < NX; j++) assert_close(K[k][i][j], Kz[k][i][j], 1e-13);
      for (int j = 0; j < NU; j++) assert_close(W[k][i][j], Kz[k][i][NX + j], 1e-13);
    }
}

// the sum of dx'Q dx + dv'R dv equals the cost of the first step, with its input as planned, plus
// dx'P dx after it; and exceeds the cost without delay
static void the_value_is_the_cost(void **state) {
  (void)state;
  balanced z = balanced_open();
  static const double Q[] = {10, 100, 1, 1};
  fb_tvlqr *f = late_schedule(&z, Q);
  static double x[4 * (HOLD_STEPS + 1)], u[HOLD_STEPS];
  double error[2], scale = 0.02;
  for (int half = 0; half < 2; half++, scale /= 2) {
    double start[] = {scale, 3.141592653589793 + scale, 0, -scale}, cost = 0, value = 0, plain = 0;
    fb_closed_loop_result r;
    assert_int_equal(balance(&z, f, start, x, u, &r), DM_OK);
    assert_true(u[0] == 0); // no input has been decided yet
    for (int i = 0; i < 4 * (HOLD_STEPS + 1); i++) cost += Q[i % 4] * pow(x[i] - f->x[i], 2);
    for (int k = 0; k < HOLD_STEPS; k++) cost += u[k] * u[k];
    for (int i = 0; i < 4; i++) value += Q[i] * pow(start[i] - f->x[i], 2);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        value += (x[4 + i] - f->x[4 + i]) * f->P[16 + 4 * i + j] * (x[4 + j] - f->x[4 + j]);
        plain += (start[i] - f->x[i]) * z.f->P[4 * i + j] * (start[j] - f->x[j]);
      }
    assert_true(value > 1.01 * plain);
    error[half] = fabs(cost / value - 1);
  }
  assert_true(error[1] < 1e-3 && fabs(error[0] / error[1] - 4) < 0.2);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

// at an equilibrium the controller is constant, and its loop decays like the loop without delay
static void at_rest_one_gain_holds_for_all_times(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *one[2], *swept = late_schedule(&z, NULL);
  dm_trajectory *x;
  double radius[2];
  static const double Q[] = {10, 100, 1, 1}, R[] = {1};
  assert_int_equal(dm_trajectory_new(&x, HOLD_STEPS, 2, 1), DM_OK);
  x->h = z.f->h;
  for (int k = 0; k <= HOLD_STEPS; k++) x->q[2 * k + 1] = 3.141592653589793;
  for (int late = 0; late < 2; late++) {
    int failed;
    fb_weights weights = {.Q = Q, .R = R, .rest = HOLD_STEPS, .delay = late};
    assert_int_equal(fb_tvlqr_new(&one[late], x, &z.s, &weights, &failed, NULL), DM_OK);
    const fb_tvlqr *f = one[late];
    assert_int_equal(fb_dare_radius(4, 1, f->A, f->B, f->K, f->W, &radius[late]), DM_OK);
  }
  for (int k = 0; k < HOLD_STEPS; k++) {
    for (int j = 0; j < 4; j++) {
      assert_true(one[1]->K[4 * k + j] == one[1]->K[j]);
      assert_close(one[1]->K[4 * k + j], swept->K[4 * k + j], 1e-9);
    }
    assert_true(one[1]->W[k] == one[1]->W[0]);
  }
  assert_true(radius[0] < 0.99);
  assert_close(radius[1], radius[0], 1e-9);
  for (int late = 0; late < 2; late++) fb_tvlqr_free(one[late]);
  fb_tvlqr_free(swept);
  dm_trajectory_free(x);
  balanced_close(&z);
}

// gains computed with the delay balance the pole; gains computed without it let the pole fall
static void gains_made_for_it_hold(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *f = late_schedule(&z, NULL);
  static double none[HOLD_STEPS], x[4 * (HOLD_STEPS + 1)], u[HOLD_STEPS];
  double start[] = {0.1, 3.141592653589793 + 0.1, 0, 0};
  fb_closed_loop_result knowing, blind;
  assert_int_equal(balance(&z, f, start, x, u, &knowing), DM_OK);
  fb_tvlqr naive = *z.f;
  naive.late = 1, naive.W = none;
  balance(&z, &naive, start, x, u, &blind);
  assert_true(knowing.final_error < 0.01);
  assert_true(knowing.worst_error < blind.worst_error);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_regulator_of_state_and_input_under_way),
      cmocka_unit_test(the_value_is_the_cost),
      cmocka_unit_test(at_rest_one_gain_holds_for_all_times),
      cmocka_unit_test(gains_made_for_it_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
