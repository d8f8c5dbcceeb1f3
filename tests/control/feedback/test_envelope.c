// A law's envelope: what is lost, for how long, and what acts then.
#include "control/feedback/envelope.h"

#include "control/feedback/output_feedback.h"
#include "tests/support/balanced.h"

// a law by what is measured, in an envelope of the pole alone, with D of the one input along `along`
static fb_output_feedback *guarded(balanced *z, fb_form form, fb_envelope *e) {
  fb_output_feedback *w = NULL;
  dm_message msg;
  z->f->envelope = e;
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, false, &msg), DM_OK);
  assert_ptr_equal(w->f.excursion, &w->excursion);
  return w;
}

// what the law answers at knot k to a pole that is `off` its plan, and turns at speed v
static double answer(fb_output_feedback *w, int k, double off, double v) {
  double u = 7;
  memcpy(w->y, w->y_d + k * w->ny, (size_t)w->ny * sizeof u);
  w->y[1] += off;
  w->v[1] = v;
  fb_output_feedback_watch(w, k, &u);
  return u;
}

static void what_is_lost_stays_lost_until_a_new_run(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double bound[] = {INFINITY, 0.3}, D[] = {2};
  const int along[] = {1};
  fb_envelope e = {bound, D, along};
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_output_feedback *w = guarded(&z, form, &e);

    // within, either side; what is no number says nothing
    assert_true(answer(w, 0, 0.29, 1) == 7 && answer(w, 1, -0.29, 1) == 7);
    assert_true(answer(w, 2, NAN, 1) == 7 && answer(w, 3, INFINITY, 1) == 7);
    assert_int_equal(w->excursion.left, -1);
    assert_close(w->excursion.reach, 0.29 / 0.3, 1e-12);

    // beyond, and from then on, u = -D v
    assert_true(answer(w, 4, -0.31, 1.5) == -3);
    assert_true(answer(w, 5, 0, -0.5) == 1 && answer(w, 6, 0, NAN) == 0);
    assert_int_equal(w->excursion.left, 4);
    assert_true(answer(w, 0, 0, 1) == 7);
    assert_int_equal(w->excursion.left, -1);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// a turn more is no place of its own; without damping there is no force
static void turns_do_not_leave_an_envelope(void **state) {
  (void)state;
  balanced z = balanced_open();
  const bool turns[] = {false, true};
  const double bound[] = {INFINITY, 0.3}, D[] = {0};
  const int along[] = {0};
  fb_envelope e = {bound, D, along};
  z.f->turns = turns;
  fb_output_feedback *w = guarded(&z, FB_VELOCITY, &e);
  assert_true(answer(w, 0, FB_FULL_TURN + 0.1, 1) == 7);
  const double u = answer(w, 1, FB_FULL_TURN / 2, 1);
  assert_true(u == 0 && !signbit(u));
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// in a loop the law that is lost gives way at the very step, late ones one step later
static void a_loop_is_left_to_the_fallback(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double bound[] = {INFINITY, 0.3}, D[] = {0};
  const int along[] = {0};
  fb_envelope e = {bound, D, along};
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_lost_stays_lost_until_a_new_run),
      cmocka_unit_test(turns_do_not_leave_an_envelope),
      cmocka_unit_test(a_loop_is_left_to_the_fallback),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
