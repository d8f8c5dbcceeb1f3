// Rotation per step: of joints, of attitudes, and none of sliding coordinates.
#include "lib/multibody/turn.h"

#include "tests/support/ball.h"

static void the_largest_step_of_a_turning_joint_is_found(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  const double q[] = {0, 0.1, 9, 0.3, 0, -1.7, 0, 0.2};
  dm_turn turn = dm_turn_largest(m, 3, q);
  assert_close(turn.angle, 2, 1e-15);
  assert_int_equal(turn.coord, 1);
  assert_int_equal(turn.knot, 1);

  // without a step nothing rotates; a slide of 9 m is not a rotation
  assert_int_equal(dm_turn_largest(m, 0, q).coord, -1);
  assert_true(dm_turn_largest(m, 0, q).angle == 0);
  dm_model_free(m);
}

static void what_is_no_number_turns_without_end(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  const double q[] = {0, 0, 0, NAN, 0, 4};
  dm_turn turn = dm_turn_largest(m, 2, q);
  assert_true(isinf(turn.angle) && turn.coord == 1 && turn.knot == 0);
  dm_model_free(m);
}

// the attitude after a turn by `angle` about an axis, from the attitude a; as far as it goes round
static void attitudes_are_apart_by_the_angle_between_them(void **state) {
  (void)state;
  static const double angles[] = {0, 1e-9, 0.3, 1.6, 3.1, 4, 6};
  static const double axis[] = {2. / 7, 3. / 7, 6. / 7}, a[] = {0.5, -0.5, 0.5, 0.5};
  ball_machine w;
  ball_body(&w, 1, 2, 3);
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    double c = cos(angles[i] / 2), s = sin(angles[i] / 2), q[8];
    memcpy(q, a, sizeof a);

    // a times (c, s axis)
    q[4] = a[0] * c - s * (a[1] * axis[0] + a[2] * axis[1] + a[3] * axis[2]);
    q[5] = a[0] * s * axis[0] + c * a[1] + s * (a[2] * axis[2] - a[3] * axis[1]);
    q[6] = a[0] * s * axis[1] + c * a[2] + s * (a[3] * axis[0] - a[1] * axis[2]);
    q[7] = a[0] * s * axis[2] + c * a[3] + s * (a[1] * axis[1] - a[2] * axis[0]);
    dm_turn turn = dm_turn_largest(w.model, 1, q);
    assert_close(turn.angle, angles[i], 1e-14);
    assert_int_equal(turn.coord, 0);
  }
  ball_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_step_of_a_turning_joint_is_found),
      cmocka_unit_test(what_is_no_number_turns_without_end),
      cmocka_unit_test(attitudes_are_apart_by_the_angle_between_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
