// A gain schedule at another rate: unchanged at its own rate, the plan's impulse at any rate, and
// close to a finer motion in between.
#include "control/feedback/resample.h"
#include "control/loop/closed_loop.h"

#include "tests/support/balanced.h"
#include "tests/support/hoist.h"

// a cart-pole that swings for one second under a force independent of the grid
static fb_tvlqr *swing(dm_system *s, int N) {
  static const double Q[] = {20, 10, 5, 5}, R[] = {0.2};
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, N, s), DM_OK);
  x->h = 1.0 / N, x->q[1] = 0.8;
  for (int k = 0; k < N; k++) x->u[k] = 2 * sin(6 * (k + 0.5) / N);
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  assert_int_equal(fb_tvlqr_new(&f, x, s, &weights, &failed, NULL), DM_OK);
  dm_del_free(del);
  dm_trajectory_free(x);
  return f;
}

// the same with steps that grow from a third to five thirds of their mean
static fb_tvlqr *swing_unevenly(dm_system *s, int N) {
  static const double Q[] = {20, 10, 5, 5}, R[] = {0.2};
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, N, s), DM_OK);
  x->h = 1.0 / N, x->q[1] = 0.8;
  for (int k = 0; k < N; k++) x->grid[k] = k / 3. + 2. / 3 * k * k / N;
  for (int k = 0; k < N; k++) x->u[k] = 2 * sin(6 * dm_trajectory_within(x, k, 0.5));
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  assert_int_equal(fb_tvlqr_new(&f, x, s, &weights, &failed, NULL), DM_OK);
  dm_del_free(del);
  dm_trajectory_free(x);
  return f;
}

static fb_tvlqr *late_at(const fb_tvlqr *f, const dm_system *s, double rate, bool between,
                         int late) {
  fb_tvlqr *g;
  dm_message msg = {""};
  if (fb_resample_new(&g, f, s, rate, between, late, &msg) != DM_OK) fail_msg("%s", msg.text);
  return g;
}

static fb_tvlqr *at(const fb_tvlqr *f, const dm_system *s, double rate, bool between) {
  return late_at(f, s, rate, between, 0);
}

static void at_its_own_rate_it_is_the_same(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  fb_tvlqr *f = swing(&s, 50);
  for (int between = 0; between < 2; between++) {
    fb_tvlqr *g = at(f, &s, 50, between);
    assert_int_equal(g->N, 50);
    assert_memory_equal(g->x, f->x, 4 * 51 * sizeof *f->x);
    assert_memory_equal(g->K, f->K, 4 * 50 * sizeof *f->K);
    for (int k = 0; k < 50; k++) assert_close(g->u[k], f->u[k], 1e-12);
    fb_tvlqr_free(g);
  }
  // also with every fifth knot only
  fb_tvlqr *g = at(f, &s, 10, false);
  for (int j = 0; j < 10; j++) {
    assert_memory_equal(g->x + 4 * j, f->x + 20 * j, 4 * sizeof *f->x);
    assert_memory_equal(g->K + 4 * j, f->K + 20 * j, 4 * sizeof *f->K);
  }
  fb_tvlqr_free(g), fb_tvlqr_free(f);
  dm_model_free(m);
}

// a schedule with unequal steps is sampled as a fine one with equal steps is, to order 2
static void unequal_steps_give_the_same_samples(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  double off[2] = {0, 0}, impulse = 0, wanted = 0;
  fb_tvlqr *fine = swing(&s, 3200), *of = at(fine, &s, 40, true);
  for (int i = 0; i < 2; i++) {
    fb_tvlqr *f = swing_unevenly(&s, 50 << i), *g = at(f, &s, 40, true);
    assert_non_null(f->grid);
    assert_null(g->grid);
    assert_int_equal(g->N, 40);
    for (int k = 0; k < 4 * 41; k++) off[i] = fmax(off[i], fabs(g->x[k] - of->x[k]));
    for (int k = 0; k < f->N && i; k++) wanted += f->h * dm_grid_step(f->grid, k) * f->u[k];
    for (int j = 0; j < g->N && i; j++) impulse += g->h * g->u[j];
    fb_tvlqr_free(f), fb_tvlqr_free(g);
  }
  assert_true(off[0] < 5e-3 && off[0] / off[1] > 3 && off[0] / off[1] < 5);
  assert_close(impulse, wanted, 1e-12);
  fb_tvlqr_free(fine), fb_tvlqr_free(of);
  dm_model_free(m);
}

static void the_impulse_is_the_plans(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  fb_tvlqr *f = swing(&s, 50);
  static const double rates[] = {1, 7, 49, 50, 64, 333};
  double wanted = 0;
  for (int k = 0; k < 50; k++) wanted += f->u[k] / 50;
  for (int r = 0; r < COUNT(rates); r++) {
    fb_tvlqr *g = at(f, &s, rates[r], true);
    double sum = 0;
    for (int j = 0; j < g->N; j++) sum += g->u[j] * g->h;
    assert_int_equal(g->N, (int)rates[r]);
    assert_close(sum, wanted, 1e-12);
    fb_tvlqr_free(g);
  }
  fb_tvlqr_free(f);
  dm_model_free(m);
}

// halfway between knots the state agrees with the motion of half the step size to order 2; gains
// are interpolated
static void between_knots_it_follows_the_motion(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  double error[2];
  for (int half = 0; half < 2; half++) {
    int N = half ? 100 : 50;
    fb_tvlqr *f = swing(&s, N), *fine = swing(&s, 1600), *g = at(f, &s, 2 * N, true);
    error[half] = 0;
    for (int j = 0; j <= 2 * N; j++)
      for (int i = 0; i < 4; i++)
        error[half] = fmax(error[half], fabs(g->x[4 * j + i] - fine->x[4 * j * 800 / N + i]));
    for (int j = 1; j + 1 < 2 * N; j += 2)
      for (int i = 0; i < 4; i++)
        assert_close(g->K[4 * j + i], (g->K[4 * j - 4 + i] + g->K[4 * j + 4 + i]) / 2, 1e-9);
    fb_tvlqr_free(f), fb_tvlqr_free(fine), fb_tvlqr_free(g);
  }
  assert_true(error[0] / error[1] > 3.7 && error[0] / error[1] < 4.3);
  dm_model_free(m);
}

// A and B are those of the resampled step: at the knots' rate equal to the knots', and at twice the
// rate two of them multiply to one, up to the square of the step
static void derivatives_are_those_of_its_own_step(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  double error[2];
  for (int half = 0; half < 2; half++) {
    int N = half ? 200 : 100;
    fb_tvlqr *f = swing(&s, N), *same = at(f, &s, N, false), *g = at(f, &s, 2 * N, false);
    error[half] = 0;
    for (int k = 0; k < N; k++) {
      const double *A0 = g->A + 32 * k, *A1 = A0 + 16;
      for (int i = 0; i < 16; i++) {
        double product = 0;
        assert_close(same->A[16 * k + i], f->A[16 * k + i], 1e-12);
        for (int j = 0; j < 4; j++) product += A1[i / 4 * 4 + j] * A0[j * 4 + i % 4];
        error[half] = fmax(error[half], fabs(product - f->A[16 * k + i]) * N); // per unit of time
      }
      for (int i = 0; i < 4; i++) assert_close(same->B[4 * k + i], f->B[4 * k + i], 1e-12);
    }
    fb_tvlqr_free(f), fb_tvlqr_free(same), fb_tvlqr_free(g);
  }
  assert_true(error[0] / error[1] > 3.7 && error[0] / error[1] < 4.3);
  dm_model_free(m);
}

// inputs one step late: at the knots' rate the gains computed with that delay; at any rate the next
// step's gain is applied to the state to which the delayed input leads
static void late_gains_look_ahead(void **state) {
  (void)state;
  balanced z = balanced_open(); // at rest upright
  static const double rates[] = {50, 120};
  for (int r = 0; r < COUNT(rates); r++) {
    fb_tvlqr *g = late_at(z.f, &z.s, rates[r], false, 1), *in_time = at(z.f, &z.s, rates[r], false);
    assert_int_equal(g->late, 1);
    for (int j = 0; j < g->N; j++) {
      const double *K = j + 1 < g->N ? in_time->K + 4 * (j + 1) : z.f->K + 4 * (HOLD_STEPS - 1);
      for (int i = 0; i < 4; i++) {
        double ahead = 0;
        for (int a = 0; a < 4; a++) ahead += K[a] * g->A[16 * j + 4 * a + i];
        assert_close(g->K[4 * j + i], ahead, 1e-12);
      }
      double ahead = 0;
      for (int a = 0; a < 4; a++) ahead += K[a] * g->B[4 * j + a];
      assert_close(g->W[j], ahead, 1e-12);
    }
    fb_tvlqr_free(g), fb_tvlqr_free(in_time);
  }
  balanced_close(&z);
}

// after the last knot with a gain, that gain is kept; rounding of times changes no number of steps
static void the_last_gain_stays(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  fb_tvlqr *f = swing(&s, 10), *g = at(f, &s, 40, true);
  for (int j = 36; j < 40; j++) assert_memory_equal(g->K + 4 * j, f->K + 4 * 9, 4 * sizeof *f->K);
  fb_tvlqr_free(f), fb_tvlqr_free(g);
  dm_model_free(m);
  assert_true((int)(0.29 * 100) == 28);
  assert_int_equal(fb_resample_steps(0.29, 100), 29);
  assert_int_equal(fb_resample_steps(0.3, 10), 3);
  assert_int_equal(fb_resample_steps(0.295, 100), 29);
}

// gains for 50 Hz balance the pole at 20, 50, 75 and 400 Hz, on both plants
static void held_gains_hold(void **state) {
  (void)state;
  static const double rates[] = {20, 50, 75, 400}, start[] = {0.1, 3.141592653589793 + 0.1, 0, 0};
  balanced z = balanced_open();
  for (int kind = 0; kind < 2; kind++)
    for (int r = 0; r < COUNT(rates); r++) {
      fb_plant p;
      dm_status made =
          kind == 0 ? fb_plant_discrete(&p, &z.s) : fb_plant_continuous(&p, &z.s, 1e-9);
      if (made == DM_UNAVAILABLE) continue;
      fb_tvlqr *g = at(z.f, &z.s, rates[r], r % 2);
      fb_closed_loop_result result;
      assert_int_equal(fb_closed_loop_run(g, &p, start, NULL, NULL, NULL, NULL, NULL, &result),
                       DM_OK);
      assert_true(result.final_error < 0.01 && result.worst_error < 1);
      fb_tvlqr_free(g);
      fb_plant_free(&p);
    }
  balanced_close(&z);
}

static void what_has_no_such_rate_is_refused(void **state) {
  (void)state;
  balanced z = balanced_open();
  hoist h = hoist_open();
  static const struct {
    double rate;
    bool hoist, late;
    const char *says;
  } rows[] = {{50, true, false, "constraints"},
              {50, false, true, "delayed inputs"},
              {0.1, false, false, "0.1 Hz"},
              {1e12, false, false, "samples in 6 s"},
              {NAN, false, false, "nan Hz"}};
  for (int i = 0; i < COUNT(rows); i++) {
    fb_tvlqr f = *z.f, *g = z.f;
    dm_message msg = {""};
    f.late = rows[i].late;
    assert_int_equal(
        fb_resample_new(&g, &f, rows[i].hoist ? &h.s : &z.s, rows[i].rate, false, 0, &msg),
        DM_BAD_INPUT);
    assert_null(g);
    assert_non_null(strstr(msg.text, rows[i].says));
  }
  hoist_close(&h);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_its_own_rate_it_is_the_same),
      cmocka_unit_test(the_impulse_is_the_plans),
      cmocka_unit_test(unequal_steps_give_the_same_samples),
      cmocka_unit_test(between_knots_it_follows_the_motion),
      cmocka_unit_test(derivatives_are_those_of_its_own_step),
      cmocka_unit_test(late_gains_look_ahead),
      cmocka_unit_test(the_last_gain_stays),
      cmocka_unit_test(held_gains_hold),
      cmocka_unit_test(what_has_no_such_rate_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
