// An estimate between knots: at the knots the gain schedule's own map, between them close to it.
#include "control/feedback/estimator.h"
#include "control/onboard/onboard.h"
#include "lib/base/dense.h"
#include "tests/support/balanced.h"

// A and B made different at each knot
static balanced varied(void) {
  balanced z = balanced_open();
  for (int k = 0; k < z.f->N; k++)
    for (int i = 0; i < 16; i++) z.f->A[k * 16 + i] *= 1 + 1e-3 * k * (i % 3);
  for (int k = 0; k < z.f->N; k++) z.f->u[k] = 0.1 * k;
  return z;
}

static const double start[] = {0.1, -0.2, 0.3, 0.05};

// a filter along the schedule, with what acts beside its one input or without
static fb_filter *filter_of(const balanced *b, int beside) {
  static const int input[] = {0}, none[4];
  const fb_tvlqr *f = b->f;
  const tables T = {.steps = f->N,
                    .nq = 2,
                    .nu = 1,
                    .ny = 4,
                    .h = f->h,
                    .rate = 1 / f->h,
                    .u_d = {f->u, f->N, 1},
                    .turns = none,
                    .nx = 4,
                    .nz = 4 + beside,
                    .nd = beside,
                    .disturbed = input,
                    .A = {f->A, f->N, 16},
                    .B = {f->B, f->N, 4}};
  fb_filter *w = fb_filter_new(&T);
  assert_non_null(w);
  fb_filter_begin(w);
  return w;
}

// z [5] from the start of the tests, with d beside the input
static void begin_with(double d, double *z) {
  memcpy(z, start, sizeof start);
  z[4] = d;
}

static void at_knots_it_is_the_schedules_map(void **state) {
  (void)state;
  balanced b = varied();
  const double h = b.f->h, u = 3;
  double z[5], want;
  fb_filter *w = filter_of(&b, 0);

  // without known inputs B has no effect
  begin_with(0, z);
  fb_filter_advance(w, h, 2 * h, z);
  for (int i = 0; i < 4; i++) assert_close(z[i], dm_inner(4, b.f->A + 16 + i * 4, start), 1e-14);

  // z <- A z + B (u - u_d)
  fb_filter_apply(w, 0, &u);
  for (int k = 0; k < 3; k++) {
    begin_with(0, z);
    fb_filter_advance(w, k * h, (k + 1) * h, z);
    for (int i = 0; i < 4; i++) {
      want = dm_inner(4, b.f->A + k * 16 + i * 4, start) + b.f->B[k * 4 + i] * (3 - b.f->u[k]);
      assert_close(z[i], want, 1e-14);
    }
  }
  fb_filter_free(w);
  balanced_close(&b);
}

// disturbances act like additional inputs, including when no inputs are known
static void what_acts_beside_inputs_is_as_they_are(void **state) {
  (void)state;
  balanced b = varied();
  const double h = b.f->h, to[] = {h, 1.3 * h, 3.7 * h}, u = 3, more = 3.7;
  double z[5], want[5];
  fb_filter *beside = filter_of(&b, 1), *without = filter_of(&b, 0);

  // B d, in addition to A z
  begin_with(0.7, z);
  fb_filter_advance(beside, 0, h, z);
  for (int i = 0; i < 4; i++)
    assert_close(z[i], dm_inner(4, b.f->A + i * 4, start) + b.f->B[i] * 0.7, 1e-14);
  fb_filter_apply(beside, 0, &u);
  fb_filter_apply(without, 0, &more);
  for (int i = 0; i < 3; i++) {
    begin_with(0.7, z);
    begin_with(0, want);
    fb_filter_advance(beside, 0, to[i], z);
    fb_filter_advance(without, 0, to[i], want);
    for (int j = 0; j < 4; j++) assert_close(z[j], want[j], 1e-13);
  }
  fb_filter_free(beside);
  fb_filter_free(without);
  balanced_close(&b);
}

// steps that start between knots approximately add up to steps at knots
static void between_knots_it_is_near(void **state) {
  (void)state;
  balanced b = balanced_open();
  const double h = b.f->h, u = 3, more = 5, mean = 4;
  double z[5], want[5];
  fb_filter *w = filter_of(&b, 0), *even = filter_of(&b, 0);
  fb_filter_apply(w, 0, &u);
  begin_with(0, want);
  fb_filter_advance(w, 0, 10 * h, want);
  begin_with(0, z);
  for (double t = 0; t < 10 * h - 1e-9; t += 0.4 * h) fb_filter_advance(w, t, t + 0.4 * h, z);
  for (int i = 0; i < 4; i++) assert_close(z[i], want[i], 0.03 * dm_largest(4, want));

  // an input applied in between acts from then on
  fb_filter_apply(w, 0.5 * h, &more);
  fb_filter_apply(even, 0, &mean);
  begin_with(0, z);
  begin_with(0, want);
  fb_filter_advance(w, 0, h, z);
  fb_filter_advance(even, 0, h, want);
  for (int i = 0; i < 4; i++) assert_close(z[i], want[i], 2e-3);
  fb_filter_free(w);
  fb_filter_free(even);
  balanced_close(&b);
}

// a filter that knows the age of its measurements estimates the current state: tested with a known
// deviation
static void old_readings_are_brought_to_now(void **state) {
  (void)state;
  balanced b = balanced_open();
  const double none[4] = {1e-9, 1e-9, 1e-9, 1e-9}, encoder[] = {1e-6, 1e-6};
  const fb_sensor_noise set = {
      .encoder = encoder, .process = none, .start_q = encoder, .start_p = encoder};
  fb_estimator *w;
  int failed;
  assert_int_equal(fb_estimator_new(&w, b.f, &b.s, &set, &failed, NULL), DM_OK);
  const fb_sensor see = fb_estimator_sensor(w);
  const double h = b.f->h, u[] = {0};
  const int age = 3;

  // x of the linear system without input: each call returns the state of `age` steps ago
  double x[64][4], off[4], next[4];
  memcpy(x[0], (double[]){1e-3, 2e-3, 0, 0}, sizeof x[0]);
  for (int k = 0; k + 1 < 64; k++)
    for (int i = 0; i < 4; i++) x[k + 1][i] = dm_inner(4, b.f->A + i * 4, x[k]);
  see.begin(w, 0);
  double error = INFINITY;
  for (int k = 0; k < 60; k++) {
    const double *old = x[k < age ? 0 : k - age];
    for (int i = 0; i < 4; i++) off[i] = b.f->x[k * 4 + i] + old[i];
    see.date(w, k * h, (k < age ? k : age) * h);
    const double *seen = see.measure(w, k, off);
    error = 0;
    for (int i = 0; i < 4; i++) error = fmax(error, fabs(seen[i] - b.f->x[k * 4 + i] - x[k][i]));
    memcpy(next, x[k], sizeof next);
    see.act(w, k, u, next);
    if (k == 0) assert_false(w->by_time);
  }
  assert_true(w->by_time);
  assert_true(error < 0.02 * dm_largest(4, x[59]));
  fb_estimator_free(w);
  balanced_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_knots_it_is_the_schedules_map),
      cmocka_unit_test(what_acts_beside_inputs_is_as_they_are),
      cmocka_unit_test(between_knots_it_is_near),
      cmocka_unit_test(old_readings_are_brought_to_now),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
