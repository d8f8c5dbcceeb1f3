// A robot's parts: one table describes each kind, and a changed robot has all parts of the first.
#include "lib/mechanics/continuous.h"
#include "lib/multibody/robot.h"
#include "tests/support/models.h"

// a cart-pole with a part of each kind
static dm_robot make_robot(void) {
  static const int pole[] = {1};
  static const double one[] = {1};
  const dm_tendon at = {.name = "heel", .ncoord = 1, .coord = pole, .factor = one};
  const dm_spring spring = {at, dm_spring_law_linear(3, 0.2)};
  const dm_load damper = {.name = "oil", .kind = DM_DAMPER, .damping = 0.4, .tendon = at};
  const dm_constraint belt = {.name = "belt", .kind = DM_EQUAL, .coord = {0, 1}, .ratio = 0.5};
  const dm_joint_friction rub = {"hinge", 1, 0.3, 0.05};
  const dm_contact wall = {.name = "wall", .kind = DM_NOT_ABOVE, .coord = 0, .length = 2};
  dm_robot r = {.tree = models_cart_pole()};
  r.model = r.tree;
  assert_int_equal(dm_springs_new(&r.springs, r.tree, 1, &spring, NULL), DM_OK);
  assert_int_equal(dm_loads_new(&r.loads, r.tree, 1, &damper, NULL), DM_OK);
  assert_int_equal(dm_constraints_new(&r.constraints, r.tree, 1, &belt, NULL), DM_OK);
  assert_int_equal(dm_frictions_new(&r.frictions, r.tree, 1, &rub, NULL), DM_OK);
  assert_int_equal(dm_contacts_new(&r.contacts, r.tree, 1, &wall, NULL), DM_OK);
  return r;
}

static void each_kind_is_in_the_table(void **state) {
  (void)state;
  static const char *const name[DM_PART_KINDS] = {"heel", "belt", "oil", "hinge", "wall"};
  dm_robot none = {0}, r = make_robot();
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    const dm_part_row *row = &dm_part_rows[kind];
    assert_non_null(row->word);
    assert_non_null(row->release);
    assert_int_equal(row->count(&none), 0);
    assert_int_equal(row->count(&r), 1);
    assert_string_equal(row->name(&r, 0), name[kind]);
  }
  dm_robot_free(&r);
  dm_robot_free(&none);
}

// a consumer names the part that it does not support
static void the_first_part_that_is_not_supported_is_named(void **state) {
  (void)state;
  dm_robot r = make_robot();
  dm_message msg;
  const unsigned all = (1u << DM_PART_KINDS) - 1;
  assert_int_equal(dm_robot_require(&r, all, "the plant", &msg), DM_OK);
  for (int kind = 0; kind < DM_PART_KINDS; kind++) {
    char expected[120];
    const dm_part_row *row = &dm_part_rows[kind];
    snprintf(expected, sizeof expected, "the plant has no %s: '%s'", row->word, row->name(&r, 0));
    assert_int_equal(dm_robot_require(&r, all & ~(1u << kind), "the plant", &msg), DM_BAD_INPUT);
    assert_string_equal(msg.text, expected);
  }
  dm_robot_free(&r);
}

// L, f and h of a robot's system at a state
static void evaluate(const dm_robot *r, double x[4]) {
  const dm_system s = dm_robot_system(r);
  const double q[] = {0.3, 0.7}, v[] = {1.1, -0.02};
  double f[2] = {0}, L_q[2], L_v[2], f_q[4], f_v[4];
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  dm_force_jet force = {.f = f, .f_q = f_q, .f_v = f_v};
  void *scratch = aligned_alloc(64, (s.L.scratch + s.hol.scratch + 4096) / 64 * 64);
  assert_int_equal(s.L.eval(s.L.self, scratch, 1, q, v, &jet), DM_OK);
  x[0] = jet.L;
  assert_int_equal(s.hol.nc, 1);
  assert_int_equal(s.hol.eval(s.hol.self, scratch, q, &x[3], NULL), DM_OK);
  assert_int_equal(dm_forces_eval(&s.force, 2, scratch, 1, q, v, NULL, &force), DM_OK);
  x[1] = f[0];
  x[2] = f[1];
  free(scratch);
}

static void a_changed_robot_keeps_its_parts(void **state) {
  (void)state;
  static const double more[] = {0, 2};
  dm_robot r = make_robot(), same, other;
  double x[4], y[4];
  evaluate(&r, x);

  // nothing is changed
  assert_int_equal(dm_robot_changed(&same, &r, &(dm_change){0}), DM_OK);
  evaluate(&same, y);
  for (int i = 0; i < 4; i++) assert_close(y[i], x[i], 1e-14 * (1 + fabs(x[i])));
  for (int kind = 0; kind < DM_PART_KINDS; kind++)
    assert_int_equal(dm_part_rows[kind].count(&same), 1);

  // more friction at the pole: that alone is other
  assert_int_equal(dm_robot_changed(&other, &r, &(dm_change){.friction = more}), DM_OK);
  evaluate(&other, y);
  assert_close(y[0], x[0], 1e-14);
  assert_true(y[1] == x[1] && y[3] == x[3]);
  assert_close(y[2] - x[2], 2 * atan(2), 1e-14);
  dm_robot_free(&other);
  dm_robot_free(&same);
  dm_robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_in_the_table),
      cmocka_unit_test(the_first_part_that_is_not_supported_is_named),
      cmocka_unit_test(a_changed_robot_keeps_its_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
