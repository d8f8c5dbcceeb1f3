// The outline of a tree: rods and boxes by their inertia, rods of constraints, ends of chains.
#include "lib/multibody/outline.h"

#include "tests/support/models.h"

static dm_outline *open_outline(const dm_model *m, const dm_constraints *c) {
  dm_outline *o = NULL;
  assert_int_equal(dm_outline_new(&o, m, c, NULL, NULL), DM_OK);
  return o;
}

static int count_lines(const dm_outline *o, dm_outline_kind kind) {
  int n = 0;
  for (int i = 0; i < o->nline; i++) n += o->line[i].kind == kind;
  return n;
}

// two uniform rods of 2 m and 1 m, the second at the end of the first
static dm_model *make_double_rod(void) {
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0), models_coord("b", false, 0, 1, 0)};
  dm_pose hinge = dm_identity;
  hinge.p = dm_v(0, 0, -2);
  dm_body b[] = {
      {"upper", -1, dm_identity, 0, 1, 3, {0, 0, -1}, {1, 1, 0}},
      {"lower", 0, hinge, 1, 1, 6, {0, 0, -0.5}, {0.5, 0.5, 0}},
  };
  dm_tree tree = {.ncoord = 2, .coord = c, .nbody = 2, .body = b, .gravity = {0, 0, -9.81}};
  return models_make(&tree);
}

static void a_uniform_rod_ends_where_it_does(void **state) {
  (void)state;
  dm_model *m = make_double_rod();
  dm_outline *o = open_outline(m, NULL);
  dm_pose X[2];
  const double q[] = {acos(0), -acos(0)};

  // the first is a link to the second, whose rod is 1 m long
  assert_int_equal(count_lines(o, DM_OUTLINE_LINK), 2);
  assert_true(!o->last[0] && o->last[1]);

  // turned by a right angle towards -x, and back
  dm_tree_frames(m, q, X);
  const dm_vec tip = dm_outline_place(X, 1, o->tip[1]);
  assert_close(tip.x, -2, 1e-12);
  assert_close(tip.z, -1, 1e-12);
  dm_outline_free(o);
  dm_model_free(m);
}

// a foot whose heel and toe touch a floor: lines to both, and it ends at the farther one
static void a_foot_reaches_what_it_touches(void **state) {
  (void)state;
  dm_model *m = make_double_rod();
  const dm_contact list[] = {
      {"heel", DM_ABOVE, {1, -1}, {{-0.5, 0, -1}}, {0, 0, 1}, .restitution = 1},
      {"toe", DM_ABOVE, {1, -1}, {{2, 0, -1}}, {0, 0, 1}, .restitution = 1},
      {"knee", DM_ABOVE, {0, -1}, {{5, 0, 0}}, {0, 0, 1}, .restitution = 1}};
  dm_contacts *c;
  dm_outline *o;
  dm_pose X[2];
  assert_int_equal(dm_contacts_new(&c, m, 3, list, NULL), DM_OK);
  assert_int_equal(dm_outline_new(&o, m, NULL, NULL, c), DM_OK);
  assert_int_equal(count_lines(o, DM_OUTLINE_LINK), 3);
  dm_tree_frames(m, (const double[]){0, 0}, X);
  const dm_vec tip = dm_outline_place(X, 1, o->tip[1]);
  assert_close(tip.x, 2, 1e-12);
  assert_close(tip.z, -3, 1e-12);
  dm_outline_free(o);
  dm_contacts_free(c);
  dm_model_free(m);
}

static void a_point_mass_ends_at_itself(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_outline *o = open_outline(m, NULL);
  dm_pose X[1];
  dm_tree_frames(m, (const double[]){0}, X);
  assert_close(dm_outline_place(X, 0, o->tip[0]).z, -1, 1e-12);
  assert_int_equal(o->nline, 1);
  dm_outline_free(o);
  dm_model_free(m);
}

// edges of 2a = 0.2, 2b = 0.4, 2c = 0.6 m
static void a_cuboid_has_its_edges(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("turn", false, 0, 1, 0)};
  const double m = 2, a = 0.1, b = 0.2, d = 0.3;
  dm_body body[] = {{"box",
                     -1,
                     dm_identity,
                     0,
                     2,
                     m,
                     {0, 0, 0},
                     {m * (b * b + d * d) / 3, m * (a * a + d * d) / 3, m * (a * a + b * b) / 3}}};
  dm_tree tree = {.ncoord = 2, .coord = c, .nbody = 1, .body = body};
  dm_model *model = models_make(&tree);
  dm_outline *o = open_outline(model, NULL);
  double length = 0;
  assert_int_equal(count_lines(o, DM_OUTLINE_BOX), 12);
  for (int i = 0; i < o->nline; i++) {
    const dm_vec edge = dm_sub(o->line[i].at.end[1], o->line[i].at.end[0]);
    length += sqrt(dm_dot(edge, edge));
  }
  assert_close(length, 4 * (2 * a + 2 * b + 2 * d), 1e-12);
  dm_outline_free(o);
  dm_model_free(model);
}

// a distance from a point of the world is a rod between the two points; a plane is none
static void distances_are_rods(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  const dm_constraint list[] = {
      {.name = "rod",
       .kind = DM_DISTANCE,
       .body = {-1, 0},
       .point = {{0, 0, 2}, {0, 0, -1}},
       .length = 3,
       .coord = {-1, -1}},
      {.name = "plane", .kind = DM_PLANE, .body = {0, -1}, .axis = {1, 0, 0}, .coord = {-1, -1}},
  };
  dm_constraints *c;
  dm_message msg;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, &msg), DM_OK);
  dm_outline *o = open_outline(m, c);
  assert_int_equal(count_lines(o, DM_OUTLINE_ROD), 1);
  const dm_segment *rod = &o->line[o->nline - 1].at;
  dm_pose X[1];
  dm_tree_frames(m, (const double[]){0}, X);
  assert_close(dm_outline_place(X, rod->joint[0], rod->end[0]).z, 2, 1e-12);
  assert_close(dm_outline_place(X, rod->joint[1], rod->end[1]).z, -1, 1e-12);
  dm_outline_free(o);
  dm_constraints_free(c);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_uniform_rod_ends_where_it_does),
      cmocka_unit_test(a_foot_reaches_what_it_touches),
      cmocka_unit_test(a_point_mass_ends_at_itself),
      cmocka_unit_test(a_cuboid_has_its_edges),
      cmocka_unit_test(distances_are_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
