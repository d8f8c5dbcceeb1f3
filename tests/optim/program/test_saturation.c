// Which limits a motion spends its time at.
#include "optim/program/saturation.h"
#include "tests/support/tasks.h"

enum { N = 20 };

static double stops[2], farthest[2], fastest[2];

// a motion of the cart-pole that is nowhere near a limit
static dm_trajectory *make_motion(tasks_task *x) {
  *x = tasks_cart_pole(N);
  dm_trajectory *motion;
  assert_int_equal(dm_trajectory_of(&motion, N, &x->t.system), DM_OK);
  motion->h = 0.1;
  for (int k = 0; k <= N; k++) motion->q[2 * k] = 0.001 * k;
  x->t.bounds[OC_Q].low = tasks_fill(stops, 2, -2);
  x->t.bounds[OC_Q].high = tasks_fill(farthest, 2, 2);
  x->t.bounds[OC_V].high = tasks_fill(fastest, 2, INFINITY);
  return motion;
}

static void a_motion_within_its_limits_has_none(void **state) {
  (void)state;
  tasks_task x;
  oc_limit found[8];
  dm_trajectory *motion = make_motion(&x);
  assert_int_equal(oc_saturation_find(&x.t, motion, found, 8), 0);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// the force at 20 N for this many steps, then at -19 (within a tenth), else at 17
static void inputs_count_at_either_limit(void **state) {
  (void)state;
  tasks_task x;
  oc_limit found[8];
  dm_trajectory *motion = make_motion(&x);
  for (int k = 0; k < N; k++) motion->u[k] = k < 7 ? 20 : k < 10 ? -19 : 17;
  assert_int_equal(oc_saturation_find(&x.t, motion, found, 8), 1);
  assert_true(found[0].kind == OC_LIMIT_INPUT && found[0].index == 0);
  assert_true(found[0].low == -20 && found[0].high == 20);
  assert_true(found[0].at_high == 7 && found[0].at_low == 3 && found[0].of == N);
  motion->u[9] = 17; // less than half of the steps: all of them in the outer half of the range
  assert_int_equal(oc_saturation_find(&x.t, motion, found, 8), 1);
  assert_true(found[0].kind == OC_LIMIT_STRAIN && found[0].at_high == 18 && found[0].at_low == 2);
  for (int k = 7; k < N; k++) motion->u[k] = 9;
  assert_int_equal(oc_saturation_find(&x.t, motion, found, 8), 0);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// all kinds at once: the longest first, and a list of one has that one
static void limits_are_sorted_by_how_long_they_are_met(void **state) {
  (void)state;
  tasks_task x;
  oc_limit found[8];
  dm_trajectory *motion = make_motion(&x);
  fastest[0] = 0.01;                                    // the cart's speed throughout
  for (int k = 0; k < 12; k++) motion->u[k] = -20;      // 12 of 20
  for (int k = 0; k < 6; k++) motion->q[2 * k + 1] = 2; // 5 of 19: the start prescribes knot 0
  x.t.time.free = true;
  x.t.time.min = 2;
  x.t.time.max = 5;
  int count = oc_saturation_find(&x.t, motion, found, 8);
  assert_int_equal(count, 4);
  const oc_limit_kind kinds[] = {OC_LIMIT_SPEED, OC_LIMIT_TIME, OC_LIMIT_INPUT, OC_LIMIT_POSITION};
  for (int i = 0; i < 4; i++) assert_int_equal(found[i].kind, kinds[i]);
  assert_true(found[0].index == 0 && found[0].at_high == N);
  assert_true(found[1].at_low == 1 && found[1].at_high == 0);
  assert_true(found[2].at_low == 12);
  assert_true(found[3].index == 1 && found[3].at_high == 5 && found[3].of == N - 1);
  oc_limit first[1];
  assert_int_equal(oc_saturation_find(&x.t, motion, first, 1), 1);
  assert_int_equal(first[0].kind, OC_LIMIT_SPEED);
  assert_int_equal(oc_saturation_find(&x.t, motion, NULL, 0), 0);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_within_its_limits_has_none),
      cmocka_unit_test(inputs_count_at_either_limit),
      cmocka_unit_test(limits_are_sorted_by_how_long_they_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
