// Friction in joints: against the motion, the same in size either way, and its derivatives those of it.
#include "lib/multibody/joint_friction.h"
#include "tests/support/models.h"

// of a slider and a pole, two elements on the pole and a dry one, which has no force
static dm_frictions *make_friction(void) {
  static const dm_joint_friction list[] = {
      {.name = "slide", .coord = 0, .force = 3, .smooth = 0.02},
      {.name = "hinge", .coord = 1, .force = 2, .smooth = 0.01},
      {.name = "more", .coord = 1, .force = 0.8, .smooth = DM_DRY_SPEED},
      {.name = "dry", .coord = 1, .force = 9, .smooth = 0}};
  dm_model *m = models_cart_pole();
  dm_frictions *own;
  assert_int_equal(dm_frictions_new(&own, m, 4, list, NULL), DM_OK);
  assert_int_equal(dm_frictions_count(own), 4);
  assert_int_equal(dm_frictions_dry(own), 1);
  assert_string_equal(dm_frictions_get(own, 1).name, "hinge");
  dm_model_free(m);
  return own;
}

// f, and df/dv where it is asked for
static void evaluate(const dm_frictions *c, const double *v, double f[2], double f_v[4]) {
  const dm_force force = dm_frictions_force(c);
  dm_force_jet out = {.f = f, .f_v = f_v};
  for (int i = 0; i < 2; i++) f[i] = 0;
  for (int i = 0; f_v && i < 4; i++) f_v[i] = 0;
  assert_int_equal(force.eval(force.self, NULL, f_v ? 2 : 1, NULL, v, NULL, &out), DM_OK);
}

static void it_is_against_the_motion(void **state) {
  (void)state;
  dm_frictions *c = make_friction();
  double f[2], g[2];
  evaluate(c, (const double[]){5, -5}, f, NULL);
  evaluate(c, (const double[]){-5, 5}, g, NULL);
  assert_true(f[0] < 0 && f[1] > 0);
  for (int i = 0; i < 2; i++) assert_true(f[i] == -g[i]);

  // far above their speeds F, the sum of the elements
  assert_close(f[0], -3, 1e-2);
  assert_close(f[1], 2 + 0.8, 1e-2);
  double sum = 0;
  for (int i = 1; i < 4; i++) sum += dm_frictions_force_at(c, i, -5);
  assert_close(sum, f[1], 1e-14);
  assert_true(dm_frictions_force_at(c, 3, -5) == 0);
  dm_frictions_free(c);
}

// the error of a central difference falls with the square of its step
static void derivatives_are_those_of_the_force(void **state) {
  (void)state;
  dm_frictions *c = make_friction();
  const double v[] = {3e-3, -7e-3}, mu[] = {1, 0.5};
  const dm_force force = dm_frictions_force(c);
  double f_v[4], a[2], b[2], slope[2][4], vv[4] = {0}, first[2] = {0}, second[2] = {0};
  evaluate(c, v, a, f_v);
  assert_int_equal(
      force.contract(force.self, NULL, NULL, v, NULL, mu, &(dm_force_hessian){.vv = vv}), DM_OK);
  for (int halved = 0; halved < 2; halved++) {
    const double h = halved ? 1e-4 : 2e-4;
    double up[2], down[2];
    for (int i = 0; i < 2; i++) {
      up[i] = v[i] + h;
      down[i] = v[i] - h;
    }
    evaluate(c, up, a, slope[0]);
    evaluate(c, down, b, slope[1]);
    for (int i = 0; i < 2; i++) {
      first[halved] += fabs((a[i] - b[i]) / (2 * h) - f_v[3 * i]);
      second[halved] += fabs(mu[i] * (slope[0][3 * i] - slope[1][3 * i]) / (2 * h) - vv[3 * i]);
    }
  }
  assert_close(log2(first[0] / first[1]), 2, 0.05);
  assert_close(log2(second[0] / second[1]), 2, 0.05);
  dm_frictions_free(c);
}

static void wrong_friction_is_refused(void **state) {
  (void)state;
  static const struct {
    dm_joint_friction friction;
    const char *expected;
  } wrong[] = {
      {{.name = "a", .coord = 2, .force = 1, .smooth = 1},
       "friction 'a' refers to a coordinate that does not exist"},
      {{.name = "a", .coord = 0, .force = -1, .smooth = 1},
       "friction 'a': its force must be >= 0, got -1"},
      {{.name = "a", .coord = 0, .force = INFINITY, .smooth = 1},
       "friction 'a': its force must be >= 0, got inf"},
      {{.name = "a", .coord = 0, .force = 1, .smooth = -1},
       "friction 'a': its speed must be >= 0, got -1"},
      {{.name = "a", .coord = 0, .force = 1, .smooth = NAN},
       "friction 'a': its speed must be >= 0, got nan"},
  };
  dm_model *m = models_cart_pole();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dm_frictions *c;
    dm_message msg;
    assert_int_equal(dm_frictions_new(&c, m, 1, &wrong[i].friction, &msg), DM_BAD_INPUT);
    assert_string_equal(msg.text, wrong[i].expected);
    assert_null(c);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_against_the_motion),
      cmocka_unit_test(derivatives_are_those_of_the_force),
      cmocka_unit_test(wrong_friction_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
