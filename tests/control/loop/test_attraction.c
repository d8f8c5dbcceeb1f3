// Region of attraction, computed for a plant whose region is known.
#include "control/loop/attraction.h"

#include "control/loop/binomial.h"
#include "tests/support/balanced.h"

enum { DIRECTIONS = 40, SAMPLES = 500 };
static const double spread_q[] = {0.1, 0.2}, spread_v[] = {0, 0.4};

// succeeds if (dq_0 / 0.1)^2 + (dq_1 / 0.2)^2 <= 9, at the first step
typedef struct well {
  fb_plant plant;
  double h;
  bool begun;
} well;
static dm_status step(void *self, double *x, const double *u, double h) {
  well *w = self;
  double a = x[0] / 0.1, b = (x[1] - 3.141592653589793) / 0.2;
  (void)u, (void)h;
  if (!w->begun && a * a + b * b > 9) return DM_SINGULAR;
  w->begun = true;
  x[0] = x[2] = x[3] = 0, x[1] = 3.141592653589793;
  return DM_OK;
}
static bool next(void *user, int done) {
  ((well *)user)->begun = false;
  return done > 0;
}

static const fb_monte_carlo_settings set = {
    .seed = 3, .spread_q = spread_q, .spread_v = spread_v, .tolerance = 0.1};
static const fb_attraction_settings region = {DIRECTIONS, 12, SAMPLES, 16, 0.98, 0.99};

typedef struct bench {
  balanced z;
  well w;
  fb_plant plant;
  double radius[2 * DIRECTIONS];
  fb_sample rows[SAMPLES];
  fb_attraction_claim claim;
} bench;

static bench bench_open(void) {
  return (bench){.z = balanced_open(), .plant = {.n = 2, .nu = 1, .step = step}};
}

static dm_status run(void *self, const fb_monte_carlo_settings *by, fb_sample *rows) {
  bench *b = self;
  b->plant.self = &b->w;
  return fb_monte_carlo_run(b->z.f, &b->z.s, &b->plant, by, rows, 0, NULL, next, &b->w);
}

static dm_status search(bench *b, const fb_monte_carlo_settings *by,
                        const fb_attraction_settings *in) {
  return fb_attraction_search(&(fb_runner){run, b}, by, in, b->radius, b->rows);
}

static dm_status claim(bench *b, const fb_monte_carlo_settings *by,
                       const fb_attraction_settings *in) {
  return fb_attraction_assess(&(fb_runner){run, b}, by, in, b->radius, &b->claim, b->rows);
}

// the fraction of an ellipsoid of size r that succeeds: the part of a ball within 3 of an axis
static double share_of(double r) {
  return r > 3 ? 1 - pow(1 - 9 / (r * r), 1.5) : 1;
}

static void directions_end_where_the_region_does(void **state) {
  (void)state;
  bench b = bench_open();
  assert_int_equal(search(&b, &set, &region), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) {
    // a direction without a component in v reaches 3, others farther
    assert_true(b.radius[i] >= 3 - 16. / 4096 && b.radius[i] <= b.radius[DIRECTIONS + i]);
    if (b.radius[i] < 16) assert_close(b.radius[DIRECTIONS + i] - b.radius[i], 16. / 4096, 1e-9);
  }
  double least = 16;
  for (int i = 0; i < DIRECTIONS; i++) least = fmin(least, b.radius[i]);
  assert_true(least < 4);

  // the claim is correct: in an ellipsoid of size r, starts with r |(a,b)| <= 3 succeed
  assert_int_equal(claim(&b, &set, &region), DM_OK);
  assert_true(b.claim.size > 1 && b.claim.size < 4);
  assert_true(b.claim.rate_bound >= 0.98 &&
              b.claim.rate_bound < (double)b.claim.succeeded / SAMPLES);
  assert_true(fb_monte_carlo_verdict(b.rows, SAMPLES).succeeded == b.claim.succeeded);
  assert_true(share_of(b.claim.size) > 0.98);
  // the error probability of try k is half that of the previous try, in total less than 1 - 0.99
  double err = 0.01 / pow(2, b.claim.tries);
  assert_close(b.claim.rate_bound, fb_binomial_lower_bound(b.claim.succeeded, SAMPLES, 1 - err),
               1e-15);
  balanced_close(&b.z);
}

// starts fill an ellipsoid uniformly: for a large one, the success rate is the ratio of volumes
// within four standard deviations; if brackets reach 0 a claim is searched as well
static void a_claim_is_looked_for_below_the_brackets(void **state) {
  (void)state;
  static const fb_attraction_settings coarse = {DIRECTIONS, 1, SAMPLES, 100, 0.3, 0.99};
  bench b = bench_open();
  assert_int_equal(search(&b, &set, &coarse), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) b.radius[i] = 0;
  assert_int_equal(claim(&b, &set, &coarse), DM_OK);
  double share = share_of(b.claim.size);
  assert_true(b.claim.size > 4 && b.claim.tries > 1);
  assert_close((double)b.claim.succeeded / SAMPLES, share, 4 * sqrt(share * (1 - share) / SAMPLES));
  balanced_close(&b.z);
}

// indices of the samples that run: a sensor that measures everything and counts
typedef struct record {
  int least, most;
} record;
static void begin(void *self, int sample) {
  record *r = self;
  r->least = sample < r->least ? sample : r->least;
  r->most = sample > r->most ? sample : r->most;
}
static const double *see(void *self, int k, const double *x) {
  (void)self, (void)k;
  return x;
}
static void act(void *self, int k, const double *u, double *x) {
  (void)self, (void)k, (void)u, (void)x;
}

// quantities drawn per sample, for example a plant, must differ from those used to find the size
static void a_claim_is_of_samples_that_the_directions_did_not_see(void **state) {
  (void)state;
  bench b = bench_open();
  record searched = {1 << 30, -1}, claimed = searched;
  fb_sensor sensor = {.self = &searched, .begin = begin, .measure = see, .act = act};
  b.z.f->sensor = &sensor;
  assert_int_equal(search(&b, &set, &region), DM_OK);
  sensor.self = &claimed;
  assert_int_equal(claim(&b, &set, &region), DM_OK);
  assert_int_equal(searched.most, DIRECTIONS - 1);
  assert_true(claimed.least > searched.most);
  balanced_close(&b.z);
}

// this number of samples is sufficient for a claim if all succeed; one less is not
static void a_claim_needs_samples(void **state) {
  (void)state;
  for (double rate = 0.5; rate < 1; rate += 0.07)
    for (double confidence = 0.5; confidence < 1; confidence += 0.09) {
      int n = (int)fb_attraction_needs(rate, confidence);
      assert_true(fb_binomial_lower_bound(n, n, (1 + confidence) / 2) >= rate);
      assert_true(fb_binomial_lower_bound(n - 1, n - 1, (1 + confidence) / 2) < rate);
    }
}

static void nothing_is_claimed_of_what_never_holds(void **state) {
  (void)state;
  bench b = bench_open();
  fb_monte_carlo_settings never = set;
  never.tolerance = -1;
  assert_int_equal(search(&b, &never, &region), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) assert_true(b.radius[i] == 0);
  assert_int_equal(claim(&b, &never, &region), DM_OK);
  assert_true(b.claim.size == 0);
  balanced_close(&b.z);
}

static dm_status leave(void *self, const fb_monte_carlo_settings *of, fb_sample *rows) {
  (void)self, (void)of, (void)rows;
  return DM_INTERRUPTED;
}

static void an_interrupt_is_passed_up(void **state) {
  (void)state;
  fb_runner runner = {leave, NULL};
  double radius[2 * DIRECTIONS] = {0};
  fb_sample rows[DIRECTIONS];
  fb_attraction_claim claim;
  assert_int_equal(fb_attraction_search(&runner, &set, &region, radius, rows), DM_INTERRUPTED);
  assert_int_equal(fb_attraction_assess(&runner, &set, &region, radius, &claim, rows),
                   DM_INTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_end_where_the_region_does),
      cmocka_unit_test(an_interrupt_is_passed_up),
      cmocka_unit_test(a_claim_is_looked_for_below_the_brackets),
      cmocka_unit_test(a_claim_is_of_samples_that_the_directions_did_not_see),
      cmocka_unit_test(a_claim_needs_samples),
      cmocka_unit_test(nothing_is_claimed_of_what_never_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
