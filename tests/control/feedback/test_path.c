// A path-following controller: selects the knot, and waits for a robot that is held back.
#include "control/feedback/output_feedback.h"
#include "control/loop/closed_loop.h"
#include "control/onboard/onboard.h"
#include "tests/support/balanced.h"

enum { STEPS = 60 };
static const double Q[] = {10, 100, 1, 1}, R[] = {1};

// a swinging cart-pole, actuated at its cart
typedef struct fall {
  dm_model *m;
  dm_system s;
  fb_tvlqr *f;
} fall;

static fall open_fall(void) {
  fall z = {.m = models_cart_pole()};
  z.s = dm_system_of(z.m);
  dm_trajectory *x;
  int failed;
  fb_plant plant;
  double y[] = {0, 0.5, 0, 0}, u[1];
  assert_int_equal(dm_trajectory_new(&x, STEPS, 2, 1), DM_OK);
  assert_int_equal(fb_plant_discrete(&plant, &z.s), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= STEPS; k++) {
    memcpy(x->q + 2 * k, y, 2 * sizeof *y);
    memcpy(x->p + 2 * k, y + 2, 2 * sizeof *y);
    if (k == STEPS) break;
    u[0] = x->u[k] = 2 * sin(0.2 * k);
    assert_int_equal(plant.step(plant.self, y, u, x->h), DM_OK);
  }
  assert_int_equal(fb_tvlqr_new(&z.f, x, &z.s,
                                &(fb_weights){.Q = Q, .R = R, .Qf = (double[]){10, 100, 1, 1}},
                                &failed, NULL),
                   DM_OK);
  fb_plant_free(&plant);
  dm_trajectory_free(x);
  z.f->path = Q;
  return z;
}

static void close_fall(fall *z) {
  fb_tvlqr_free(z->f);
  dm_model_free(z->m);
}

static fb_output_feedback *make_law(fall *z, fb_form form) {
  fb_output_feedback *w;
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, false, NULL), DM_OK);
  return w;
}

// the knot that acts in step k if y is measured
static int find_knot(fb_output_feedback *w, int k, const double *y) {
  double u;
  memcpy(w->y, y, 4 * sizeof *y);
  fb_output_feedback_decide(w, k, NULL, &u);
  return w->at;
}

// on the plan the knot is the one of the time; behind, the controller waits; ahead, it advances by at most
// its maximum
static void the_nearest_knot_acts(void **state) {
  (void)state;
  fall z = open_fall();
  for (fb_form form = FB_STATE; form <= FB_VELOCITY; form++) {
    fb_output_feedback *w = make_law(&z, form);
    const double nowhere[] = {NAN, 0, 0, 0};
    for (int k = 0; k < STEPS; k++) assert_int_equal(find_knot(w, k, w->y_d + k * w->ny), k);
    for (int k = 0; k < 20; k++) find_knot(w, k, w->y_d + k * w->ny);
    for (int k = 20; k < 30; k++) assert_int_equal(find_knot(w, k, w->y_d + 19 * w->ny), 19);
    assert_int_equal(find_knot(w, 30, w->y_d + 10 * w->ny), 19); // never backwards
    assert_int_equal(find_knot(w, 31, w->y_d + 40 * w->ny), 19 + FB_MOST_KNOTS);
    assert_int_equal(find_knot(w, 32, nowhere), 20 + FB_MOST_KNOTS); // as by time
    assert_int_equal(find_knot(w, 0, w->y_d), 0);
    fb_output_feedback_free(w);
  }
  close_fall(&z);
}

// by a coordinate alone, others may be anywhere
static void the_chosen_coordinates_find_the_knot(void **state) {
  static const double pole[] = {0, 1, 0, 0};
  (void)state;
  fall z = open_fall();
  z.f->path = pole;
  for (fb_form form = FB_STATE; form <= FB_VELOCITY; form++) {
    fb_output_feedback *w = make_law(&z, form);
    for (int k = 0; k < STEPS; k++) {
      const double *y_d = w->y_d + k * w->ny, y[] = {y_d[0] + 3, y_d[1], y_d[2] - 2, y_d[3] + 1};
      assert_int_equal(find_knot(w, k, y), k);
    }
    fb_output_feedback_free(w);
  }
  close_fall(&z);
}

// the discrete map, held in place over an interval, with its momentum removed
typedef struct held {
  fb_plant plant;
  int k, from, to;
} held;

static dm_status step_held(void *self, double *x, const double *u, double h) {
  held *w = self;
  const int k = w->k++;
  if (k < w->from || k >= w->to) return w->plant.step(w->plant.self, x, u, h);
  x[2] = x[3] = 0;
  return DM_OK;
}

// minimum distance of the last state to a state of the plan, by time or by path
static double find_end(fall *z, int from, int to, bool path) {
  z->f->path = path ? Q : NULL;
  fb_output_feedback *w = make_law(z, FB_STATE);
  held h = {.from = from, .to = to};
  assert_int_equal(fb_plant_discrete(&h.plant, &z->s), DM_OK);
  const fb_plant plant = {.n = 2, .nu = 1, .self = &h, .step = step_held};
  const double low = -20, high = 20;
  double x[(STEPS + 1) * 4], least = INFINITY;
  fb_closed_loop_result r;
  fb_closed_loop_run(&w->f, &plant, z->f->x, &low, &high, NULL, x, NULL, &r);
  for (int k = 0; k <= STEPS; k++)
    least = fmin(least, fb_closed_loop_error(4, x + STEPS * 4, z->f->x + k * 4, NULL, NULL));
  fb_plant_free(&h.plant);
  fb_output_feedback_free(w);
  return least;
}

static void what_starts_late_runs_the_plan_late(void **state) {
  (void)state;
  fall z = open_fall();
  assert_true(find_end(&z, 0, 15, true) < 1e-9);
  assert_true(find_end(&z, 0, 15, false) > 1e-3);
  close_fall(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_knot_acts),
      cmocka_unit_test(the_chosen_coordinates_find_the_knot),
      cmocka_unit_test(what_starts_late_runs_the_plan_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
