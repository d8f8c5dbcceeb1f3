// Angles with full-revolution symmetry, and controllers and filters that use it.
#include "control/feedback/full_turn.h"

#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/onboard/onboard.h"
#include "tests/support/balanced.h"

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

static void answer(fb_output_feedback *w, const double *y, double *u) {
  memcpy(w->y, y, (size_t)w->ny * sizeof *y);
  fb_output_feedback_decide(w, 7, NULL, u);
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
    answer(w, y, u[0]);
    y[1] += 3 * FB_FULL_TURN;
    if (form == FB_POSITIONS) y[3] -= FB_FULL_TURN;
    answer(w, y, u[1]);
    assert_close(u[0][0], u[1][0], 1e-9);
    y[0] += FB_FULL_TURN; // a position
    answer(w, y, u[1]);
    assert_true(fabs(u[0][0] - u[1][0]) > 1);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// the estimate z after a measurement, of a filter whose z is the last measurement within its gate
static double read_once(fb_filter *w, double reading) {
  const double y_d[] = {0};
  *fb_filter_estimate(w) = 0;
  fb_filter_correct(w, 0, y_d, &reading);
  return *fb_filter_estimate(w);
}

// a single outlier is ignored; a persistent value is accepted; a revolution is no difference
static void gates_leave_single_readings_out(void **state) {
  (void)state;
  static const double one[] = {1}, gate[] = {0.2};
  static const int first[] = {0}, turns[] = {1};
  const tables T = {.steps = 1,
                    .nq = 1,
                    .ny = 2,
                    .turns = turns,
                    .nx = 2,
                    .nz = 1,
                    .ne = 1,
                    .which = first,
                    .L = {one, 1, 1},
                    .gate = {gate, 1, 1}};
  fb_filter *w = fb_filter_new(&T);
  assert_non_null(w);
  fb_filter_begin(w);
  assert_true(read_once(w, 0.1) == 0.1 && read_once(w, -3) == 0 && read_once(w, 0.1) == 0.1);
  for (int i = 0; i < FB_BELIEVED; i++) assert_true(read_once(w, 3) == 0);
  assert_true(read_once(w, 3) == 3 && read_once(w, 2) == 2);
  assert_true(read_once(w, 0.2) == 0.2 && read_once(w, 3) == 0);
  for (int k = -3; k <= 3; k++) {
    assert_close(read_once(w, k * FB_FULL_TURN + 0.1), 0.1, 1e-12);
    assert_close(read_once(w, k * FB_FULL_TURN - 0.1), -0.1, 1e-12);
  }
  fb_filter_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angles_are_found_by_the_lagrangian),
      cmocka_unit_test(laws_do_not_see_whole_turns),
      cmocka_unit_test(gates_leave_single_readings_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
