// Errors of outputs in runs: when they are evaluated, the treatment of missing values, and the
// success of samples and levels compared with states.
#include "control/loop/output_errors.h"

#include "control/loop/criteria.h"
#include "control/loop/monte_carlo.h"
#include "tests/support/balanced.h"

enum { ROWS = 3, FAR = 2 };

// rows q0, q1 and, for a position beyond 1 without a value, q0
static dm_status eval_places(const void *self, void *scratch, const double *q, double *y,
                             double *y_q) {
  (void)self;
  (void)scratch;
  assert_null(y_q);
  y[0] = q[0];
  y[1] = q[1];
  y[FAR] = fabs(q[0]) > 1 ? NAN : q[0];
  return isnan(y[FAR]) ? DM_NOT_FINITE : DM_OK;
}

static const dm_holonomic places = {.nc = ROWS, .eval = eval_places};

static fb_output_bounds make_bounds(int count, const fb_output_bound *bound) {
  return (fb_output_bounds){.y = dm_output_map_of(places, 2), .count = count, .bound = bound};
}

static void each_is_asked_at_its_knots(void **state) {
  (void)state;
  enum { N = 10 };
  static const fb_output_bound bound[] = {{0, 2, false, 1, 0},
                                          {0, 2, false, 1, 0.3},
                                          {0, 2, false, 1, INFINITY},
                                          {1, 1, false, 1, INFINITY}};
  const fb_output_bounds set = make_bounds(COUNT(bound), bound);
  fb_output_errors *w;
  assert_int_equal(fb_output_errors_new(&w, &set, N, 0.1), DM_OK);
  for (int k = 0; k <= N; k++) {
    assert_true(fb_output_errors_asked(w, 0, k) == (k == N));
    assert_true(fb_output_errors_asked(w, 1, k) == (k >= N - 3));
    assert_true(fb_output_errors_asked(w, 2, k));
    assert_int_equal(fb_output_errors_plan(w, k, (double[]){0.1 * k, 0.2}, NULL), DM_OK);
  }

  // differs by (3, 4) / 2^k, of length 5 / 2^k; started twice, the result is the second run's
  for (int run = 0; run < 2; run++) {
    fb_output_errors_begin(w);
    for (int k = 0; k <= N; k++) {
      const double size = (run ? 1 : 100) * pow(0.5, k);
      const double q[] = {0.1 * k + 3 * size, 0.2 + 4 * size};
      assert_int_equal(fb_output_errors_add(w, k, q, NULL), DM_OK);
    }
  }
  const double want[] = {5 * pow(0.5, 10), 5 * pow(0.5, 7), 5, 4};
  for (int i = 0; i < set.count; i++) assert_close(w->error[i], want[i], 1e-14);
  assert_int_equal(fb_output_errors_worst(&set, w->error), 2);
  assert_false(fb_output_errors_within(&set, w->error));
  fb_output_errors_free(w);
}

static void no_value_is_off_by_everything(void **state) {
  (void)state;
  static const fb_output_bound bound[] = {{0, 1, false, 100, INFINITY},
                                          {FAR, 1, false, 100, INFINITY}};
  const fb_output_bounds set = make_bounds(2, bound);
  fb_output_errors *w;
  int knot;
  assert_int_equal(fb_output_errors_new(&w, &set, 2, 0.1), DM_OK);
  for (int k = 0; k <= 2; k++)
    assert_int_equal(fb_output_errors_plan(w, k, (double[]){0.5, 0}, NULL), DM_OK);
  assert_int_equal(fb_output_errors_missing(w, &knot), -1);
  fb_output_errors_begin(w);
  assert_int_equal(fb_output_errors_add(w, 0, (double[]){0.4, 0}, NULL), DM_OK);
  assert_true(fb_output_errors_within(&set, w->error));

  // once a value is missing, no later value replaces it
  assert_int_equal(fb_output_errors_add(w, 1, (double[]){1.4, 0}, NULL), DM_OK);
  assert_int_equal(fb_output_errors_add(w, 2, (double[]){0.5, 0}, NULL), DM_OK);
  assert_close(w->error[0], 0.9, 1e-14);
  assert_true(isinf(w->error[1]));
  assert_int_equal(fb_output_errors_worst(&set, w->error), 1);
  assert_false(fb_output_errors_within(&set, w->error));

  // a plan without a value is reported by bound and knot
  assert_int_equal(fb_output_errors_plan(w, 2, (double[]){1.5, 0}, NULL), DM_OK);
  assert_int_equal(fb_output_errors_missing(w, &knot), 1);
  assert_int_equal(knot, 2);
  fb_output_errors_free(w);
}

// the rotation vector itself
static dm_status eval_turn(const void *self, void *scratch, const double *q, double *y,
                           double *y_q) {
  (void)self;
  (void)scratch;
  (void)y_q;
  memcpy(y, q, 3 * sizeof *y);
  return DM_OK;
}

static void rotations_are_off_by_the_angle_between_them(void **state) {
  (void)state;
  static const struct {
    double a[3], b[3], angle;
  } rows[] = {{{0, 0, 0}, {0, 0, 0}, 0},
              {{0, 0, 0}, {0.3, -0.4, 1.2}, 1.3},
              {{0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, 0.37416573867739417},
              // across half a revolution
              {{3.1, 0, 0}, {-3.1, 0, 0}, 2 * (3.141592653589793 - 3.1)},
              {{3.141592653589793, 0, 0}, {-3.141592653589793, 0, 0}, 0},
              {{3.141592653589793, 0, 0}, {0, 3.141592653589793, 0}, 3.141592653589793}, // about z
              {{1.5707963267948966, 0, 0}, {0, 1.5707963267948966, 0}, 2.0943951023931953}};
  static const fb_output_bound bound = {0, 3, true, 1, 0};
  const dm_holonomic turns = {.nc = 3, .eval = eval_turn};
  const fb_output_bounds set = {.y = dm_output_map_of(turns, 3), .count = 1, .bound = &bound};
  fb_output_errors *w;
  assert_int_equal(fb_output_errors_new(&w, &set, 1, 0.1), DM_OK);
  for (int i = 0; i < COUNT(rows); i++) {
    assert_int_equal(fb_output_errors_plan(w, 1, rows[i].a, NULL), DM_OK);
    fb_output_errors_begin(w);
    assert_int_equal(fb_output_errors_add(w, 1, rows[i].b, NULL), DM_OK);
    assert_close(w->error[0], rows[i].angle, 1e-14);
  }
  fb_output_errors_free(w);
}

// -- samples

static const double spread_q[] = {0.1, 0.2}, spread_v[] = {0.3, 0.4};

// an output that is a coordinate gives the same result as the state of that coordinate
static void samples_succeed_by_an_output_as_by_its_state(void **state) {
  (void)state;
  enum { N = 12 };
  static const double scale[] = {1, 1e9, 1e9, 1e9};
  balanced z = balanced_open();
  fb_plant p;
  fb_sample by_state[N], by_output[N], few[3];
  double errors[2 * N], few_errors[6];
  z.f->N = 60;
  assert_int_equal(fb_plant_discrete(&p, &z.s), DM_OK);

  // the slider's final and maximum error
  fb_monte_carlo_settings set = {.samples = N, .seed = 7, .spread_q = spread_q};
  set.spread_v = spread_v;
  set.scale = scale;
  set.tolerance = 0.02;
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, by_state, 0, NULL, NULL, NULL), DM_OK);
  const fb_output_bound bound[] = {{0, 1, false, 0.02, 0}, {0, 1, false, 1e9, INFINITY}};
  const fb_output_bounds bounds = make_bounds(2, bound);
  set.outputs = &bounds;
  set.output_errors = errors;
  set.tolerance = INFINITY;
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, by_output, 0, NULL, NULL, NULL), DM_OK);

  int held = 0;
  for (int s = 0; s < N; s++) {
    held += by_state[s].succeeded;
    assert_int_equal(by_state[s].succeeded, by_output[s].succeeded);
    assert_int_equal(by_state[s].output, -1);
    assert_int_equal(by_output[s].output, 0);
    assert_true(by_output[s].output_error == by_state[s].final_error);
    assert_true(errors[2 * s] == by_state[s].final_error);
    assert_true(errors[2 * s + 1] == by_state[s].worst_error);
  }
  assert_true(held > 0 && held < N);

  // the same in parts
  set.samples = 3;
  set.first = 5;
  set.output_errors = few_errors;
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, few, 0, NULL, NULL, NULL), DM_OK);
  assert_memory_equal(few, by_output + 5, sizeof few);
  assert_memory_equal(few_errors, errors + 10, sizeof few_errors);
  fb_plant_free(&p);
  balanced_close(&z);
}

// a plant that fails at its tenth step
static dm_status fail_at_ten(void *self, double *x, const double *u, double h) {
  int *steps = self;
  (void)x;
  (void)u;
  (void)h;
  return ++*steps < 10 ? DM_OK : DM_SINGULAR;
}

static void a_plant_that_fails_is_off_by_everything(void **state) {
  (void)state;
  balanced z = balanced_open();
  int steps = 0;
  const fb_plant p = {.n = 2, .nu = 1, .self = &steps, .step = fail_at_ten};
  const fb_output_bound bound = {0, 1, false, 1e9, INFINITY};
  const fb_output_bounds bounds = make_bounds(1, &bound);
  double error = 0;
  fb_sample row;
  fb_monte_carlo_settings set = {.samples = 1, .seed = 7, .tolerance = INFINITY};
  set.spread_q = spread_q;
  set.spread_v = spread_v;
  set.outputs = &bounds;
  set.output_errors = &error;
  assert_int_equal(fb_monte_carlo_run(z.f, &z.s, &p, &set, &row, 0, NULL, NULL, NULL), DM_OK);
  assert_int_equal(row.succeeded, 0);
  assert_true(isinf(error) && isinf(row.output_error));
  balanced_close(&z);
}

// -- levels of criteria

// the same with the continuous equations: number of push levels that succeed
static int count_survived(const balanced *z, const fb_criteria_settings *set, bool level[]) {
  const fb_criterion row = {.name = "pushes",
                            .vary = FB_VARY_PUSHES,
                            .part = 0,
                            .from = 5,
                            .to = 80,
                            .levels = 8,
                            .repeats = 1,
                            .count = 2,
                            .gap = 0.3,
                            .width = {0.05, 0.1}};
  const fb_perturbed_models none = {.nj = 2};
  fb_criteria *w;
  int count = 0;
  assert_int_equal(fb_criteria_new(&w, z->f, &z->s, &none, set, 2, 0.01), DM_OK);
  for (int k = 0; k < row.levels; k++) {
    assert_int_equal(fb_criteria_run(w, &row, k, &level[k]), DM_OK);
    count += level[k];
  }
  fb_criteria_free(w);
  return count;
}

static void levels_are_survived_by_an_output_as_by_its_state(void **state) {
  (void)state;
  static const double scale[] = {1, 1e9, 1e9, 1e9};
  balanced z = balanced_open();
  bool by_state[8], by_output[8], on_the_way[8];
  z.f->N = 80;
  fb_criteria_settings set = {.seed = 3, .tolerance = 0.3, .scale = scale};
  const int held = count_survived(&z, &set, by_state);
  assert_true(held > 0 && held < 8);

  fb_output_bound bound = {0, 1, false, 0.3, 0};
  const fb_output_bounds bounds = make_bounds(1, &bound);
  set.tolerance = INFINITY;
  set.outputs = &bounds;
  assert_int_equal(count_survived(&z, &set, by_output), held);
  assert_memory_equal(by_state, by_output, sizeof by_state);

  // over the whole run fewer succeed
  bound.last = INFINITY;
  assert_true(count_survived(&z, &set, on_the_way) < held);
  for (int k = 0; k < 8; k++) assert_true(by_output[k] || !on_the_way[k]);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_asked_at_its_knots),
      cmocka_unit_test(no_value_is_off_by_everything),
      cmocka_unit_test(rotations_are_off_by_the_angle_between_them),
      cmocka_unit_test(samples_succeed_by_an_output_as_by_its_state),
      cmocka_unit_test(a_plant_that_fails_is_off_by_everything),
      cmocka_unit_test(levels_are_survived_by_an_output_as_by_its_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
