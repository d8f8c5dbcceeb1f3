// The laws of discrete flows: they hold for variational steps of every order, fail for steps that break them, and the
// symmetry groups of known systems are found.
#include "lib/studies/system_laws.h"

#include "tests/support/particles.h"
#include "tests/support/spherical.h"

#include "lib/multibody/tree_lagrangian.h"
#include "lib/second/second_order.h"

// the row of a law; NULL: none
static const dm_law_row *find_row(const dm_laws *laws, const char *law) {
  for (int i = 0; i < laws->rows; i++)
    if (!strcmp(laws->row[i].law, law)) return &laws->row[i];
  return NULL;
}

static void expect_verdict(const dm_laws *laws, const char *law, dm_law_verdict verdict) {
  const dm_law_row *row = find_row(laws, law);
  if (!row) fail_msg("no row '%s'", law);
  if (row->verdict != verdict)
    fail_msg("%s: error %g, bound %g, order %g of %g (%s)", law, row->error, row->bound, row->order,
             row->expected, row->note);
}

static dm_laws judge(const dm_system *s, const dm_momentum_map *map, const double *q,
                     const double *v, double h, int order) {
  dm_laws laws = {0};
  dm_message msg = {""};
  const dm_law_motion motion = {.s = s, .map = map, .q = q, .v = v, .h = h, .order = order};
  if (dm_laws_of_system(&laws, &motion, &msg) != DM_OK) fail_msg("%s", msg.text);
  return laws;
}

// a double pendulum by every rule and composition: all laws with the order of the rule
static void laws_hold_for_every_rule(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  s.damping = NULL;
  const double q[] = {1, 0.5}, v[] = {0.2, -0.3};
  for (const struct dm_rule_name *of = dm_lagrangian_rules; of->name; of++)
    for (int order = 2; order <= 4; order += 2) {
      if (order > 2 && of->rule.inner) continue;
      dm_rule_set(&s.rule, of->name, 0.5, "midpoint", NULL);
      dm_laws laws = judge(&s, NULL, q, v, 0.02, order);
      const int expected = order > 2 ? order : 2 * s.rule.inner + 2;
      const char *exact[] = {"symmetric", "reversible", "symplectic form"};
      for (int i = 0; i < 3; i++) expect_verdict(&laws, exact[i], DM_LAW_HOLDS);
      const char *ordered[] = {"order of the rule", "energy", "modified energy"};
      for (int i = 0; i < 3; i++) {
        const dm_law_row *row = find_row(&laws, ordered[i]);
        expect_verdict(&laws, ordered[i], DM_LAW_HOLDS);
        if (!isnan(row->order)) assert_close(row->order, expected + 2 * (i == 2), 0.3);
      }
      expect_verdict(&laws, "momentum", DM_LAW_NONE);
      assert_int_equal(laws.failed, 0);
    }
  dm_model_free(m);
}

// a midpoint off the middle is of order 1 and not symmetric, but symplectic; damping leaves the form of its work
static void broken_symmetry_is_told(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double q[] = {1, 0.5}, v[] = {0.2, -0.3}, damping[] = {0.1, 0.2};
  s.damping = NULL;
  dm_rule_set(&s.rule, "midpoint", 0.3, "midpoint", NULL);
  dm_laws laws = judge(&s, NULL, q, v, 0.02, 2);
  expect_verdict(&laws, "symmetric", DM_LAW_NONE);
  expect_verdict(&laws, "symplectic form", DM_LAW_HOLDS);
  assert_close(find_row(&laws, "order of the rule")->order, 1, 0.1);

  s.damping = damping;
  dm_rule_set(&s.rule, "midpoint", 0.5, "midpoint", NULL);
  laws = judge(&s, NULL, q, v, 0.02, 2);
  expect_verdict(&laws, "symmetric", DM_LAW_HOLDS);
  expect_verdict(&laws, "Lagrange-d'Alembert form", DM_LAW_HOLDS);
  assert_int_equal(laws.failed, 0);
  dm_model_free(m);
}

// derivatives that are not those of one Lagrangian: an asymmetric L_qq, and an L_q that is larger by 1 %
static dm_lagrangian right;
static bool wrong_gradient;
static dm_status eval_wrong(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  const dm_status s = right.eval(self, scratch, order, q, v, out);
  if (wrong_gradient) out->L_q[1] *= 1.01;
  if (!wrong_gradient && order > 1) out->L_qq[1] += 0.01 * out->L_qq[0];
  return s;
}

static void wrong_derivatives_fail(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double q[] = {1, 0.5}, v[] = {2, -3};
  s.damping = NULL;
  right = s.L;
  s.L.eval = eval_wrong;
  s.L.lanes = 0;
  dm_laws laws = judge(&s, NULL, q, v, 0.02, 2);
  expect_verdict(&laws, "symplectic form", DM_LAW_FAILS);
  wrong_gradient = true;
  laws = judge(&s, NULL, q, v, 0.02, 2);
  expect_verdict(&laws, "modified energy", DM_LAW_FAILS);
  dm_model_free(m);
}

// the acrobot with a well at the elbow, -2 exp(-(q/width)^2) J
static double well_width;
static dm_status eval_well(const void *self, void *scratch, int order, const double *q,
                           const double *v, dm_jet *out) {
  const dm_status s = right.eval(self, scratch, order, q, v, out);
  const double x = q[1] / well_width, V = -2 * exp(-x * x), slope = -2 * x / well_width;
  out->L -= V;
  out->L_q[1] -= V * slope;
  if (order > 1) out->L_qq[3] -= V * (slope * slope - 2 / (well_width * well_width));
  return s;
}

// Steps of 0.02 s are too long for a narrow well: the order follows from shorter ones. In a well that is narrower than all
// steps, rounding grows before an order is seen.
static void long_steps_decide_no_order(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double v[] = {2, -3};
  double q[] = {1, 0.5};
  s.damping = NULL;
  right = s.L;
  s.L.eval = eval_well;
  s.L.lanes = 0;
  well_width = 0.036;
  dm_laws laws = judge(&s, NULL, q, v, 0.02, 2);
  const dm_law_row *row = find_row(&laws, "modified energy");
  expect_verdict(&laws, "modified energy", DM_LAW_HOLDS);
  assert_non_null(strstr(row->note, "from steps of 0.01 s"));
  assert_int_equal(laws.failed, 0);

  well_width = 1.9e-4;
  q[1] = 1e-3;
  laws = judge(&s, NULL, q, v, 0.02, 2);
  row = find_row(&laws, "order of the rule");
  expect_verdict(&laws, "order of the rule", DM_LAW_UNDECIDED);
  assert_non_null(strstr(row->note, "rounding does not allow steps of 0.01 s"));
  assert_int_equal(laws.failed, 0);
  dm_model_free(m);
}

// the acrobot with an elbow on a spring, in N m
static double stiffness;
static dm_status eval_stiff(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  const dm_status s = right.eval(self, scratch, order, q, v, out);
  out->L -= stiffness * q[1] * q[1] / 2;
  out->L_q[1] -= stiffness * q[1];
  if (order > 1) out->L_qq[3] -= stiffness;
  return s;
}

// An oscillation that also the shortest steps do not resolve decides no order.
static void steps_too_long_for_the_motion_decide_no_order(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double q[] = {1e-3, 1e-3}, v[] = {0, 0};
  s.damping = NULL;
  right = s.L;
  s.L.eval = eval_stiff;
  s.L.lanes = 0;
  stiffness = 1e8;
  dm_laws laws = judge(&s, NULL, q, v, 0.02, 2);
  const dm_law_row *row = find_row(&laws, "order of the rule");
  expect_verdict(&laws, "order of the rule", DM_LAW_UNDECIDED);
  assert_true(row->error > 0.1);
  if (!strstr(row->note, "too long for the motion")) fail_msg("%s", row->note);
  assert_int_equal(laws.failed, 0);
  dm_model_free(m);
}

// under constraints; the momentum about the vertical
static void constrained_motion_keeps_them(void **state) {
  (void)state;
  spherical w = spherical_new();
  const double v[12] = {0.5, 0.2, 0, 0.1, -0.4, 0};
  dm_laws laws = judge(&w.s, NULL, w.q, v, 0.02, 2);
  expect_verdict(&laws, "constraints", DM_LAW_HOLDS);
  expect_verdict(&laws, "symplectic form", DM_LAW_HOLDS);
  expect_verdict(&laws, "modified energy", DM_LAW_HOLDS);
  assert_int_equal(laws.failed, 0);
  spherical_free(&w);
}

// two particles on a spring in a plane without weight: their momentum, and the moment about the axis normal to it
static void symmetries_of_particles_are_found(void **state) {
  (void)state;
  particles x = particles_oscillator(NULL);
  dm_momentum_map map = dm_tree_momentum_map(x.m);
  const double v[6] = {0.3, -0.2, 0.1, 0.4};
  dm_laws laws = judge(&x.s, &map, x.q, v, 0.02, 2);
  const char *kept[] = {"momentum moment.y", "momentum momentum.x", "momentum momentum.z"};
  for (int i = 0; i < 3; i++) expect_verdict(&laws, kept[i], DM_LAW_HOLDS);
  expect_verdict(&laws, "energy", DM_LAW_HOLDS);
  assert_int_equal(laws.failed, 0);
  particles_free(&x);
}

// splines: translations and the rotation of the plane, momenta of second order
static void splines_keep_three_momenta(void **state) {
  (void)state;
  dm_second_order_lagrangian C = dm_second_order_spline(2, 2);
  dm_second_order_rule rule;
  dm_second_order *L;
  dm_message msg = {""};
  dm_laws laws = {0};
  const double q[] = {0, 1}, v[] = {1, 0.5}, a[] = {2, -1}, jerk[] = {-1, 3};
  const char *const names[] = {"x", "y"};
  assert_int_equal(dm_second_order_rule_set(&rule, "taylor", 2, NULL), DM_OK);
  assert_int_equal(dm_second_order_new(&L, &C, &rule, &msg), DM_OK);
  assert_int_equal(dm_laws_of_second(&laws, L, 0.1, q, v, a, jerk, NULL, names, &msg), DM_OK);
  const char *kept[] = {"momentum p.x", "momentum p.y", "momentum y p.x - x p.y",
                        "order of the rule"};
  for (int i = 0; i < 4; i++) expect_verdict(&laws, kept[i], DM_LAW_HOLDS);
  assert_int_equal(laws.failed, 0);
  dm_second_order_free(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_hold_for_every_rule),
      cmocka_unit_test(broken_symmetry_is_told),
      cmocka_unit_test(wrong_derivatives_fail),
      cmocka_unit_test(long_steps_decide_no_order),
      cmocka_unit_test(steps_too_long_for_the_motion_decide_no_order),
      cmocka_unit_test(constrained_motion_keeps_them),
      cmocka_unit_test(symmetries_of_particles_are_found),
      cmocka_unit_test(splines_keep_three_momenta),
  };
  return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
