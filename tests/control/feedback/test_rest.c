// Holding the end of a motion: appends an equilibrium if there is one nearby and within limits.
#include "tests/support/models.h"

#include "control/feedback/rest.h"
#include "lib/discrete/certify.h"

#include <math.h>
#include <string.h>

static const char *const coord[] = {"pivot"}, *const input[] = {"motor"};

// a pendulum's motion of two steps that ends at q; a passive pendulum cannot be held there
static dm_trajectory *end_at(const dm_system *s, double q) {
  dm_trajectory *x;
  assert_int_equal(dm_trajectory_of(&x, 2, s), DM_OK);
  x->h = 0.05;
  for (int k = 0; k <= 2; k++) x->q[k] = q;
  return x;
}

static fb_rest_settings for_time(double time) {
  fb_rest_settings set = fb_rest_default();
  set.time = time;
  set.coord = coord;
  set.input = input;
  return set;
}

static void the_end_is_held_where_it_is(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_trajectory *x = end_at(&s, 0.4), *both = NULL;
  fb_rest_settings set = for_time(0.52);
  dm_certificate c;
  int steps = 0;
  double off = -1;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, NULL), DM_OK);
  assert_int_equal(steps, 11); // enough to cover the duration
  assert_int_equal(both->N, 13);
  assert_true(off == 0);
  for (int k = 2; k < 13; k++) {
    assert_true(both->q[k + 1] == 0.4);
    assert_true(fabs(both->u[k] - 9.8 * sin(0.4)) < 1e-9);
  }
  // the appended part is a motion of the map itself
  dm_trajectory rest = *both;
  rest.N = 11;
  rest.q += 2;
  rest.p += 2;
  rest.v += 2;
  rest.u += 2;
  assert_int_equal(dm_certify(&rest, &s, NULL, &c), DM_OK);
  assert_true(c.gap < 1e-12);
  dm_trajectory_free(both);
  dm_trajectory_free(x);
  dm_model_free(m);
}

// without a torque it can rest only upright: found if the end is near upright, otherwise refused
static void rest_is_near_the_end_or_refused(void **state) {
  (void)state;
  const double pi = 3.141592653589793;
  dm_coordinate one[] = {models_coord("pivot", false, 0, 1, 0)};
  dm_body bob[] = {{"bob", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .body = bob, .coord = one, .gravity = {0, 0, -9.8}});
  dm_system s = dm_system_of(m);
  fb_rest_settings set = for_time(1);
  dm_trajectory *x = end_at(&s, pi - 0.03), *both = NULL;
  dm_message msg = {""};
  int steps = 0;
  double off = 0;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, &msg), DM_OK);
  assert_true(fabs(off - 0.03) < 1e-9);
  assert_true(fabs(both->q[both->N] - pi) < 1e-9);
  dm_trajectory_free(both);

  x->q[2] = pi - 0.3;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, &msg), DM_INFEASIBLE);
  assert_string_equal(msg.text,
                      "the motion cannot rest at its end: the nearest equilibrium has 'pivot' off "
                      "by 0.3 rad, expected at most 0.1");
  assert_null(both);
  set.coord = NULL;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "equilibrium has 0 off by"));
  dm_trajectory_free(x);
  dm_model_free(m);
}

static void limits_and_lengths_are_kept(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_trajectory *x = end_at(&s, 0.4), *both = NULL;
  dm_message msg = {""};
  double u_max[] = {2}, off = 0;
  int steps = 0;
  fb_rest_settings set = for_time(1);
  set.u_max = u_max;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, &msg), DM_INFEASIBLE);
  assert_string_equal(msg.text,
                      "the motion cannot rest at its end: rest there needs 3.816 of 'motor', "
                      "expected a value within its limits [-inf, 2]");
  set = for_time(1);
  set.max_steps = 10;
  assert_int_equal(fb_rest_append(&both, x, &s, &set, &steps, &off, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text,
                      "the motion cannot rest at its end: that takes 20 steps of 0.05 s, expected "
                      "at most 10");
  assert_null(both);
  dm_trajectory_free(x);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_is_held_where_it_is),
      cmocka_unit_test(rest_is_near_the_end_or_refused),
      cmocka_unit_test(limits_and_lengths_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
