// Envelope of a controller: when it is left, for how long, and which input acts then.
#include "control/feedback/envelope.h"

#include "control/feedback/output_feedback.h"
#include "control/loop/monte_carlo.h"
#include "lib/base/dense.h"
#include "tests/support/balanced.h"

// an output-feedback controller with an envelope for the pole alone, and damping D of the single
// input along `along`
static fb_output_feedback *guarded(balanced *z, fb_form form, fb_envelope *e) {
  fb_output_feedback *w = NULL;
  dm_message msg;
  z->f->envelope = e;
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, false, &msg), DM_OK);
  assert_ptr_equal(w->f.excursion, &w->excursion);
  return w;
}

// the fallback's input at knot k if the pole deviates by `off` from its plan and rotates at speed v;
// 7: the controller acts
static double answer(fb_output_feedback *w, int k, double off, double v) {
  double u;
  memcpy(w->y, w->y_d + k * w->ny, (size_t)w->ny * sizeof u);
  w->y[1] += off;
  w->v[1] = v;
  fb_output_feedback_decide(w, k, NULL, &u);
  return w->excursion.left < 0 ? 7 : u;
}

static void what_is_lost_stays_lost_until_a_new_run(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double bound[] = {INFINITY, 0.3}, D[] = {2};
  const int along[] = {1};
  fb_envelope e = {bound, D, along, 0};
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_output_feedback *w = guarded(&z, form, &e);

    // inside, on either side; values that are not finite are ignored
    assert_true(answer(w, 0, 0.29, 1) == 7 && answer(w, 1, -0.29, 1) == 7);
    assert_true(answer(w, 2, NAN, 1) == 7 && answer(w, 3, INFINITY, 1) == 7);
    assert_int_equal(w->excursion.left, -1);
    assert_close(w->excursion.reach, 0.29 / 0.3, 1e-12);

    // outside, and from then on, u = -D v
    assert_true(answer(w, 4, -0.31, 1.5) == -3);
    assert_true(answer(w, 5, 0, -0.5) == 1 && answer(w, 6, 0, NAN) == 0);
    assert_int_equal(w->excursion.left, 4);
    assert_true(answer(w, 0, 0, 1) == 7);
    assert_int_equal(w->excursion.left, -1);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// a full revolution does not change the position; without damping there is no force
static void turns_do_not_leave_an_envelope(void **state) {
  (void)state;
  balanced z = balanced_open();
  const bool turns[] = {false, true};
  const double bound[] = {INFINITY, 0.3}, D[] = {0};
  const int along[] = {0};
  fb_envelope e = {bound, D, along, 0};
  z.f->turns = turns;
  fb_output_feedback *w = guarded(&z, FB_VELOCITY, &e);
  assert_true(answer(w, 0, FB_FULL_TURN + 0.1, 1) == 7);
  const double u = answer(w, 1, FB_FULL_TURN / 2, 1);
  assert_true(u == 0 && !signbit(u));
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// in a closed loop, the controller is replaced in the same step, delayed ones one step later
static void a_loop_is_left_to_the_fallback(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double bound[] = {INFINITY, 0.3}, D[] = {0};
  const int along[] = {0};
  fb_envelope e = {bound, D, along, 0};
  fb_output_feedback *w = guarded(&z, FB_STATE, &e);
  double x[4], u[1] = {0};
  for (int k = 0; k < 6; k++) {
    memcpy(x, z.f->x + k * 4, sizeof x);
    x[1] += k == 3 ? 0.4 : 0.01;
    assert_int_equal(w->controller.input(w, k, x, u), DM_OK);
    assert_int_equal(u[0] == 0, k >= 3);
  }
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// -- envelope by cost

static const double anywhere[] = {INFINITY, INFINITY}, no_damping[] = {0};
static const int slider[] = {0};

// dx'P dx of a form's measurement of the state x_d + share d at knot 1, one step after x_d + share
// e
static double cost_of(balanced *z, fb_form form, bool exact, double share) {
  static const double e[] = {0.1, -0.3, 0.4, 0.2};
  fb_envelope envelope = {anywhere, no_damping, slider, INFINITY};
  fb_output_feedback *w;
  dm_message msg;
  fb_plant plant;
  double x[4], u[1], v[1];
  z->f->envelope = &envelope;
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, exact, &msg), DM_OK);
  assert_int_equal(fb_plant_discrete(&plant, &z->s), DM_OK);
  for (int i = 0; i < 4; i++) x[i] = z->f->x[i] + share * e[i];
  for (int i = 0; i < 1; i++) u[i] = z->f->u[i] + share;
  const double before[] = {x[0], x[1]};
  assert_int_equal(plant.step(plant.self, x, u, z->f->h), DM_OK);

  // from both at knot 1
  fb_output_feedback_decide(w, 0, NULL, v);
  w->excursion.cost = 0;
  assert_int_equal(fb_output_feedback_measure(w, 1, x, before, u), DM_OK);
  fb_output_feedback_decide(w, 1, NULL, v);
  assert_int_equal(w->excursion.left, -1);
  const double cost = w->excursion.cost;
  if (form == FB_STATE) {
    // computed with the full matrix
    const double *P = dm_row(z->f->P, 1, 16);
    double sum = 0, dx[4];
    for (int i = 0; i < 4; i++) dx[i] = x[i] - z->f->x[4 + i];
    for (int i = 0; i < 16; i++) sum += dx[i / 4] * P[i] * dx[i % 4];
    assert_close(cost / sum, 1, 1e-12);
  }
  fb_plant_free(&plant);
  fb_output_feedback_free(w);
  return cost;
}

// J'PJ equals dx'P dx to second order: half the deviation leaves an eighth of the difference; a
// velocity by differences is that of half a step before
static void measurements_cost_what_the_state_does(void **state) {
  (void)state;
  balanced z = balanced_open();
  for (fb_form form = FB_VELOCITY; form <= FB_POSITIONS; form++) {
    double off[2];
    for (int i = 0; i < 2; i++) {
      const double share = 0.1 / (1 << i), wanted = cost_of(&z, FB_STATE, false, share);
      off[i] = fabs(cost_of(&z, form, false, share) - wanted);
      assert_true(off[i] < 0.05 * wanted);
      assert_close(cost_of(&z, form, true, share) / wanted, 1, 1e-9);
    }
    assert_true(off[1] < off[0] / 7);
  }
  balanced_close(&z);
}

// leaves the envelope beyond its bound, also if the sum is not finite; not if a measurement is not
// finite
static void what_costs_too_much_is_lost(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double P = z.f->P[5]; // of the pole's angle
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_envelope e = {anywhere, no_damping, slider, 0.09 * P};
    fb_output_feedback *w = guarded(&z, form, &e);
    if (form != FB_POSITIONS) {
      assert_true(answer(w, 0, 0.299, 1) == 7 && answer(w, 1, -0.299, 1) == 7);
      assert_true(answer(w, 2, NAN, 1) == 7 && answer(w, 3, -INFINITY, 1) == 7);
      assert_close(w->excursion.reach, 0.299 / 0.3, 1e-9);
      assert_true(answer(w, 4, 0.301, 1) == 0 && answer(w, 5, 0, 1) == 0);
    }
    assert_true(answer(w, 0, 0, 1) == 7 && w->excursion.left == -1);
    assert_true(answer(w, 1, 1e200, 1) == 0);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// the bound covered by successful samples changes none of them, and ends a sample that is far off
static void what_samples_covered_is_kept(void **state) {
  (void)state;
  enum { SAMPLES = 60 };
  static const double spread_q[] = {0.5, 1.2}, spread_v[] = {0.5, 0.5};
  balanced z = balanced_open();
  fb_plant plant;
  fb_sample before[SAMPLES], after[SAMPLES];
  const double u_max[] = {10}, u_min[] = {-10};
  fb_monte_carlo_settings set = {.samples = SAMPLES,
                                 .seed = 3,
                                 .spread_q = spread_q,
                                 .spread_v = spread_v,
                                 .tolerance = 0.1,
                                 .u_min = u_min,
                                 .u_max = u_max};
  assert_int_equal(fb_plant_discrete(&plant, &z.s), DM_OK);
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_envelope e = {anywhere, no_damping, slider, INFINITY};
    fb_output_feedback *w = guarded(&z, form, &e);
    assert_int_equal(fb_monte_carlo_run(&w->f, &z.s, &plant, &set, before, 0, NULL, NULL, NULL),
                     DM_OK);
    double covered = 0, largest = 0;
    int held = 0, left = 0;
    for (int s = 0; s < SAMPLES; s++) {
      assert_int_equal(before[s].left, -1);
      largest = fmax(largest, before[s].cost);
      if (!before[s].succeeded) continue;
      covered = fmax(covered, before[s].cost);
      held++;
    }
    assert_true(held > SAMPLES / 4 && held < SAMPLES && covered < largest);

    // with that bound
    e.cost = covered;
    assert_int_equal(fb_monte_carlo_run(&w->f, &z.s, &plant, &set, after, 0, NULL, NULL, NULL),
                     DM_OK);
    for (int s = 0; s < SAMPLES; s++) {
      left += after[s].left >= 0;
      if (!before[s].succeeded) continue;
      assert_int_equal(after[s].left, -1);
      assert_true(after[s].reach <= 1 && after[s].final_error == before[s].final_error);
    }
    assert_true(left > 0);

    // far outside, the controller is replaced at the first step that shows it
    assert_true(answer(w, 0, 0, 0) == 7 && answer(w, 1, 3, 0) == 0);
    assert_int_equal(w->excursion.left, 1);
    fb_output_feedback_free(w);
  }
  fb_plant_free(&plant);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_lost_stays_lost_until_a_new_run),
      cmocka_unit_test(turns_do_not_leave_an_envelope),
      cmocka_unit_test(a_loop_is_left_to_the_fallback),
      cmocka_unit_test(measurements_cost_what_the_state_does),
      cmocka_unit_test(what_costs_too_much_is_lost),
      cmocka_unit_test(what_samples_covered_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
