// Disturbances other than model errors: encoders, motors, pushes, calls.
#include "lib/base/random.h"
#include "tests/support/mismatch.h"

// a mismatch around the bench's controller, with a spy; the plant is the model
typedef struct stage {
  balanced z;
  spy spy;
  fb_mismatch *w;
  fb_plant plant;
  fb_sensor sensor;
  dm_continuous *c;
} stage;

static void stage_open(stage *b, const fb_mismatch_settings *set) {
  *b = (stage){.z = balanced_open()};
  b->spy = (spy){.system = &b->z.s, .plant = {.n = 2, .nu = 1, .self = &b->spy, .step = stand}};
  fb_perturbed_models machines = {.self = &b->spy, .nj = 2, .build = note};
  assert_int_equal(fb_mismatch_new(&b->w, b->z.f, &b->z.s, &machines, set, NULL), DM_OK);
  b->plant = fb_mismatch_plant(b->w);
  b->sensor = fb_mismatch_sensor(b->w);
  assert_int_equal(dm_continuous_new(&b->c, &b->z.s), DM_OK);
}

static void stage_close(stage *b) {
  dm_continuous_free(b->c);
  fb_mismatch_free(b->w), balanced_close(&b->z);
}

// a motion of constant speed: encoders return multiples of their resolution, and velocities are
// their difference over a control step, from the first call on
static void velocities_are_differences_of_what_encoders_show(void **state) {
  (void)state;
  stage b;
  const double encoder[] = {0.01, 0.007}, v[] = {0.4, -0.3};
  const fb_mismatch_settings set = {.seed = 5, .encoder = encoder, .differences = true};
  stage_open(&b, &set);
  double before[2], sum[2] = {0}, h = b.z.f->h, last[2] = {0};
  b.sensor.begin(b.sensor.self, 0);
  for (int i = 0; i < 2; i++) before[i] = encoder[i] * round((0.3 - h * v[i]) / encoder[i]);
  for (int k = 0; k < 40; k++) {
    double x[4], seen[2] = {0};
    for (int i = 0; i < 2; i++) x[i] = 0.3 + k * h * v[i];
    assert_int_equal(dm_momentum_of(b.c, x, v, x + 2), DM_OK);
    const double *y = b.sensor.measure(b.sensor.self, k, x);
    assert_int_equal(dm_velocity_of(b.c, y, y + 2, seen), DM_OK);
    for (int i = 0; i < 2; i++) {
      assert_close(y[i], encoder[i] * round(x[i] / encoder[i]), 1e-15);
      assert_close(seen[i], (y[i] - before[i]) / h, 1e-11);
      before[i] = last[i] = y[i], sum[i] += h * seen[i];
    }
  }
  for (int i = 0; i < 2; i++) // nothing is lost: velocities add up to the distance
    assert_close(sum[i], last[i] - encoder[i] * round((0.3 - h * v[i]) / encoder[i]), 1e-11);
  stage_close(&b);
}

// T m' = u - m: after k steps of constant u the fraction exp(-k h / T) remains, and the impulse of
// a step is that of the mean force
static void motors_lag(void **state) {
  (void)state;
  stage b;
  const double T = 0.03, u = 2;
  const fb_mismatch_settings set = {.seed = 5, .size[FB_LAG] = T};
  stage_open(&b, &set);
  const double h = b.z.f->h, u0 = b.z.f->u[0];
  double x[4] = {0, 3, 0, 0};
  b.sensor.begin(b.sensor.self, 0);
  for (int k = 0; k < 10; k++) {
    b.sensor.measure(b.sensor.self, k, x);
    assert_int_equal(b.plant.step(b.plant.self, x, &u, h), DM_OK);
    double left = T / h * (exp(-k * h / T) - exp(-(k + 1) * h / T));
    assert_close(b.spy.u, u + (u0 - u) * left, 1e-14);
  }
  stage_close(&b);
}

static void a_response_is_a_factor(void **state) {
  (void)state;
  stage b;
  const fb_mismatch_settings set = {.seed = 5, .size[FB_RESPONSE] = 0.5};
  stage_open(&b, &set);
  double x[4] = {0, 3, 0, 0}, u = 2, sum = 0;
  enum { N = 400 };
  for (int s = 0; s < N; s++) {
    b.sensor.begin(b.sensor.self, s);
    b.sensor.measure(b.sensor.self, 0, x);
    assert_int_equal(b.plant.step(b.plant.self, x, &u, b.z.f->h), DM_OK);
    assert_true(b.spy.u >= 1 && b.spy.u <= 3);
    sum += b.spy.u / N;
  }
  assert_close(sum, 2, 5 * 2 * 0.5 / sqrt(3) / sqrt(N));
  fb_mismatch_level(b.w, FB_RESPONSE, -1.6, 0); // the same for all, and not random
  b.sensor.begin(b.sensor.self, 3);
  b.sensor.measure(b.sensor.self, 0, x);
  assert_int_equal(b.plant.step(b.plant.self, x, &u, b.z.f->h), DM_OK);
  assert_close(b.spy.u, 0.2 * u, 1e-15);
  stage_close(&b);
}

// the impulses of the steps are integrals of Gaussians: for each coordinate they add up to the
// areas of its pushes, with heights and widths within their limits; the peaks keep their minimum
// distance
static void pushes_are_gaussian_and_apart(void **state) {
  (void)state;
  stage b;
  const double factor[] = {1, 0.5};
  const fb_mismatch_settings set = {
      .seed = 5,
      .pushes = {.count = 2, .size = {2, 2}, .width = {0.05, 0.05}, .apart = 1, .factor = factor}};
  stage_open(&b, &set);
  const double h = b.z.f->h, area = 2 * 0.05 * sqrt(2 * acos(-1));
  const int N = b.z.f->N;
  assert_true(N * h >= 1.9);
  for (int s = 0; s < 20; s++) {
    double sum[2] = {0}, largest[2] = {0};
    int peak[2][8] = {{0}}, peaks[2] = {0};
    b.sensor.begin(b.sensor.self, s);
    double last[2][3] = {{0}};
    for (int k = 0; k < N; k++) {
      double x[4] = {0, 3, 0, 0}, u = 0;
      b.sensor.measure(b.sensor.self, k, x);
      assert_int_equal(b.plant.step(b.plant.self, x, &u, h), DM_OK);
      for (int i = 0; i < 2; i++) {
        sum[i] += fabs(x[2 + i]);
        largest[i] = fmax(largest[i], fabs(x[2 + i]) / h);
        memmove(last[i], last[i] + 1, 2 * sizeof **last), last[i][2] = fabs(x[2 + i]);
        if (last[i][1] > last[i][0] && last[i][1] > last[i][2] && last[i][1] > 1e-3 && peaks[i] < 8)
          peak[i][peaks[i]++] = k - 1;
      }
    }
    for (int i = 0; i < 2; i++) {
      assert_true(sum[i] <= 2 * factor[i] * area * (1 + 1e-9)); // one at either end may be cut off
      assert_true(sum[i] >= factor[i] * area);
      assert_true(largest[i] <= 2 * factor[i] && largest[i] > 0.9 * 2 * factor[i]);
      assert_true(peaks[i] <= 2);
      if (peaks[i] == 2) assert_true((peak[i][1] - peak[i][0] + 1) * h >= 1);
    }
  }
  stage_close(&b);
}

static void pushes_need_room(void **state) {
  (void)state;
  const fb_pushes p = {.count = 4, .size = {1, 2}, .width = {0.1, 0.1}, .apart = 1};
  assert_true(fb_pushes_fit(&p, 3) && !fb_pushes_fit(&p, 2.9));
  balanced z = balanced_open();
  spy m = {.system = &z.s};
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  fb_mismatch_settings set = {.seed = 5, .pushes = p};
  set.pushes.apart = z.f->N * z.f->h;
  fb_mismatch *w = NULL;
  assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, NULL), DM_BAD_INPUT);
  assert_null(w);
  balanced_close(&z);
}

// a missing call keeps the previous output; the frequency is as specified
static void missing_calls_hold_the_last_output(void **state) {
  (void)state;
  stage b;
  const fb_mismatch_settings set = {.seed = 5, .size[FB_MISSING] = 0.3};
  stage_open(&b, &set);
  int missing = 0, all = 0;
  for (int s = 0; s < 40; s++) {
    double told = NAN, x[4] = {0, 3, 0, 0};
    b.sensor.begin(b.sensor.self, s);
    for (int k = 0; k < b.z.f->N; k++, all++) {
      const double u = 1 + k;
      b.sensor.measure(b.sensor.self, k, x);
      assert_int_equal(b.plant.step(b.plant.self, x, &u, b.z.f->h), DM_OK);
      assert_true(b.spy.u == u || (k > 0 && b.spy.u == told));
      missing += b.spy.u != u;
      told = b.spy.u;
    }
  }
  assert_close((double)missing / all, 0.3, 5 * sqrt(0.3 * 0.7 / all) + 1. / b.z.f->N);
  stage_close(&b);
}

// a call between knots sees the state at its time, which the previous input led to, and acts from
// then on: the plant's step is split in two
static void calls_off_their_knots_see_and_act_then(void **state) {
  (void)state;
  bench b;
  fb_plant p;
  bench_open(&b);
  fb_mismatch_free(b.w);
  fb_mismatch_settings set = {.seed = 5, .size[FB_OFF] = 0.6};
  fb_perturbed_models machines = {.self = &b.shop, .nj = b.z.m->nj, .build = make};
  assert_int_equal(fb_mismatch_new(&b.w, b.z.f, &b.z.s, &machines, &set, NULL), DM_OK);
  b.plant = fb_mismatch_plant(b.w), b.sensor = fb_mismatch_sensor(b.w);
  assert_int_equal(fb_plant_discrete(&p, &b.z.s), DM_OK);
  double x[44], seen[40], h = b.z.f->h, last = b.z.f->u[0], sum = 0;
  move_and_see(&b, x, seen);
  for (int k = 0; k < 10; k++) {
    double y[4], u = sin(k);
    memcpy(y, x + 4 * k, sizeof y);
    double share =
        0.6 * (1 + dm_random_uniform(5 + ((uint64_t)(FB_OFF + 1) << 40), 0, (uint64_t)k)) / 2;
    sum += share / 10;
    assert_int_equal(p.step(p.self, y, &last, share * h), DM_OK);
    for (int i = 0; i < 4; i++) assert_close(seen[4 * k + i], y[i], 1e-11);
    assert_int_equal(p.step(p.self, y, &u, (1 - share) * h), DM_OK);
    for (int i = 0; i < 4; i++) assert_close(x[4 * (k + 1) + i], y[i], 1e-11);
    last = u;
  }
  assert_true(sum > 0.1 && sum < 0.5);
  fb_plant_free(&p), bench_close(&b);
}

// all disturbances together do not depend on the order of samples
static void disturbances_depend_on_the_sample_alone(void **state) {
  (void)state;
  bench b;
  const double encoder[] = {1e-3, 1e-3};
  bench_open(&b);
  fb_mismatch_free(b.w);
  fb_mismatch_settings set = {.seed = 5,
                              .q = q_std,
                              .torque = u_std,
                              .encoder = encoder,
                              .readings = encoder,
                              .differences = true,
                              .pushes = {.count = 2, .size = {0.1, 1}, .width = {0.05, 0.1}}};
  for (int a = FB_MASS; a < FB_AXES; a++) set.size[a] = 0.05;
  fb_perturbed_models machines = {.self = &b.shop, .nj = b.z.m->nj, .build = make};
  assert_int_equal(fb_mismatch_new(&b.w, b.z.f, &b.z.s, &machines, &set, NULL), DM_OK);
  b.plant = fb_mismatch_plant(b.w), b.sensor = fb_mismatch_sensor(b.w);
  fb_sample all[6], one[1];
  run(&b, 6, all);
  fb_monte_carlo_settings from = drawn;
  from.samples = 1;
  for (from.first = 5; from.first >= 0; from.first -= 2) {
    assert_int_equal(fb_monte_carlo_run(b.z.f, &b.z.s, &b.plant, &from, one, 0, NULL, NULL, NULL),
                     DM_OK);
    assert_memory_equal(one, &all[from.first], sizeof one);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_are_differences_of_what_encoders_show),
      cmocka_unit_test(motors_lag),
      cmocka_unit_test(a_response_is_a_factor),
      cmocka_unit_test(pushes_are_gaussian_and_apart),
      cmocka_unit_test(pushes_need_room),
      cmocka_unit_test(missing_calls_hold_the_last_output),
      cmocka_unit_test(calls_off_their_knots_see_and_act_then),
      cmocka_unit_test(disturbances_depend_on_the_sample_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
