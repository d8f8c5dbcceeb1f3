// tests/lib/multibody/test_defaults.c: parts of a tree as most are: they move freely, and as named.
#include "lib/mechanics/continuous.h"
#include "lib/multibody/defaults.h"
#include "tests/support/models.h"

// 2 kg at 0.5 m below the joint, under g = 9.8: the acceleration at q, at rest, under u = 3
static double acceleration(const dm_coordinate *c, double q) {
  dm_body body = dm_body_default("body");
  dm_input input = dm_input_default("motor");
  body.mass = 2;
  body.centre[2] = -0.5;
  dm_tree tree = {.nbody = 1,
                  .ncoord = 1,
                  .ninput = 1,
                  .body = &body,
                  .coord = c,
                  .input = &input,
                  .gravity = {0, 0, -9.8}};
  dm_model *m = models_make(&tree);
  assert_true(m->q_min[0] == -INFINITY && m->q_max[0] == INFINITY && m->v_max[0] == INFINITY);
  assert_true(m->u_min[0] == -INFINITY && m->u_max[0] == INFINITY && m->damping[0] == 0);
  dm_system s = dm_system_of(m);
  dm_continuous *w;
  double v = 0, u = 3, a;
  assert_int_equal(dm_continuous_new(&w, &s), DM_OK);
  assert_int_equal(dm_acceleration(w, &q, &v, &u, &a), DM_OK);
  dm_continuous_free(w);
  dm_model_free(m);
  return a;
}

static void a_turn_swings_and_a_slide_falls(void **state) {
  (void)state;
  dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
  dm_coordinate height = dm_coordinate_slide("height", 0, 0, 1);
  dm_coordinate aside = dm_coordinate_slide("aside", 1, 0, 0);
  assert_close(acceleration(&hinge, 0.4), -9.8 / 0.5 * sin(0.4) + 3 / (2 * 0.25), 1e-13);
  assert_close(acceleration(&height, 0.4), -9.8 + 1.5, 1e-13);
  assert_close(acceleration(&aside, 0.4), 1.5, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_turn_swings_and_a_slide_falls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
