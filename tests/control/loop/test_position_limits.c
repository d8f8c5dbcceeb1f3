// Position limits: which starts are drawn again, which samples fail, which plans are refused, and
// the counts.
#include "control/loop/attraction.h"
#include "control/loop/monte_carlo.h"

#include "tests/support/balanced.h"

static const double spread_q[] = {0.1, 0.2}, spread_v[] = {0.3, 0.4};
static const double pi = 3.141592653589793;

typedef struct room {
  balanced z;
  fb_plant p;
  double low[2], high[2], fast[2];
  dm_limits limit;
  fb_excess_count positions[2], speeds[2];
  fb_start_refusal refused;
  fb_monte_carlo_settings set;
} room;

// the cart not left of 0.05, the pole within 0.15 of upright
static void room_open(room *r, int samples) {
  *r = (room){.z = balanced_open(),
              .low = {-0.05, pi - 0.15},
              .high = {INFINITY, pi + 0.15},
              .fast = {0.5, INFINITY}};
  assert_int_equal(fb_plant_discrete(&r->p, &r->z.s), DM_OK);
  r->limit = (dm_limits){.q = {r->low, r->high}, .v.high = r->fast};
  for (int i = 0; i < 2; i++) r->positions[i] = r->speeds[i] = fb_excess_count_none();
  r->set = (fb_monte_carlo_settings){.samples = samples,
                                     .seed = 7,
                                     .spread_q = spread_q,
                                     .spread_v = spread_v,
                                     .tolerance = 0.05,
                                     .limit = &r->limit,
                                     .refused = &r->refused};
}

static void room_close(room *r) {
  fb_plant_free(&r->p), balanced_close(&r->z);
}

static dm_status room_run(room *r, fb_sample *rows, int nfan, double *fan) {
  return fb_monte_carlo_run(r->z.f, &r->z.s, &r->p, &r->set, rows, nfan, fan, NULL, NULL);
}

enum { N = 400, KNOTS = HOLD_STEPS + 1 };
static fb_sample rows[N], others[N];
static double fan[N * 2 * KNOTS];

// every start is within the limits; starts that satisfy them immediately are the same as without
// limits, and all are uniform in the remaining region
static void starts_outside_are_drawn_again(void **state) {
  (void)state;
  room r;
  room_open(&r, N);
  assert_int_equal(room_run(&r, rows, N, fan), DM_OK);
  int redrawn = 0;
  double mean = 0, square = 0;
  for (int s = 0; s < N; s++) {
    const double *q = fan + (size_t)s * 2 * KNOTS;
    double d[4];
    fb_monte_carlo_draw(&r.set, 2, s, d, d + 2);
    const bool inside = d[0] >= r.low[0] && fabs(d[1]) <= 0.15;
    assert_true(q[0] >= r.low[0] && fabs(q[1] - pi) <= 0.15);
    assert_int_equal(rows[s].redrawn == 0, inside);
    if (inside) assert_true(q[0] == d[0] && fabs(q[1] - pi - d[1]) < 1e-15);
    redrawn += rows[s].redrawn > 0;
    const double x = (q[0] - 0.025) / 0.075; // uniform in [-1, 1]
    mean += x / N, square += x * x / N;
  }
  assert_true(redrawn > N / 4 && redrawn < 3 * N / 4); // 7 of 16
  assert_true(fabs(mean) < 5 * sqrt(1. / 3 / N) && fabs(square - 1. / 3) < 5 * sqrt(4. / 45 / N));

  // for any rank and any order
  r.set.samples = 30, r.set.first = 17;
  assert_int_equal(room_run(&r, others, 0, NULL), DM_OK);
  assert_memory_equal(others, rows + 17, 30 * sizeof *rows);
  room_close(&r);
}

// a plan that touches a limit, or exceeds it by a solver's tolerance, is a valid start
static void the_plan_itself_may_touch_a_limit(void **state) {
  (void)state;
  room r;
  room_open(&r, 20);
  r.low[0] = 1e-7;
  assert_int_equal(room_run(&r, rows, 20, fan), DM_OK);
  for (int s = 0; s < 20; s++) assert_true(fan[(size_t)s * 2 * KNOTS] >= 0);
  room_close(&r);
}

// compared with the fan: a sample fails if it exceeds a limit by more than 1e-3 of its size plus
// the tolerance, unless limits are ignored
static void a_sample_that_passes_a_limit_fails(void **state) {
  (void)state;
  room r;
  room_open(&r, N);
  r.set.tolerance = 0.01;
  r.high[0] = 0.15; // the cart overshoots it
  assert_int_equal(room_run(&r, rows, N, fan), DM_OK);
  int failed = 0;
  for (int s = 0; s < N; s++) {
    double beyond[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < KNOTS; k++)
      for (int i = 0; i < 2; i++) {
        const double q = fan[((size_t)s * KNOTS + (size_t)k) * 2 + (size_t)i];
        beyond[i] = fmax(beyond[i], fmax(r.low[i] - q, q - r.high[i]));
      }
    const bool passed = beyond[0] > 1e-3 * 0.2 + 0.01 || beyond[1] > 1e-3 * 0.3 + 0.01;
    assert_int_equal(rows[s].passed >= 0, passed);
    assert_int_equal(rows[s].succeeded, rows[s].arrived && !passed);
    if (passed) assert_true(rows[s].passed_by == beyond[rows[s].passed]);
    failed += passed && rows[s].arrived;
  }
  assert_true(failed > 5 && failed < N);
  assert_int_equal(fb_monte_carlo_verdict(rows, N).passed > 0, true);

  // the scale of the error also scales the tolerance; a tolerance of zero allows nothing
  const double scale[] = {100, 100, 1, 1};
  r.set.scale = scale;
  assert_int_equal(room_run(&r, others, 0, NULL), DM_OK);
  assert_int_equal(fb_monte_carlo_verdict(others, N).passed, 0);
  r.set.scale = NULL, r.set.tolerance = INFINITY;
  assert_int_equal(room_run(&r, others, 0, NULL), DM_OK);
  assert_true(fb_monte_carlo_verdict(others, N).passed > fb_monte_carlo_verdict(rows, N).passed);

  // ignored, from starts that are not drawn again
  r.set.limit_use = FB_LIMITS_IGNORE, r.set.tolerance = 0.01;
  assert_int_equal(room_run(&r, others, 0, NULL), DM_OK);
  for (int s = 0; s < N; s++)
    assert_true(!others[s].redrawn && others[s].passed < 0 &&
                others[s].succeeded == others[s].arrived);
  room_close(&r);
}

// bitwise equal in each member; padding may differ
static void assert_same_count(const fb_excess_count *a, const fb_excess_count *b) {
  const double x[] = {a->worst.by, a->worst.share, a->worst.value, a->worst.limit, a->worst.t};
  const double y[] = {b->worst.by, b->worst.share, b->worst.value, b->worst.limit, b->worst.t};
  assert_memory_equal(x, y, sizeof x);
  assert_int_equal(a->worst.index, b->worst.index);
  assert_int_equal(a->worst.sample, b->worst.sample);
  assert_int_equal(a->samples, b->samples);
}

// The worst sample and the number of samples beyond a limit, per coordinate. Parts in any order add
// up to the whole.
static void excesses_are_counted_by_coordinate(void **state) {
  (void)state;
  room r;
  room_open(&r, 60);
  r.set.positions = r.positions, r.set.speeds = r.speeds;
  assert_int_equal(room_run(&r, rows, 0, NULL), DM_OK);
  int worst = -1, beyond = 0;
  for (int s = 0; s < 60; s++) {
    beyond += rows[s].speed.by > 0;
    if (worst < 0 || rows[s].speed.share > rows[worst].speed.share) worst = s;
  }
  assert_true(beyond > 0 && beyond < 60);
  assert_int_equal(r.speeds[0].samples, beyond);
  assert_int_equal(r.speeds[0].worst.sample, worst);
  assert_int_equal(r.speeds[0].worst.index, 0);
  assert_true(r.speeds[0].worst.by == rows[worst].speed.by);
  assert_int_equal(r.speeds[1].worst.index, -1); // no limit

  fb_excess_count parts[2][2] = {{r.positions[0], r.positions[1]}, {r.speeds[0], r.speeds[1]}};
  for (int i = 0; i < 2; i++) r.positions[i] = r.speeds[i] = fb_excess_count_none();
  r.set.samples = 20;
  for (int k = 2; k >= 0; k--) {
    r.set.first = 20 * k;
    assert_int_equal(room_run(&r, others, 0, NULL), DM_OK);
  }
  for (int i = 0; i < 2; i++) {
    assert_same_count(&parts[0][i], &r.positions[i]);
    assert_same_count(&parts[1][i], &r.speeds[i]);
  }
  room_close(&r);
}

static void a_spread_without_starts_is_refused_by_name(void **state) {
  (void)state;
  room r;
  room_open(&r, 3);
  const double far[] = {1e5, 0.1}, none[] = {0, 0};
  r.set.spread_q = far, r.set.spread_v = none;
  r.low[0] = -1e-3, r.high[0] = 1e-3;
  assert_int_equal(room_run(&r, rows, 0, NULL), DM_BAD_INPUT);
  assert_int_equal(r.refused.sample, 0);
  assert_int_equal(r.refused.coord, 0);
  assert_int_equal(r.refused.times, FB_DRAWS);
  assert_int_equal(r.refused.draws, FB_DRAWS);
  room_close(&r);
}

static dm_status run_room(void *self, const fb_monte_carlo_settings *set, fb_sample *out) {
  room *r = self;
  return fb_monte_carlo_run(r->z.f, &r->z.s, &r->p, set, out, 0, NULL, NULL, NULL);
}

// along a direction, a limit ends the search without failure; the claim covers starts within the
// limits
static void directions_end_at_limits(void **state) {
  (void)state;
  enum { DIRECTIONS = 24, SAMPLES = 300 };
  room r;
  room_open(&r, 0);
  const double none[] = {0, 0};
  r.set.spread_v = none; // a direction ends at the first start outside
  r.set.tolerance = 0.2;
  const fb_attraction_settings region = {DIRECTIONS, 12, SAMPLES, 1.4, 0.9, 0.9};
  double radius[2 * DIRECTIONS];
  int ended = 0;
  const fb_runner runner = {run_room, &r};
  assert_int_equal(fb_attraction_search(&runner, &r.set, &region, radius, rows), DM_OK);
  for (int i = 0; i < DIRECTIONS; i++) {
    if (!isinf(radius[DIRECTIONS + i])) continue;
    ended++;
    assert_true(radius[i] < 1.4 && radius[i] > 0.4); // 0.05 / 0.1, 0.15 / 0.2 or farther
  }
  assert_true(ended > DIRECTIONS / 4);
  fb_attraction_claim claim;
  assert_int_equal(fb_attraction_assess(&runner, &r.set, &region, radius, &claim, rows), DM_OK);
  assert_true(claim.size == 1.4 && claim.tries == 1);
  int redrawn = 0;
  for (int s = 0; s < SAMPLES; s++) redrawn += rows[s].redrawn;
  assert_true(redrawn > 0);
  room_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_outside_are_drawn_again),
      cmocka_unit_test(the_plan_itself_may_touch_a_limit),
      cmocka_unit_test(a_sample_that_passes_a_limit_fails),
      cmocka_unit_test(excesses_are_counted_by_coordinate),
      cmocka_unit_test(a_spread_without_starts_is_refused_by_name),
      cmocka_unit_test(directions_end_at_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
