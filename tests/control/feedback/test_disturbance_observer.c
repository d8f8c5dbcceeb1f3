// Disturbances that the filter estimates: what stands without them, and is gone with them.
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/loop/closed_loop.h"
#include "tests/support/balanced.h"

enum { N = 2000, NX = 4 };
static const double Q[] = {10, 100, 1, 1}, R[] = {1}, walk[] = {0.1};
static const double fine[] = {1e-7, 1e-7}, slider[] = {1e-7, INFINITY}, pole[] = {INFINITY, 1e-7};
static const double impulse[] = {1e-7, 1e-7}, start[] = {1e-3, 1e-3};

// the cart-pole at rest upright for 40 s, by encoders of so large errors
typedef struct watched {
  balanced z;
  fb_tvlqr *f;
  fb_estimator *filter;
  fb_sensor sensor;
  fb_output_feedback *law;
  int cut; // steps of the last run in which a limit was in the way
} watched;

static fb_tvlqr *rest_upright(const balanced *z, int delay) {
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, N, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= N; k++) x->q[2 * k + 1] = 3.141592653589793;
  const fb_weights weights = {.Q = Q, .R = R, .rest = N, .delay = delay};
  assert_int_equal(fb_tvlqr_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return f;
}

static watched watch(const double *encoder, const double *disturbance) {
  watched w = {.z = balanced_open()};
  const fb_sensor_noise set = {encoder, impulse, start, start, 1, INFINITY, disturbance};
  int failed;
  w.f = rest_upright(&w.z, 0);
  assert_int_equal(fb_estimator_new(&w.filter, w.f, &w.z.s, &set, &failed, NULL), DM_OK);
  assert_int_equal(fb_output_feedback_new(&w.law, w.f, &w.z.s, FB_STATE, false, NULL), DM_OK);
  return w;
}

static void close_watched(watched *w) {
  fb_output_feedback_free(w->law);
  fb_estimator_free(w->filter);
  fb_tvlqr_free(w->f);
  balanced_close(&w->z);
}

// a plant under a force that nobody told: the discrete map, or the law's own linear model
typedef struct pushed {
  fb_plant map;
  const fb_tvlqr *f; // NULL: the map
  double force;
} pushed;

static dm_status step_pushed(void *self, double *x, const double *u, double h) {
  pushed *w = self;
  double sum = u[0] + w->force, next[NX];
  if (!w->f) return w->map.step(w->map.self, x, &sum, h);
  for (int i = 0; i < NX; i++) {
    next[i] = w->f->x[i] + w->f->B[i] * (sum - w->f->u[0]);
    for (int j = 0; j < NX; j++) next[i] += w->f->A[i * NX + j] * (x[j] - w->f->x[j]);
  }
  memcpy(x, next, sizeof next);
  return DM_OK;
}

// the slider's error at the end, with the law or without it around the schedule
static double run_pushed(watched *w, bool linear, bool by_law, double force, double limit) {
  pushed p = {.f = linear ? w->f : NULL, .force = force};
  const double x0[] = {0, 3.141592653589793, 0, 0}, least = -limit;
  double *x = calloc(((size_t)N + 1) * NX, sizeof *x);
  fb_closed_loop_result r;
  assert_non_null(x);
  assert_int_equal(fb_plant_discrete(&p.map, &w->z.s), DM_OK);
  const fb_plant plant = {.n = 2, .nu = 1, .self = &p, .step = step_pushed};
  fb_tvlqr *runs = by_law ? &w->law->f : w->f;
  w->sensor = fb_estimator_sensor(w->filter);
  runs->sensor = &w->sensor;
  w->sensor.begin(w->sensor.self, 1);
  assert_int_equal(fb_closed_loop_run(runs, &plant, x0, &least, &limit, NULL, x, NULL, &r), DM_OK);
  double e = x[NX * N];
  w->cut = r.saturated;
  fb_plant_free(&p.map);
  free(x);
  return e;
}

// whatever encoders there are that show it
static void a_constant_force_is_found_and_leaves_no_error(void **state) {
  (void)state;
  const double *const encoder[] = {fine, slider}, force[] = {0.7, 0.2};
  for (int i = 0; i < 2; i++) {
    watched with = watch(encoder[i], walk), without = watch(encoder[i], NULL);
    assert_true(with.filter->nd == 1 && with.filter->nz == NX + 1 && with.filter->A);
    assert_true(without.filter->nd == 0 && without.filter->nz == NX && !without.filter->acting);
    if (i == 0) assert_true(fabs(run_pushed(&without, false, true, force[i], 1e9)) > 0.05);
    assert_close(run_pushed(&with, false, true, force[i], 1e9), 0, 5e-5);
    assert_close(with.filter->acting[0], force[i], 2e-3);

    // by the schedule alone the same, and of a new run nothing is known
    assert_close(run_pushed(&with, false, false, force[i], 1e9), 0, 5e-5);
    with.sensor.begin(with.sensor.self, 1);
    assert_true(with.filter->acting[0] == 0);
    close_watched(&with);
    close_watched(&without);
  }
}

// the filter is told what acted: what limits cut off changes nothing of what it knows
static void a_limit_does_not_wind_it_up(void **state) {
  (void)state;
  watched w = watch(fine, walk);
  double z[NX + 1];
  run_pushed(&w, true, true, 0.7, 1e9);
  for (int i = 0; i <= NX; i++) z[i] = w.filter->z[i] - (i == NX ? 0.7 : 0);
  double cut = run_pushed(&w, true, true, 0.7, 0.9);
  assert_true(w.cut > 0);
  assert_close(w.filter->z[NX] - 0.7, z[NX], 1e-9);
  assert_close(cut, 0, 5e-5);
  close_watched(&w);
}

// P_0 is a second's walk, and what encoders show makes it less; L of none is as it was
static void its_covariance_is_that_of_its_walk(void **state) {
  (void)state;
  watched with = watch(fine, walk), without = watch(fine, (const double[]){0});
  assert_true(fb_estimator_deviation(with.filter, 0, NX) == 0.1);
  assert_true(fb_estimator_deviation(with.filter, N, NX) < 0.06);
  assert_true(with.filter->W[(NX + 1) * (NX + 1) - 1] == 0.1 * 0.1 * 0.02);
  fb_estimator *plain;
  int failed;
  const fb_sensor_noise set = {fine, impulse, start, start, 1, INFINITY, NULL};
  assert_int_equal(fb_estimator_new(&plain, with.f, &with.z.s, &set, &failed, NULL), DM_OK);
  assert_memory_equal(plain->L, without.filter->L, sizeof(double) * N * NX * 2);
  fb_estimator_free(plain);
  close_watched(&with);
  close_watched(&without);
}

// one encoder of the pole does not tell where the cart is pushed to; one of the cart does
static void what_encoders_do_not_show_is_named(void **state) {
  (void)state;
  watched seen = watch(slider, walk), unseen = watch(pole, walk);
  int at;
  assert_int_equal(fb_estimator_unseen(seen.filter, N - 1, &at), DM_OK);
  assert_int_equal(at, -1);
  assert_int_equal(fb_estimator_unseen(unseen.filter, N - 1, &at), DM_OK);
  assert_true(at >= 0 && at <= NX);
  close_watched(&seen);
  close_watched(&unseen);
}

static void late_inputs_have_none(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *late = rest_upright(&z, 1);
  fb_estimator *filter;
  dm_message msg;
  int failed;
  fb_sensor_noise set = {fine, impulse, start, start, 1, INFINITY, walk};
  assert_int_equal(fb_estimator_new(&filter, late, &z.s, &set, &failed, &msg), DM_BAD_INPUT);
  assert_null(filter);
  assert_non_null(strstr(msg.text, "a step late"));
  fb_tvlqr_free(late);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_force_is_found_and_leaves_no_error),
      cmocka_unit_test(a_limit_does_not_wind_it_up),
      cmocka_unit_test(its_covariance_is_that_of_its_walk),
      cmocka_unit_test(what_encoders_do_not_show_is_named),
      cmocka_unit_test(late_inputs_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
