// How far off starts may be, found on a plant of which it is known.
#include "control/region.h"

#include "tests/hold.h"

enum { DIRECTIONS = 40, SAMPLES = 500 };
static const double spread_q[] = {0.1, 0.2}, spread_v[] = {0, 0.4};

// holds where (dq_0 / 0.1)^2 + (dq_1 / 0.2)^2 <= 9, at the first step
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

// its samples, run
typedef struct bench {
  hold z;
  well w;
  fb_plant plant;
  fb_runner runner;
} bench;

static dm_status run(void *self, const fb_montecarlo_settings *set, fb_sample *rows) {
  bench *b = self;
  return fb_montecarlo_run(b->z.f, &b->z.s, &b->plant, set, rows, 0, NULL, next, &b->w);
}

static void open_bench(bench *b) {
  *b = (bench){.z = hold_open(), .plant = {.n = 2, .nu = 1, .self = &b->w, .step = step}};
  b->runner = (fb_runner){run, b};
}

static const fb_montecarlo_settings set = {
    .seed = 3, .spread_q = spread_q, .spread_v = spread_v, .tolerance = 0.1};
static const fb_region_settings region = {DIRECTIONS, 12, SAMPLES, 16, 0.98, 0.99};

static void directions_end_where_the_region_does(void **state) {
  (void)state;
  bench b;
  open_bench(&b);
  static double radius[2 * DIRECTIONS];
  static fb_sample rows[SAMPLES];
  fb_claim claim;
  assert_int_equal(fb_region_search(&b.runner, &set, &region, radius, rows), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) {
    // a direction whose part in v is nothing reaches 3, others further
    assert_true(radius[i] >= 3 - 16. / 4096 && radius[i] <= radius[DIRECTIONS + i]);
    if (radius[i] < 16) assert_close(radius[DIRECTIONS + i] - radius[i], 16. / 4096, 1e-9);
  }
  double least = 16;
  for (int i = 0; i < DIRECTIONS; i++) least = fmin(least, radius[i]);
  assert_true(least < 4);

  // what is claimed is so: of an ellipsoid of size r the starts with r |(a,b)| <= 3 hold
  assert_int_equal(fb_region_claim(&b.runner, &set, &region, radius, &claim, rows), DM_OK);
  assert_true(claim.size > 1 && claim.size < 4);
  assert_true(claim.at_least >= 0.98 && claim.at_least < (double)claim.held / SAMPLES);
  assert_true(fb_montecarlo_verdict(rows, SAMPLES).held == claim.held);
  hold_close(&b.z);
}

static void nothing_is_claimed_of_what_never_holds(void **state) {
  (void)state;
  bench b;
  open_bench(&b);
  fb_montecarlo_settings never = set;
  double radius[2 * DIRECTIONS];
  static fb_sample rows[SAMPLES];
  fb_claim claim;
  never.tolerance = -1;
  assert_int_equal(fb_region_search(&b.runner, &never, &region, radius, rows), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) assert_true(radius[i] == 0);
  assert_int_equal(fb_region_claim(&b.runner, &never, &region, radius, &claim, rows), DM_OK);
  assert_true(claim.size == 0);
  hold_close(&b.z);
}

static dm_status leave(void *self, const fb_montecarlo_settings *of, fb_sample *rows) {
  (void)self, (void)of, (void)rows;
  return DM_INTERRUPTED;
}

static void an_interrupt_is_passed_up(void **state) {
  (void)state;
  fb_runner runner = {leave, NULL};
  double radius[2 * DIRECTIONS] = {0};
  fb_sample rows[DIRECTIONS];
  fb_claim claim;
  assert_int_equal(fb_region_search(&runner, &set, &region, radius, rows), DM_INTERRUPTED);
  assert_int_equal(fb_region_claim(&runner, &set, &region, radius, &claim, rows), DM_INTERRUPTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions_end_where_the_region_does),
      cmocka_unit_test(an_interrupt_is_passed_up),
      cmocka_unit_test(nothing_is_claimed_of_what_never_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
