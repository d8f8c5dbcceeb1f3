// What a motion is worth: nothing where the map made it, and otherwise what was done to it.
#include "tests/support/bar.h"

#include "lib/discrete/certify.h"
#include "lib/discrete/equilibrium.h"

#include <math.h>

enum { STEPS = 40 };

// a pendulum that swings under a torque
static dm_trajectory *swing(const dm_system *s) {
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, STEPS, s), DM_OK);
  x->h = 0.02;
  x->q[0] = 0.7;
  for (int k = 0; k < STEPS; k++) x->u[k] = sin(0.2 * k);
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  dm_del_free(del);
  return x;
}

static void what_the_map_made_has_no_gap(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_trajectory *x = swing(&s);
  dm_certificate c;
  assert_int_equal(dm_certify(x, &s, NULL, &c), DM_OK);
  assert_true(c.gap < 1e-13 && c.gap <= DM_CERTIFIED);
  assert_true(c.drift == 0);
  assert_int_equal(c.drift_knot, -1);
  assert_int_equal(c.row, -1);
  assert_true(c.residual == 0);
  dm_trajectory_free(x);
  dm_model_free(m);
}

static void a_knot_out_of_place_is_found(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_trajectory *x = swing(&s);
  dm_certificate c;
  x->q[STEPS] += 1e-3; // the last but for none: what follows it is not stepped
  assert_int_equal(dm_certify(x, &s, NULL, &c), DM_OK);
  assert_int_equal(c.gap_knot, STEPS - 1);
  assert_true(fabs(c.gap - 1e-3 / (1 + fabs(x->q[STEPS]))) < 1e-9);
  assert_true(fabs(c.drift - 1e-3) < 1e-12);

  // a step that cannot be taken
  x->u[7] = NAN;
  assert_int_equal(dm_certify(x, &s, NULL, &c), DM_OK);
  assert_true(isinf(c.gap) && isinf(c.drift));
  assert_int_equal(c.gap_knot, 7);
  assert_int_equal(c.drift_knot, 7);
  dm_trajectory_free(x);
  dm_model_free(m);
}

// a bar at rest on its strings, and then with one of them too long
static void constraints_are_named_by_row_and_knot(void **state) {
  (void)state;
  bar b = hang();
  dm_trajectory *x;
  dm_certificate c;
  double q[N] = {0, -1, 0, 1, 1}, u[2], lambda[2];
  assert_int_equal(dm_equilibrium_find(&b.s, NULL, NULL, 0.02, q, u, lambda, NULL, NULL), DM_OK);
  assert_int_equal(dm_trajectory_of(&x, STEPS, &b.s), DM_OK);
  x->h = 0.02;
  assert_int_equal(dm_trajectory_rest(x, &b.s, q, u, lambda), DM_OK);
  assert_int_equal(dm_certify(x, &b.s, NULL, &c), DM_OK);
  assert_true(c.gap < 1e-9 && c.residual < 1e-9 && c.row >= 0);

  x->q[12 * N + RIGHT] += 0.01;
  assert_int_equal(dm_certify(x, &b.s, NULL, &c), DM_OK);
  assert_int_equal(c.row, 1);
  assert_int_equal(c.residual_knot, 12);
  assert_true(c.residual > 1e-3 && c.gap > DM_CERTIFIED);
  dm_trajectory_free(x);
  drop(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_map_made_has_no_gap),
      cmocka_unit_test(a_knot_out_of_place_is_found),
      cmocka_unit_test(constraints_are_named_by_row_and_knot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
