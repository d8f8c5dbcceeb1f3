// Angles with full-revolution symmetry, and controllers and filters that use it.
#include "control/feedback/full_turn.h"

#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "tests/support/balanced.h"

// nearest number of full revolutions; values too far away are unchanged
static void turns_are_counted_to_the_nearest(void **state) {
  (void)state;
  const double half = FB_FULL_TURN / 2;
  for (int k = -3; k <= 3; k++) {
    assert_true(fb_full_turns(k * FB_FULL_TURN) == k);
    assert_true(fb_full_turns(k * FB_FULL_TURN + 0.999 * half) == k);
    assert_true(fb_full_turns(k * FB_FULL_TURN - 0.999 * half) == k);
  }
  assert_true(fb_full_turns(1e300) == 0 && fb_full_turns(NAN) == 0);
}

// a pole has the symmetry; a cart does not, and neither does an unused coordinate
static void angles_are_found_by_the_lagrangian(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  bool turns[] = {false, true};
  assert_int_equal(fb_full_turn_find(&s, turns), DM_OK);
  assert_true(!turns[0] && turns[1]);

  // prescribed coordinates are excluded
  bool kinematic[] = {false, true};
  s.kinematic = kinematic;
  assert_int_equal(fb_full_turn_find(&s, turns), DM_OK);
  assert_false(turns[1]);
  dm_model_free(m);
}

// a measurement that differs by a revolution is the same position, for every form
static void laws_do_not_see_whole_turns(void **state) {
  (void)state;
  balanced z = balanced_open();
  const bool turns[] = {false, true};
  z.f->turns = turns;
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_output_feedback *w = NULL;
    dm_message msg;
    double u[2][1], y[8] = {0.1, 3, 0.2, -0.3, 0.4};
    assert_int_equal(fb_output_feedback_new(&w, z.f, &z.s, form, false, &msg), DM_OK);
    if (form == FB_POSITIONS) y[3] = 3.01;
    fb_output_feedback_law(w, 7, y, u[0]);
    y[1] += 3 * FB_FULL_TURN;
    if (form == FB_POSITIONS) y[3] -= FB_FULL_TURN;
    fb_output_feedback_law(w, 7, y, u[1]);
    assert_close(u[0][0], u[1][0], 1e-9);
    y[0] += FB_FULL_TURN; // a position
    fb_output_feedback_law(w, 7, y, u[1]);
    assert_true(fabs(u[0][0] - u[1][0]) > 1);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// a single outlier is ignored; a persistent value is accepted
static void gates_leave_single_readings_out(void **state) {
  (void)state;
  int missed = 0;
  assert_true(fb_estimator_gate(&missed, 0.1, 0.2) == 0.1);
  assert_true(fb_estimator_gate(&missed, -5, 0.2) == 0);
  assert_true(fb_estimator_gate(&missed, 0.1, 0.2) == 0.1 && missed == 0);
  for (int i = 0; i < FB_BELIEVED; i++) assert_true(fb_estimator_gate(&missed, 3, 0.2) == 0);
  assert_true(fb_estimator_gate(&missed, 3, 0.2) == 3 && fb_estimator_gate(&missed, 2, 0.2) == 2);
  assert_true(fb_estimator_gate(&missed, 0.2, 0.2) == 0.2 && missed == 0);
  assert_true(fb_estimator_gate(&missed, 3, 0.2) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_are_counted_to_the_nearest),
      cmocka_unit_test(angles_are_found_by_the_lagrangian),
      cmocka_unit_test(laws_do_not_see_whole_turns),
      cmocka_unit_test(gates_leave_single_readings_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
