// Samples of perturbed starts: their random numbers, their independence, and their statistics.
#include "control/loop/monte_carlo.h"

#include "tests/support/balanced.h"

static const double spread_q[] = {0.1, 0.2}, spread_v[] = {0.3, 0.4};

static fb_monte_carlo_settings settings(int samples) {
  return (fb_monte_carlo_settings){
      .samples = samples, .seed = 7, .spread_q = spread_q, .spread_v = spread_v, .tolerance = 0.05};
}

static void samples_do_not_depend_on_their_number(void **state) {
  (void)state;
  balanced z = balanced_open();
  for (int kind = 0; kind < 2; kind++) {
    fb_plant p;
    dm_status made = kind == 0 ? fb_plant_discrete(&p, &z.s) : fb_plant_continuous(&p, &z.s, 1e-9);
    if (made == DM_UNAVAILABLE) continue;
    fb_monte_carlo_settings few = settings(4), many = settings(12), other = settings(4);
    other.seed = 8;
    fb_sample a[4], b[12], c[4];
    memset(a, 1, sizeof a), memset(b, 2, sizeof b);
    assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &many, b, 0, NULL, NULL, NULL), DM_OK);
    assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &few, a, 0, NULL, NULL, NULL), DM_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &other, c, 0, NULL, NULL, NULL), DM_OK);
    few.first = 5;
    assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &few, a, 0, NULL, NULL, NULL), DM_OK);
    assert_memory_equal(a, b + 5, sizeof a);
    for (int s = 0; s < 4; s++) assert_true(c[s].start_q_error != b[s].start_q_error);
    fb_plant_free(&p);
  }
  balanced_close(&z);
}

// uniform in the box: moments of 4 n draws agree within five standard deviations, in any order
static void draws_fill_the_spread_evenly(void **state) {
  (void)state;
  enum { N = 20000 };
  fb_monte_carlo_settings set = settings(N);
  double mean[4] = {0}, square[4] = {0}, cross = 0, serial = 0, before = 0;
  for (int s = 0; s < N; s++) {
    double d[4], again[4];
    fb_monte_carlo_draw(&set, 2, s, d, d + 2);
    fb_monte_carlo_draw(&set, 2, s, again, again + 2);
    assert_memory_equal(d, again, sizeof d);
    for (int i = 0; i < 4; i++) {
      double half = i < 2 ? spread_q[i] : spread_v[i - 2], x = d[i] / half;
      assert_true(fabs(x) <= 1);
      mean[i] += x / N, square[i] += x * x / N;
      d[i] = x;
    }
    cross += d[0] * d[3] / N, serial += d[0] * before / N;
    before = d[0];
  }
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(mean[i]) < 5 * sqrt(1. / 3 / N));
    assert_true(fabs(square[i] - 1. / 3) < 5 * sqrt(4. / 45 / N));
  }
  assert_true(fabs(cross) < 5. / 3 / sqrt(N) && fabs(serial) < 5. / 3 / sqrt(N));
}

static void records_are_those_of_the_loop(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  fb_monte_carlo_settings set = settings(3);
  const double far[] = {0.01, INFINITY}, fast[] = {0.2, 0.1};
  const dm_limits limit = {.q.high = far, .v.high = fast};
  set.limit = &limit, set.limit_use = FB_LIMITS_IGNORE;
  double low = -5, high = 5, scale[] = {2, 0.5, 3, 4};
  set.u_min = &low, set.u_max = &high, set.scale = scale;
  fb_sample rows[3];
  static double fan[2 * 2 * (HOLD_STEPS + 1)], x[4 * (HOLD_STEPS + 1)];
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, rows, 2, fan, NULL, NULL), DM_OK);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &z.s), DM_OK);
  for (int s = 0; s < 3; s++) {
    double d[4], v[2];
    fb_closed_loop_result r;
    fb_monte_carlo_draw(&set, 2, s, d, d + 2);
    x[0] = d[0], x[1] = z.f->x[1] + d[1];
    assert_int_equal(dm_momentum_of(c, x, d + 2, x + 2), DM_OK);
    assert_int_equal(fb_closed_loop_run(z.f, &p, x, &low, &high, NULL, x, NULL, &r), DM_OK);
    assert_int_equal(rows[s].saturated, r.saturated);
    assert_int_equal(rows[s].steps, HOLD_STEPS);
    assert_true(rows[s].start_q_error == fmax(fabs(d[0]), fabs(d[1])));
    assert_true(rows[s].start_v_error == fmax(fabs(d[2]), fabs(d[3])));
    double worst = 0, last = 0, e[4], beyond = -INFINITY, faster = -INFINITY;
    for (int k = 0; k <= HOLD_STEPS; k++) {
      memset(v, 0, sizeof v);
      assert_int_equal(dm_velocity_of(c, x + 4 * k, x + 4 * k + 2, v), DM_OK);
      e[0] = x[4 * k] / 2, e[1] = (x[4 * k + 1] - z.f->x[1]) / 0.5;
      e[2] = v[0] / 3, e[3] = v[1] / 4;
      last = 0;
      for (int i = 0; i < 4; i++) last = fmax(last, fabs(e[i]));
      worst = fmax(worst, last);
      beyond = fmax(beyond, x[4 * k] - far[0]);
      for (int i = 0; i < 2; i++) faster = fmax(faster, (fabs(v[i]) - fast[i]) / fast[i]);
      for (int i = 0; i < 2 && s < 2; i++)
        assert_true(fan[(s * (HOLD_STEPS + 1) + k) * 2 + i] == x[4 * k + i]);
    }
    assert_true(rows[s].worst_error == worst && rows[s].final_error == last);
    assert_true(rows[s].position.by == beyond && rows[s].position.sample == s);
    assert_true(rows[s].speed.share == faster && rows[s].lost == -1);
    assert_true(fabs(e[rows[s].worst_state]) == last);
    assert_int_equal(rows[s].succeeded, last <= set.tolerance);
  }
  dm_continuous_free(c), fb_plant_free(&p), balanced_close(&z);
}

static void what_starts_on_the_trajectory_stays_there(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  double zero[] = {0, 0};
  fb_monte_carlo_settings set = settings(2);
  set.spread_q = set.spread_v = zero;
  fb_sample rows[2];
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, rows, 0, NULL, NULL, NULL), DM_OK);
  for (int s = 0; s < 2; s++) assert_true(rows[s].succeeded && rows[s].worst_error < 1e-10);
  fb_plant_free(&p), balanced_close(&z);
}

// narrow limits and a wide spread: some fall, and the verdict counts them
static void the_verdict_counts(void **state) {
  (void)state;
  enum { N = 60 };
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  double wide[] = {0.5, 1.2}, low = -10, high = 10;
  fb_monte_carlo_settings set = settings(N);
  set.spread_q = wide, set.u_min = &low, set.u_max = &high;
  fb_sample rows[N];
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, rows, 0, NULL, NULL, NULL), DM_OK);
  fb_verdict v = fb_monte_carlo_verdict(rows, N);
  int held = 0, saturated = 0;
  for (int s = 0; s < N; s++) {
    held += rows[s].final_error <= set.tolerance;
    saturated += rows[s].saturated > 0;
    assert_true(rows[s].final_error <= v.worst_final_error && rows[s].worst_error <= v.worst_error);
  }
  assert_true(held > 0 && held < N && saturated > 0);
  assert_int_equal(v.succeeded, held);
  assert_int_equal(v.saturated, saturated);
  assert_int_equal(v.failed, 0);
  assert_true(rows[v.worst].final_error == v.worst_final_error);
  assert_int_equal(fb_monte_carlo_verdict(rows, 0).worst, -1);
  fb_plant_free(&p), balanced_close(&z);
}

// a sample is lost at the first knot at which an error exceeds its bound, and names that state
static void what_falls_is_lost_where_its_error_passes_the_bound(void **state) {
  (void)state;
  enum { N = 20 };
  balanced z = balanced_open();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);
  double wide[] = {0, 0.8}, still[] = {0, 0}, low = -6, high = 6;
  fb_monte_carlo_settings set = settings(N);
  set.spread_q = wide, set.spread_v = still, set.u_min = &low, set.u_max = &high;
  fb_sample rows[N];
  static double fan[N * 2 * (HOLD_STEPS + 1)];
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, rows, N, fan, NULL, NULL), DM_OK);
  int lost = 0;
  for (int s = 0; s < N; s++) {
    const double *q = fan + s * 2 * (HOLD_STEPS + 1);
    double bound = FB_LOST * fmax(0.05, rows[s].start_q_error);
    lost += rows[s].lost >= 0;
    if (rows[s].lost < 0) assert_true(rows[s].worst_error <= bound);
    if (rows[s].lost < 0) continue;
    assert_true(rows[s].worst_error > bound && !rows[s].succeeded);
    assert_in_range(rows[s].lost, 1, HOLD_STEPS);

    // positions are within the bound before that knot, and exceed it there if a position is named
    for (int k = 0; k < rows[s].lost; k++)
      assert_true(fabs(q[2 * k]) <= bound && fabs(q[2 * k + 1] - z.f->x[1]) <= bound);
    int i = rows[s].lost_state;
    if (i < 2) assert_true(fabs(q[2 * rows[s].lost + i] - z.f->x[i]) > bound);
  }
  assert_true(lost > 0 && lost < N);
  fb_plant_free(&p), balanced_close(&z);
}

// a plant that fails for every third start
typedef struct trap {
  fb_plant plant;
  int run, step;
} trap;
static dm_status trap_step(void *self, double *x, const double *u, double h) {
  trap *t = self;
  int k = t->step++;
  if (t->run % 3 == 1 && k == 5) return DM_SINGULAR;
  if (t->run % 3 == 2 && k == 8) x[1] = INFINITY;
  if (t->run % 3 == 2 && k == 8) return DM_OK;
  return t->plant.step(t->plant.self, x, u, h);
}
static bool next_run(void *user, int done) {
  trap *t = user;
  t->run = done, t->step = 0;
  return done < 7;
}

static void a_sample_that_fails_did_not_hold_and_the_rest_goes_on(void **state) {
  (void)state;
  balanced z = balanced_open();
  trap t = {0};
  assert_int_equal(fb_plant_discrete(&t.plant, &z.s), DM_OK);
  fb_plant p = {.n = 2, .nu = 1, .self = &t, .step = trap_step};
  fb_monte_carlo_settings set = settings(9);
  fb_sample rows[9], zeroed = {0};
  static double fan[9 * 2 * (HOLD_STEPS + 1)];
  // next_run also ends it after the seventh
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, rows, 9, fan, next_run, &t),
                   DM_INTERRUPTED);
  for (int s = 0; s < 7; s++) {
    bool fails = s % 3 > 0;
    assert_int_equal(rows[s].succeeded, !fails);
    assert_int_equal(rows[s].steps, s % 3 == 0 ? HOLD_STEPS : s % 3 == 1 ? 5 : 9);
    assert_int_equal(isinf(rows[s].final_error) && isinf(rows[s].worst_error), fails);
    assert_int_equal(rows[s].worst_state < 0, fails);
    assert_int_equal(rows[s].lost, fails ? rows[s].steps : -1);
    assert_int_equal(rows[s].lost_state >= 0, fails);
    for (int k = 0; k <= HOLD_STEPS; k++)
      assert_int_equal(isnan(fan[(s * (HOLD_STEPS + 1) + k) * 2]), k > rows[s].steps);
  }
  for (int s = 7; s < 9; s++) assert_memory_equal(&rows[s], &zeroed, sizeof zeroed);
  fb_verdict v = fb_monte_carlo_verdict(rows, 7);
  assert_int_equal(v.succeeded, 3);
  assert_int_equal(v.failed, 4);
  assert_int_equal(v.worst, 1);
  assert_true(isinf(v.worst_final_error));
  fb_plant_free(&t.plant), balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_do_not_depend_on_their_number),
      cmocka_unit_test(draws_fill_the_spread_evenly),
      cmocka_unit_test(records_are_those_of_the_loop),
      cmocka_unit_test(what_starts_on_the_trajectory_stays_there),
      cmocka_unit_test(the_verdict_counts),
      cmocka_unit_test(what_falls_is_lost_where_its_error_passes_the_bound),
      cmocka_unit_test(a_sample_that_fails_did_not_hold_and_the_rest_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
