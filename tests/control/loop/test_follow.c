// Plans applied to plants step by step: the motion between the knots, and violations of limits.
#include "control/loop/follow.h"

#include "tests/support/models.h"
#include "tests/support/skips.h"

enum { PARTS = 4, STEPS = 10 };

// a mass of 2 kg on a rail, pushed by u: its motion is a parabola in each step, also for the map
static dm_model *make_mass(void) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  return models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u});
}

// rolled out from q, v in N steps of h with the inputs of x, which are already set
static void roll(dm_trajectory *x, const dm_system *s, const double *q, const double *v) {
  dm_del *del;
  dm_del_info info;
  dm_continuous *c;
  int failed;
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  memcpy(x->q, q, (size_t)x->n * sizeof *q);
  memcpy(x->v, v, (size_t)x->n * sizeof *v);
  assert_int_equal(dm_momentum_of(c, q, v, x->p), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  dm_continuous_free(c);
  dm_del_free(del);
}

// thrown against a force that reverses it between two knots
static void a_limit_is_passed_between_knots_where_the_parabola_says(void **state) {
  (void)state;
  dm_model *m = make_mass();
  dm_system s = dm_system_of(m);
  dm_trajectory *x;
  assert_int_equal(dm_trajectory_of(&x, STEPS, &s), DM_OK);
  x->h = 0.5;
  for (int k = 0; k < STEPS; k++) x->u[k] = k % 2 ? 4 : -4;
  roll(x, &s, (double[]){0}, (double[]){0.5});

  // with -2 m/s2 from 0.5 m/s it is farthest at 0.25 s, at 0.0625 m, and back at 0 at the knot
  const double low[] = {-1}, high[] = {0.05}, fast[] = {0.4}, least[] = {-5}, most[] = {3};
  const dm_limits limit = {{low, high}, {NULL, fast}, {least, most}};
  double y[2 * (STEPS * PARTS + 1)], u[STEPS * PARTS];
  fb_following f;
  for (int kind = 0; kind < 2; kind++) {
    fb_plant p;
    dm_status made = kind ? fb_plant_continuous(&p, &s, 1e-11) : fb_plant_discrete(&p, &s);
    if (made == DM_UNAVAILABLE) continue;
    assert_int_equal(fb_follow(x, &s, &p, PARTS, 1 + kind, &limit, NULL, y, u, &f), DM_OK);
    assert_int_equal(f.failed, -1);
    assert_close(f.position.by, 0.0125, 1e-9);
    assert_close(f.position.share, 0.0125 / 1.05, 1e-9);
    assert_close(f.position.t, 0.25, 1e-12);
    assert_close(f.speed.by, 0.1, 1e-9);
    assert_close(fabs(f.speed.value), 0.5, 1e-9);
    assert_close(f.speed.limit, 0.4, 0);
    assert_close(f.input.by, 1, 0);
    assert_close(f.input.t, 0.625, 1e-12);
    assert_true(f.q.size < 1e-9 && f.v.size < 1e-9 && f.drift < 1e-8);
    for (int i = 0; i <= PARTS; i++) {
      double t = i * x->h / PARTS;
      assert_close(y[2 * i], 0.5 * t - t * t, 1e-9);
      assert_close(y[2 * i + 1], 0.5 - 2 * t, 1e-9);
    }
    for (int i = 0; i < STEPS * PARTS; i++) assert_true(u[i] == x->u[i / PARTS]);
    fb_plant_free(&p);
  }
  dm_trajectory_free(x);
  dm_model_free(m);
}

// a step of the map differs from the continuous motion by the cube of its length, a rollout by the
// square
static void a_step_is_off_by_the_cube_of_its_length(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  double gap[3], drift[3];
  for (int row = 0; row < 3; row++) {
    int N = 40 << row;
    fb_plant p;
    dm_trajectory *x;
    fb_following f;
    assert_int_equal(fb_plant_continuous(&p, &s, 1e-12), DM_OK);
    assert_int_equal(dm_trajectory_of(&x, N, &s), DM_OK);
    x->h = 1. / N;
    for (int k = 0; k < N; k++) x->u[k] = 0.5;
    roll(x, &s, (double[]){0.4, -0.7}, (double[]){1, 0.5});
    double *y = calloc(4 * (size_t)(N + 1), sizeof *y), *u = calloc((size_t)N, sizeof *u);
    assert_int_equal(fb_follow(x, &s, &p, 1, 1, &(dm_limits){0}, NULL, y, u, &f), DM_OK);
    assert_int_equal(f.speed.index, -1);
    gap[row] = f.q.size;
    drift[row] = f.drift;
    free(y);
    free(u);
    dm_trajectory_free(x);
    fb_plant_free(&p);
  }
  for (int row = 0; row < 2; row++) {
    assert_close(gap[row] / gap[row + 1], 8, 0.8);
    assert_close(drift[row] / drift[row + 1], 4, 0.4);
  }
  dm_model_free(m);
}

// a long step, or short ones in a wide range, of a plan that moves far enough
static void a_gap_is_compared_with_a_step_or_a_range(void **state) {
  (void)state;
  const struct {
    double q[5], range, unit;
  } row[] = {
      {{0, 0.5, 1, 1.5, 2}, 6, 0.5},                 // the longest step
      {{0, 0.01, 0.03, 0.04, 0.06}, 6, 0.06},        // at most the plan's range of motion
      {{0, 0.03, 0.06, 0.09, 0.12}, 3, 0.06},        // 2 % of the range
      {{0, 0.03, 0.06, 0.09, 0.12}, INFINITY, 0.12}, // four steps
      {{0, 0.03, 0.06, 0.09, 0.12}, 0, 0.03},        // the range is unknown
      {{1, 1, 1, 1, 1}, 6, 0},                       // it does not move
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    dm_trajectory x = {.N = 4, .n = 1, .q = (double *)row[i].q};
    assert_close(fb_gap_unit(&x, 0, row[i].range, 2), row[i].unit + 2e-3, 1e-15);
  }
}

// a plant that fails at the `left`-th step from now
static dm_status fail_later(void *self, double *x, const double *u, double h) {
  int *left = self;
  (void)u;
  x[0] += h;
  return --*left < 0 ? DM_NOT_FINITE : DM_OK;
}

static void a_plant_that_fails_is_told_by_its_step(void **state) {
  (void)state;
  dm_model *m = make_mass();
  dm_system s = dm_system_of(m);
  dm_trajectory *x;
  int left = 2 * PARTS + 1;
  fb_plant p = {.n = 1, .nu = 1, .self = &left, .step = fail_later};
  assert_int_equal(dm_trajectory_of(&x, 3, &s), DM_OK);
  x->h = 1;
  double y[2 * (3 * PARTS + 1)], u[3 * PARTS];
  fb_following f;
  assert_int_equal(fb_follow(x, &s, &p, PARTS, 1, &(dm_limits){0}, NULL, y, u, &f), DM_OK);
  assert_int_equal(f.failed, 2);
  assert_true(isinf(f.q.size) && isinf(f.v.size) && f.q.knot == 3 && isinf(f.drift));
  assert_true(isfinite(y[2 * (2 * PARTS + 1)]));
  for (int i = 2 * (2 * PARTS + 2); i < 2 * (3 * PARTS + 1); i++) assert_true(isnan(y[i]));
  dm_trajectory_free(x);
  dm_model_free(m);
}

static void what_is_kinematic_goes_straight_through_a_step(void **state) {
  (void)state;
  const bool kinematic[] = {true, false};
  double q[] = {1, 7, 3, 8}, u[] = {5, 3}, got[2];
  dm_system s = {.nu = 1, .nk = 1, .kinematic = kinematic};
  dm_trajectory x = {.N = 1, .n = 2, .nu = 2, .q = q, .u = u};
  fb_follow_input(&x, &s, 0, 0.5, got);
  assert_true(got[0] == 5 && got[1] == 2);
  fb_follow_input(&x, &s, 0, 1, got);
  assert_true(got[1] == 3);
}

// value, low, high; expected results
static const struct {
  double x, low, high, by, share;
} rows[] = {
    {3, 0, 2, 1, 0.5},
    {-1, 0, 2, 1, 0.5},
    {0.5, 0, 2, -0.5, -0.25},
    {5, -INFINITY, 4, 1, 0.25},
    {-5, -4, INFINITY, 1, 0.25},
    {1, -INFINITY, 0, 1, 1},
    {1, 1, 1, 0, 0},
    {NAN, 0, 2, INFINITY, INFINITY},
};

static void an_excess_is_measured_by_the_size_of_its_limit(void **state) {
  (void)state;
  fb_excess all = fb_excess_none();
  for (int i = 0; i < COUNT(rows); i++) {
    fb_excess e = fb_excess_none();
    fb_excess_add(&e, 1, &rows[i].x, &rows[i].low, &rows[i].high, i);
    assert_int_equal(e.index, 0);
    assert_true(e.by == rows[i].by && e.share == rows[i].share && e.t == i);
    assert_true(fb_excess_beyond(&e, 0.3) == (rows[i].share > 0.3));
    all = fb_excess_worse(&all, &e);
  }
  assert_true(isinf(all.by) && all.t == 7);

  // values without a limit are ignored; the worst of several is chosen relative to its own size
  fb_excess e = fb_excess_none();
  const double x[] = {-9, 1.2, 10.5}, most[] = {INFINITY, 1, 10};
  fb_excess_add(&e, 3, x, NULL, NULL, 0);
  assert_true(e.index == -1 && !fb_excess_beyond(&e, -INFINITY));
  fb_excess_add_size(&e, 3, x, NULL, 0);
  assert_int_equal(e.index, -1);
  fb_excess_add_size(&e, 3, x, most, 2);
  assert_true(e.index == 1 && e.limit == 1 && e.t == 2);
  assert_close(e.share, 0.2, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_is_passed_between_knots_where_the_parabola_says),
      cmocka_unit_test(a_step_is_off_by_the_cube_of_its_length),
      cmocka_unit_test(a_gap_is_compared_with_a_step_or_a_range),
      cmocka_unit_test(a_plant_that_fails_is_told_by_its_step),
      cmocka_unit_test(what_is_kinematic_goes_straight_through_a_step),
      cmocka_unit_test(an_excess_is_measured_by_the_size_of_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
