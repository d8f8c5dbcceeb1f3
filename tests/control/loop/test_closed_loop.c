// The closed loop: it stabilizes, equals the linear controller to first order, respects limits, and
// ends when its plant fails.
#include "control/loop/closed_loop.h"

#include "tests/support/balanced.h"
#include "tests/support/hoist.h"

static const double start[] = {0.2, 3.141592653589793 + 0.25, 0, 0};

static void gains_hold_the_pole_upright(void **state) {
  (void)state;
  balanced z = balanced_open();
  for (int kind = 0; kind < 2; kind++) {
    fb_plant p;
    dm_status made = kind == 0 ? fb_plant_discrete(&p, &z.s) : fb_plant_continuous(&p, &z.s, 1e-9);
    if (made == DM_UNAVAILABLE) continue;
    assert_int_equal(made, DM_OK);
    fb_closed_loop_result r;
    assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, NULL, NULL, NULL, &r), DM_OK);
    assert_int_equal(r.steps, HOLD_STEPS);
    assert_int_equal(r.saturated, 0);
    assert_true(r.final_error < 0.01);
    assert_true(r.worst_error >= 0.25 && r.worst_error < 2);
    // without its gains it falls
    double *K = z.f->K, *none = calloc(4 * HOLD_STEPS, sizeof *none);
    z.f->K = none;
    assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, NULL, NULL, NULL, &r), DM_OK);
    assert_true(r.worst_error > 3);
    z.f->K = K;
    free(none);
    fb_plant_free(&p);
  }
  balanced_close(&z);
}

// dx_N = (A-BK)_N-1 .. (A-BK)_0 dx_0 + O(dx_0^2); at an equilibrium the dynamics are odd: O(dx_0^3)
static void small_errors_follow_the_linear_law(void **state) {
  (void)state;
  balanced z = balanced_open();
  z.f->N = 25;
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  double error[2] = {0}, scale = 0.05;
  for (int half = 0; half < 2; half++, scale /= 2) {
    double d[4] = {scale, -scale, 2 * scale, scale}, x[4 * 26];
    fb_closed_loop_result r;
    for (int i = 0; i < 4; i++) x[i] = z.f->x[i] + d[i];
    assert_int_equal(fb_closed_loop_run(z.f, &p, x, NULL, NULL, NULL, x, NULL, &r), DM_OK);
    for (int k = 0; k < 25; k++) {
      const double *A = z.f->A + 16 * k, *B = z.f->B + 4 * k, *K = z.f->K + 4 * k;
      double u = 0, next[4];
      for (int j = 0; j < 4; j++) u -= K[j] * d[j];
      for (int i = 0; i < 4; i++) {
        next[i] = B[i] * u;
        for (int j = 0; j < 4; j++) next[i] += A[4 * i + j] * d[j];
      }
      memcpy(d, next, sizeof d);
    }
    for (int i = 0; i < 4; i++)
      error[half] = fmax(error[half], fabs(x[100 + i] - z.f->x[100 + i] - d[i]));
  }
  assert_true(error[1] > 1e-9);
  assert_true(fabs(error[0] / error[1] - 8) < 0.2);
  fb_plant_free(&p);
  z.f->N = HOLD_STEPS;
  balanced_close(&z);
}

static void limits_cut_inputs_and_are_counted(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  static double u[HOLD_STEPS], x[4 * (HOLD_STEPS + 1)];
  double low = -6, high = 4, none[] = {-INFINITY, INFINITY};
  fb_closed_loop_result r;
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, &low, &high, NULL, x, u, &r), DM_OK);
  int at = 0;
  for (int k = 0; k < HOLD_STEPS; k++) {
    double wanted;
    fb_tvlqr_input(z.f, k, x + 4 * k, &wanted);
    assert_true(u[k] == fmin(fmax(wanted, low), high));
    at += u[k] != wanted;
  }
  assert_true(at > 0);
  assert_int_equal(r.saturated, at);
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, none, none + 1, NULL, NULL, u, &r), DM_OK);
  assert_int_equal(r.saturated, 0);
  fb_plant_free(&p);
  balanced_close(&z);
}

static dm_status drift(void *self, double *x, const double *u, double h) {
  (void)u;
  x[0] += *(const double *)self * h;
  return DM_OK;
}

// A controller without inputs, for a flight phase, has no inputs to record or to limit.
static void a_machine_without_inputs_drifts(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr law = *z.f;
  double speed = 0.5, x[4 * (HOLD_STEPS + 1)];
  const double low = -6, high = 6;
  fb_plant p = {.n = 2, .self = &speed, .step = drift, .u_min = &low, .u_max = &high};
  fb_closed_loop_result r;
  law.nu = 0;
  assert_int_equal(fb_closed_loop_run(&law, &p, start, &low, &high, NULL, x, NULL, &r), DM_OK);
  assert_true(r.steps == HOLD_STEPS && r.saturated == 0);
  assert_close(x[4 * HOLD_STEPS] - x[0], speed * law.h * HOLD_STEPS, 1e-12);
  balanced_close(&z);
}

// the controller does not know the motor's shortfall: the plant moves as with a narrower limit, and
// the loop records the controller's inputs
static void motors_give_less_than_the_law_asks_for(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant p;
  fb_closed_loop_result wide, narrow;
  static double x[2][4 * (HOLD_STEPS + 1)], u[2][HOLD_STEPS];
  const double low = -6, high = 6, less[] = {-2.5, 2};
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  assert_int_equal(
      fb_closed_loop_run(z.f, &p, start, &less[0], &less[1], NULL, x[0], u[0], &narrow), DM_OK);
  p.u_min = &less[0], p.u_max = &less[1];
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, &low, &high, NULL, x[1], u[1], &wide), DM_OK);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_true(wide.saturated == narrow.saturated && narrow.saturated > 0);
  double most = 0;
  for (int k = 0; k < HOLD_STEPS; k++) {
    assert_true(u[0][k] == fmin(fmax(u[1][k], less[0]), less[1]));
    most = fmax(most, fabs(u[1][k]));
  }
  assert_true(most > 2.5 && most <= 6);
  fb_plant_free(&p);
  balanced_close(&z);
}

static void errors_are_measured_by_scale(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  double scale[] = {0.1, 5, 7, 7};
  fb_closed_loop_result plain, by_scale;
  static double x[4 * (HOLD_STEPS + 1)];
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, NULL, x, NULL, &plain), DM_OK);
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, scale, NULL, NULL, &by_scale),
                   DM_OK);
  double worst = 0, worst_by_scale = 0;
  for (int k = 0; k <= HOLD_STEPS; k++)
    for (int i = 0; i < 4; i++) {
      double e = fabs(x[4 * k + i] - z.f->x[4 * k + i]);
      worst = fmax(worst, e);
      worst_by_scale = fmax(worst_by_scale, e / scale[i]);
    }
  assert_true(plain.worst_error == worst);
  assert_true(by_scale.worst_error == worst_by_scale);

  int at;
  double a[] = {1, 2, 3}, b[] = {1, 2.5, 4};
  assert_true(fb_closed_loop_error(3, a, b, NULL, &at) == 1 && at == 2);
  assert_true(fb_closed_loop_error(3, a, b, (double[]){1, 0.1, 1}, &at) == 5 && at == 1);
  b[0] = NAN;
  assert_true(isnan(fb_closed_loop_error(3, a, b, NULL, &at)));
  fb_plant_free(&p);
  balanced_close(&z);
}

// plants that fail, each in a different way, at their fourth step
static dm_status refuse(void *self, double *x, const double *u, double h) {
  (void)u, (void)h;
  x[0] += 0.01;
  return ++*(int *)self > 3 ? DM_SINGULAR : DM_OK;
}
static dm_status explode(void *self, double *x, const double *u, double h) {
  (void)u, (void)h;
  if (++*(int *)self > 3) x[2] = NAN;
  return DM_OK;
}

static void a_failing_plant_ends_the_run(void **state) {
  (void)state;
  balanced z = balanced_open();
  int steps = 0;
  fb_closed_loop_result r;
  fb_plant p = {.n = 2, .nu = 1, .self = &steps, .step = refuse};
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, NULL, NULL, NULL, &r),
                   DM_SINGULAR);
  assert_int_equal(r.steps, 3);
  assert_true(isinf(r.final_error) && isinf(r.worst_error));
  steps = 0, p.step = explode;
  assert_int_equal(fb_closed_loop_run(z.f, &p, start, NULL, NULL, NULL, NULL, NULL, &r),
                   DM_NOT_FINITE);
  assert_int_equal(r.steps, 4);
  assert_true(isinf(r.final_error) && isinf(r.worst_error));
  balanced_close(&z);
}

// a start is moved onto the string; prescribed coordinates are kept as given, and p = L_v(q,v)
static void a_start_is_brought_onto_the_constraints(void **state) {
  (void)state;
  hoist w = hoist_open();
  dm_continuous *c;
  double x[8], plan[8] = {0, -1, 0, 1, 0.1, 0.2}, y[8], h, Dh[4], off = 0;
  double d[8] = {0.2, 0.2, 0.1, 0, 0.2, 0.2, -0.5, 0.6}, wanted[8];
  memcpy(y, plan, sizeof y), memcpy(wanted, d, sizeof d);
  assert_int_equal(dm_continuous_new(&c, &w.s), DM_OK);
  assert_int_equal(fb_closed_loop_start(&w.s, c, d, y, x), DM_OK);
  void *scratch = test_calloc(1, w.s.hol.scratch + 64);
  assert_int_equal(w.s.hol.eval(w.s.hol.self, scratch, y, &h, Dh), DM_OK);
  assert_true(fabs(h) < 1e-14);
  for (int i = 0; i < 4; i++) off += Dh[i] * d[4 + i];
  assert_true(fabs(off) < 1e-14);
  assert_true(y[2] == plan[2] + wanted[2] && y[3] == plan[3] + wanted[3]);
  for (int i = 4; i < 8; i++) assert_true(y[i] == plan[i] + d[i]);
  // the change of velocity has no component along the string's tangent
  double tangent[] = {-Dh[1], Dh[0]}, along = 0;
  for (int i = 0; i < 2; i++) along += tangent[i] * (d[4 + i] - wanted[4 + i]);
  assert_true(fabs(along) < 1e-14);
  assert_memory_equal(x, y, 4 * sizeof *x);
  for (int i = 0; i < 4; i++) assert_true(fabs(x[4 + i] - y[4 + i]) < 1e-15); // 1 kg; velocities
  test_free(scratch);
  dm_continuous_free(c);
  hoist_close(&w);
}

// a load at rest has a momentum along its string, h/2 times its weight: a start without deviation
// has no error, otherwise the error is proportional to the deviation
static void a_start_is_off_by_its_deviation_alone(void **state) {
  (void)state;
  hoist w = hoist_open();
  dm_trajectory *x = hoist_motion(&w, 1, 0.1, 0);
  double plan[8], x0[8], off[2], scale = 0.02;
  memcpy(plan, x->q, 4 * sizeof *plan), memcpy(plan + 4, x->p, 4 * sizeof *plan);
  assert_true(fabs(plan[5] + 0.05 * 9.81) < 1e-12);

  assert_int_equal(fb_closed_loop_offset(&w.s, plan, (double[8]){0}, x0), DM_OK);
  for (int i = 0; i < 8; i++) assert_true(fabs(x0[i] - plan[i]) < 1e-14);

  // it swings sideways and moves on
  for (int half = 0; half < 2; half++, scale /= 2) {
    const double d[8] = {scale, 0, 0, 0, -scale, 0, 0, 0};
    assert_int_equal(fb_closed_loop_offset(&w.s, plan, d, x0), DM_OK);
    off[half] = 0;
    for (int i = 0; i < 8; i++) off[half] = hypot(off[half], x0[i] - plan[i]);
  }
  assert_true(fabs(off[0] - 0.02 * sqrt(2)) < 1e-3);
  assert_true(fabs(off[0] / off[1] - 2) < 0.01);
  dm_trajectory_free(x);
  hoist_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_hold_the_pole_upright),
      cmocka_unit_test(small_errors_follow_the_linear_law),
      cmocka_unit_test(limits_cut_inputs_and_are_counted),
      cmocka_unit_test(a_machine_without_inputs_drifts),
      cmocka_unit_test(motors_give_less_than_the_law_asks_for),
      cmocka_unit_test(errors_are_measured_by_scale),
      cmocka_unit_test(a_failing_plant_ends_the_run),
      cmocka_unit_test(a_start_is_brought_onto_the_constraints),
      cmocka_unit_test(a_start_is_off_by_its_deviation_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
