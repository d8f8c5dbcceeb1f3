// Forces in joints: their values, derivatives that are those of the value, and parameters that are refused.
#include "lib/multibody/joint_force.h"
#include "tests/support/models.h"

// examples on the pole, and their force at a speed
static const struct example {
  dm_joint_kind kind;
  dm_joint_force force;
  double v, f;
} examples[] = {
    {DM_JOINT_FRICTION,
     {.name = "a", .coord = 1, .friction = {.force = 2, .smooth = 0.01}},
     0.01,
     -1.27818585},
    // 2/pi atan(0.3 pi) (2 + 3 exp(-0.36)), and 0.6 v there
    {DM_JOINT_FRICTION,
     {.name = "b",
      .coord = 1,
      .friction = {.force = 2, .smooth = 0.5, .rest = 5, .stribeck = 0.5, .viscous = 0.6}},
     0.3,
     -2.14937487},
    // the dry part is not a force
    {DM_JOINT_FRICTION,
     {.name = "c", .coord = 1, .friction = {2, .rest = 5, .stribeck = 0.5, .viscous = 0.6}},
     0.5,
     -0.3},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static dm_joint_forces *compile(dm_joint_kind kind, int n, const dm_joint_force *list) {
  dm_model *m = models_cart_pole();
  dm_joint_forces *c;
  assert_int_equal(dm_joint_forces_new(&c, kind, m, n, list, NULL), DM_OK);
  assert_int_equal(dm_joint_forces_count(c), n);
  dm_model_free(m);
  return c;
}

// f and df/dv of the forces at a speed of both coordinates
static void evaluate(const dm_joint_forces *c, double v, double f[2], double f_v[4]) {
  const dm_force force = dm_joint_forces_force(c);
  dm_force_jet out = {.f = f, .f_v = f_v};
  for (int i = 0; i < 4; i++) f[i / 2] = f_v[i] = 0;
  assert_int_equal(force.eval(force.self, NULL, 2, NULL, (double[]){v, v}, NULL, &out), DM_OK);
}

static void each_kind_has_its_value_against_the_motion(void **state) {
  (void)state;
  bool seen[DM_JOINT_KINDS] = {false};
  for (const struct example *x = examples; x < examples + EXAMPLES; x++) {
    dm_joint_forces *c = compile(x->kind, 1, &x->force);
    double f[2], g[2], slope[4];
    seen[x->kind] = true;
    evaluate(c, x->v, f, slope);
    evaluate(c, -x->v, g, slope);
    assert_true(f[0] == 0 && f[1] == -g[1] && f[1] == dm_joint_forces_at(c, 0, x->v));
    assert_close(f[1], x->f, 1e-7);
    dm_joint_forces_free(c);
  }
  for (int kind = 0; kind < DM_JOINT_KINDS; kind++) assert_true(seen[kind]);
}

// the error of a central difference falls with the square of its step
static void derivatives_are_those_of_the_force(void **state) {
  (void)state;
  for (const struct example *x = examples; x < examples + EXAMPLES; x++) {
    const double v = 0.7 * x->v, mu[] = {1, 0.5};
    dm_joint_forces *c = compile(x->kind, 1, &x->force);
    const dm_force force = dm_joint_forces_force(c);
    double f[2], f_v[4], vv[4] = {0}, first[2], second[2];
    evaluate(c, v, f, f_v);
    assert_int_equal(force.contract(force.self, NULL, NULL, (double[]){v, v}, NULL, mu,
                                    &(dm_force_hessian){.vv = vv}),
                     DM_OK);
    for (int halved = 0; halved < 2; halved++) {
      const double h = v / (halved ? 20 : 10);
      double up[2], down[2], slope[2][4];
      evaluate(c, v + h, up, slope[0]);
      evaluate(c, v - h, down, slope[1]);
      first[halved] = fabs((up[1] - down[1]) / (2 * h) - f_v[3]);
      second[halved] = fabs(mu[1] * (slope[0][3] - slope[1][3]) / (2 * h) - vv[3]);
    }

    // a force of second degree has no error but rounding
    if (first[1] > 1e-12) assert_close(log2(first[0] / first[1]), 2, 0.05);
    if (second[1] > 1e-12) assert_close(log2(second[0] / second[1]), 2, 0.05);
    assert_true(first[1] <= 1e-2 * fabs(f_v[3]) && second[1] <= 1e-2 * fabs(vv[3]) + 1e-14);
    dm_joint_forces_free(c);
  }
}

// elements of one coordinate add up; far above their speeds to F; a dry one has no force
static void friction_adds_up_and_dry_friction_is_none(void **state) {
  (void)state;
  static const dm_joint_force list[] = {
      {.name = "slide", .coord = 0, .friction = {.force = 3, .smooth = 0.02}},
      {.name = "hinge", .coord = 1, .friction = {.force = 2, .smooth = 0.01}},
      {.name = "more", .coord = 1, .friction = {.force = 0.8, .smooth = DM_DRY_SPEED}},
      {.name = "dry", .coord = 1, .friction = {.force = 9, .smooth = 0}}};
  dm_joint_forces *c = compile(DM_JOINT_FRICTION, 4, list);
  double f[2], f_v[4], sum = 0;
  assert_int_equal(dm_joint_forces_dry(c), 1);
  assert_string_equal(dm_joint_forces_get(c, 1)->name, "hinge");
  evaluate(c, 5, f, f_v);
  assert_close(f[0], -3, 1e-2);
  assert_close(f[1], -2 - 0.8, 1e-2);
  for (int i = 1; i < 4; i++) sum += dm_joint_forces_at(c, i, 5);
  assert_close(sum, f[1], 1e-14);
  assert_true(dm_joint_forces_at(c, 3, 5) == 0);
  dm_joint_forces_free(c);
}

// f is linear in the force, that at rest, the viscous coefficient and the offset; the offset does not change its sign
static void the_force_is_linear_in_four_parameters(void **state) {
  (void)state;
  static const dm_friction_values at[] = {{0.7, 0.3, 0.9, 0.4, 0.2, -0.5},
                                          {1.1, 0.3, 1.6, 0.4, 0.7, 0.3},
                                          {1.8, 0.3, 2.5, 0.4, 0.9, -0.2}};
  for (double v = -1; v <= 1; v += 0.25) {
    double f[3];
    for (int i = 0; i < 3; i++) {
      const dm_joint_force x = {.name = "a", .coord = 1, .friction = at[i]};
      dm_joint_forces *c = compile(DM_JOINT_FRICTION, 1, &x);
      f[i] = dm_joint_forces_at(c, 0, v);
      if (v == 0) assert_true(f[i] == -at[i].offset);
      dm_joint_forces_free(c);
    }
    assert_close(f[0] + f[1], f[2], 1e-14);
  }
}

static void wrong_friction_is_refused(void **state) {
  (void)state;
  static const struct {
    dm_joint_force force;
    const char *expected;
  } wrong[] = {
      {{.name = "a", .coord = 2, .friction = {.force = 1, .smooth = 1}},
       "friction 'a' refers to a coordinate that does not exist"},
      {{.name = "a", .friction = {.force = -1, .smooth = 1}},
       "friction 'a': its force must be >= 0, got -1"},
      {{.name = "a", .friction = {.force = INFINITY, .smooth = 1}},
       "friction 'a': its force must be >= 0, got inf"},
      {{.name = "a", .friction = {.force = 1, .smooth = -1}},
       "friction 'a': its smooth must be >= 0, got -1"},
      {{.name = "a", .friction = {.force = 1, .smooth = NAN}},
       "friction 'a': its smooth must be >= 0, got nan"},
      {{.name = "a", .friction = {.viscous = -2}},
       "friction 'a': its viscous must be >= 0, got -2"},
      {{.name = "a", .friction = {.offset = INFINITY}},
       "friction 'a': its offset must be finite, got inf"},
      {{.name = "a", .friction = {.force = 2, .rest = 1, .stribeck = 1}},
       "friction 'a': found static 1 below its force 2, expected at least the force"},
      {{.name = "a", .friction = {.force = 1, .rest = 2}},
       "friction 'a': found static 2 above its force 1 without 'stribeck', expected the speed over "
       "which friction falls"},
  };
  dm_model *m = models_cart_pole();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dm_joint_forces *c;
    dm_message msg;
    assert_int_equal(dm_joint_forces_new(&c, DM_JOINT_FRICTION, m, 1, &wrong[i].force, &msg),
                     DM_BAD_INPUT);
    assert_string_equal(msg.text, wrong[i].expected);
    assert_null(c);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_has_its_value_against_the_motion),
      cmocka_unit_test(derivatives_are_those_of_the_force),
      cmocka_unit_test(friction_adds_up_and_dry_friction_is_none),
      cmocka_unit_test(the_force_is_linear_in_four_parameters),
      cmocka_unit_test(wrong_friction_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
