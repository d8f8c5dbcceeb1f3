// Contacts of the shapes of a robot's file with the planes of its world: their places, their
// friction, and the shapes that are refused or left out.
#include "tests/support/cart_pole.h"

#include <math.h>

#define FREE(parts)                                                                                \
  "<body name='b' pos='0 0 1'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"    \
  "\n" parts "</body>"
#define FLOOR        "<geom name='floor' type='plane' size='0 0 1'/>\n"
#define SCENE(parts) "<mujoco>\n<worldbody>" parts "</worldbody></mujoco>\n"
#define FROM(more, q)                                                                              \
  "model: {robot: r.xml, contacts: [" more "]}\nsimulate: {time: 1, steps: 2, start: {q: {" q      \
  "}}}\n"
#define WITH(more) FROM(more, "b.z: 5")
#define ALL        WITH("{from: robot}")

static dm_status read_scene(const char *scene, const char *text, pb_problem **p, dm_message *msg) {
  put_file(folder, "r.xml", scene);
  return pb_problem_read(p, put_file(folder, "p.yaml", text), msg);
}

static pb_problem *get_scene(const char *scene, const char *text) {
  pb_problem *p;
  dm_message msg = {""};
  if (read_scene(scene, text, &p, &msg) != DM_OK) fail_msg("%s\nfor %s", msg.text, scene);
  return p;
}

static const dm_contacts *contacts_of(const pb_problem *p) {
  return p->robot.mechanism.contacts;
}

// gaps of all contacts at a position and unit quaternion of the free body
static void find_gaps(const pb_problem *p, const double q[7], double *g) {
  const dm_unilateral u = dm_contacts_unilateral(contacts_of(p));
  void *scratch = aligned_alloc(64, u.scratch + 64);
  assert_int_equal(u.values(u.self, scratch, q, g), DM_OK);
  free(scratch);
}

// A sphere, a capsule and a box with skew frames touch a skew plane where their support functions
// say: the least gap is n.(x - p) less r, r + l |n.z|, or sum of s_i |n.e_i|.
static void shapes_touch_where_they_end(void **state) {
  (void)state;
  pb_problem *p = get_scene(
      SCENE("<geom type='plane' size='1 1 1' pos='0.1 -0.2 0.3' euler='20 -30 0'/>" FREE(
          "<geom name='s' size='0.1' pos='0.2 0.1 0'/>\n"
          "<geom name='c' type='capsule' size='0.05 0.3' pos='0 0.1 0.2' euler='40 10 70'/>\n"
          "<geom name='x' type='box' size='0.1 0.2 0.3' pos='0 0 0.1' euler='-20 50 5'/>\n")),
      ALL);
  const dm_contact *list;
  assert_int_equal(dm_contacts_list(contacts_of(p), &list), 1 + 2 + 8);
  const dm_unilateral u = dm_contacts_unilateral(contacts_of(p));
  static const char *const names[] = {"s", "c_a", "c_b", "x_a", "x_b", "x_c"};
  for (int i = 0; i < 6; i++) assert_string_equal(u.name(u.self, i), names[i]);
  for (int i = 0; i < 11; i++) {
    assert_true(u.restitution[i] == 0 && u.friction[i] == 1);
    assert_int_equal(list[i].body[1], -1);
  }

  // the same in world axes, with MuJoCo's Euler angles xyz: R = Rx Ry Rz
  const double q[] = {0.5, 0.6, 2, 1, 0, 0, 0}, pi = acos(-1);
  const double a = 20 * pi / 180, b = -30 * pi / 180;
  const double n[] = {sin(b), -sin(a) * cos(b), cos(a) * cos(b)};
  double g[11], low[3];
  find_gaps(p, q, g);
  static const struct {
    double at[3], euler[3], half[3], round;
  } shape[] = {{{0.2, 0.1, 0}, {0}, {0}, 0.1},
               {{0, 0.1, 0.2}, {40, 10, 70}, {0, 0, 0.3}, 0.05},
               {{0, 0, 0.1}, {-20, 50, 5}, {0.1, 0.2, 0.3}, 0}};
  for (int k = 0; k < 3; k++) {
    const double *e = shape[k].euler, A = e[0] * pi / 180, B = e[1] * pi / 180, C = e[2] * pi / 180;
    const double R[3][3] = {{cos(B) * cos(C), -cos(B) * sin(C), sin(B)},
                            {cos(A) * sin(C) + sin(A) * sin(B) * cos(C),
                             cos(A) * cos(C) - sin(A) * sin(B) * sin(C), -sin(A) * cos(B)},
                            {sin(A) * sin(C) - cos(A) * sin(B) * cos(C),
                             sin(A) * cos(C) + cos(A) * sin(B) * sin(C), cos(A) * cos(B)}};
    static const double plane[] = {0.1, -0.2, 0.3};
    low[k] = -shape[k].round;
    for (int i = 0; i < 3; i++) {
      double along = 0;
      for (int j = 0; j < 3; j++) along += n[j] * R[j][i];
      low[k] += n[i] * (q[i] + shape[k].at[i] - plane[i]) - shape[k].half[i] * fabs(along);
    }
  }
  double box = INFINITY;
  for (int i = 3; i < 11; i++) box = fmin(box, g[i]);
  if (fabs(g[0] - low[0]) > 1e-13) fail_msg("sphere %.17g, not %.17g", g[0], low[0]);
  if (fabs(fmin(g[1], g[2]) - low[1]) > 1e-13) fail_msg("capsule %.17g", fmin(g[1], g[2]));
  if (fabs(box - low[2]) > 1e-13) fail_msg("box %.17g, not %.17g", box, low[2]);
  pb_problem_free(p);
}

#define BALLS(a, b) FREE("<geom name='a' size='0.1' " a "/>\n<geom name='b' size='0.1' " b "/>\n")

// friction of the contacts of balls a and b with the floor; NAN: no contact
static void friction_is_that_of_mujoco(void **state) {
  (void)state;
  static const struct {
    const char *scene;
    double a, b;
    const char *text;
  } rows[] = {
      // the larger of both; none with condim 1 of both
      {SCENE(FLOOR BALLS("friction='0.5'", "friction='1.5 0.1'")), 1, 1.5, ALL},
      {SCENE("<geom type='plane' size='1 1 1' friction='0.2' condim='1'/>" BALLS(
           "friction='0.5' condim='1'", "friction='0.1'")),
       0, 0.2, ALL},
      // the higher priority decides
      {SCENE(FLOOR BALLS("friction='0.5' priority='1'", "condim='1' priority='2'")), 0.5, 0, ALL},
      // bits: b meets the floor by its affinity, a by neither
      {SCENE("<geom type='plane' size='1 1 1' contype='2' conaffinity='4'/>" BALLS(
           "contype='1' conaffinity='1'", "contype='1' conaffinity='2'")),
       NAN, 1, ALL},
      // bodies that are excluded, and a pair in spite of it, with its own friction
      {"<mujoco><worldbody>" FLOOR "<body name='a'><freejoint/><geom name='a' size='1' mass='1'/>"
       "</body><body name='b'><freejoint/><geom name='b' size='1' mass='1'/></body></worldbody>"
       "<contact><exclude body1='world' body2='a'/></contact></mujoco>",
       NAN, 1, FROM("{from: robot}", "a.z: 5, b.z: 5")},
      {SCENE(FLOOR BALLS("contype='0' conaffinity='0'", "")), NAN, 1, ALL},
      {"<mujoco><worldbody>" FLOOR BALLS(
           "contype='0' conaffinity='0'",
           "") "</worldbody><contact><pair geom1='a' geom2='floor' friction='0.3 0.3'/>"
               "</contact></mujoco>",
       0.3, 1, ALL},
      // by the default class
      {"<mujoco><default><geom friction='0.7'/><default class='ice'><geom friction='0.05'/>"
       "</default></default><worldbody><geom type='plane' size='1 1 1' class='ice'/>" BALLS(
           "", "class='ice'") "</worldbody></mujoco>",
       0.7, 0.05, ALL},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p = get_scene(rows[i].scene, rows[i].text);
    const dm_unilateral u = dm_contacts_unilateral(contacts_of(p));
    double got[2] = {NAN, NAN};
    for (int k = 0; k < u.ng; k++) got[u.name(u.self, k)[0] - 'a'] = u.friction ? u.friction[k] : 0;
    const double want[] = {rows[i].a, rows[i].b};
    for (int k = 0; k < 2; k++)
      if (!(got[k] == want[k] || (isnan(got[k]) && isnan(want[k]))))
        fail_msg("%c: %g, not %g, for %s", 'a' + k, got[k], want[k], rows[i].scene);
    pb_problem_free(p);
  }
}

// options of the entry, contacts beside it, planes of fixed bodies
static void the_entry_chooses(void **state) {
  (void)state;
  pb_problem *p = get_scene(
      SCENE("<body name='ramp' pos='0 0 -1' euler='0 10 0'><geom name='wall' type='plane' "
            "size='1 1 1'/></body>" FLOOR FREE(
                "<geom size='0.1'/>"
                "<body name='foot'><joint/><geom type='sphere' mass='1' size='0.2'/></body>")),
      WITH("{from: robot, bodies: [foot], friction: 0.25, restitution: 0.5}, {name: own, type: "
           "above, bodies: [b, world], axis: [0, 0, 1], length: 0.1}"));
  const dm_contact *list;
  assert_int_equal(dm_contacts_list(contacts_of(p), &list), 3);
  const dm_unilateral u = dm_contacts_unilateral(contacts_of(p));
  assert_string_equal(u.name(u.self, 0), "foot_floor");
  assert_string_equal(u.name(u.self, 1), "foot_wall");
  assert_string_equal(u.name(u.self, 2), "own");
  for (int i = 0; i < 2; i++) assert_true(list[i].friction == 0.25 && list[i].restitution == 0.5);
  assert_true(list[2].friction == 0 && list[2].restitution == 1);
  assert_int_equal(list[0].body[1], -1);
  assert_string_equal(p->robot.mechanism.tree->body_name[list[1].body[1]], "ramp");
  pb_problem_free(p);

  // a URDF has no plane and no friction: both are given
  put_file(folder, "u.urdf",
           ROBOT("<link name='w'/><link name='a'><inertial><mass value='1'/><inertia " ROUND
                 "/></inertial><collision name='foot'><origin xyz='0 0 -1'/><geometry><sphere "
                 "radius='0.1'/></geometry></collision></link>" JOINT("j", "prismatic", "w", "a",
                                                                      "<axis xyz='0 0 1'/>")));
  p = get_problem("model: {robot: u.urdf, contacts: [{from: robot, axis: [0, 0, 2], length: -2, "
                  "friction: 0.5}]}\nsimulate: {time: 1, steps: 2}\n");
  double g, q[7] = {0.25};
  find_gaps(p, q, &g);
  if (fabs(g - (0.25 - 1 - 0.1 + 2)) > 1e-14) fail_msg("gap %.17g", g);
  pb_problem_free(p);
}

static void what_is_not_taken_is_named(void **state) {
  (void)state;
  static const struct {
    const char *scene, *text, *message;
  } rows[] = {
      {SCENE(FLOOR FREE("<geom type='cylinder' name='wheel' size='0.1 0.2'/>")), ALL,
       "r.xml:4: 'wheel' is a cylinder above the plane 'floor', expected a sphere, a capsule or a "
       "box; 'bodies' in model.contacts"},
      {SCENE(FLOOR FREE("<geom type='ellipsoid' size='0.1 0.2 0.3'/>")), ALL,
       "r.xml:4: 'b' is a ellipsoid"},
      {SCENE(FREE("<geom size='0.1'/>")), ALL,
       "p.yaml:1:34: model.contacts[]: found no plane and no obstacle in the world of the robot's "
       "file, expected "
       "'axis'"},
      {SCENE(FLOOR FREE("<geom size='0.1' contype='0' conaffinity='0'/>")), ALL,
       "model.contacts[]: found no shape of a body in the robot's file that touches a plane"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{from: robot, bodies: [foot]}"),
       "model.contacts[].bodies: found the unknown body 'foot'"},
      {SCENE(FLOOR FREE("<geom size='0.1'/><body name='c'/>")), WITH("{from: robot, bodies: [c]}"),
       "model.contacts[].bodies: found 'c', which has no shape that moves"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{from: robot, bodies: b}"),
       "model.contacts[].bodies: found 'b', expected a list of bodies"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{from: robot}, {from: robot}"),
       "model.contacts[]: found a second 'from', expected one"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{from: robot, length: 1}"),
       "model.contacts[]: found 'length', expected none without 'axis'"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{from: robot, name: s}"),
       "model.contacts[]: found 'name', expected none"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")), WITH("{type: above}"),
       "model.contacts[]: found no 'name', expected one"},
      {SCENE(FLOOR FREE("<geom size='0.1'/>")),
       WITH("{from: robot}, {name: b, type: above, bodies: [b, world], axis: [0, 0, 1]}"),
       "model.contacts[]: found a second one named 'b'"},
      {"<mujoco><worldbody>" FLOOR FREE(
           "<geom size='0.1'/>") "</worldbody><contact><exclude body1='b' body2='d'/></contact>"
                                 "</mujoco>",
       ALL, "<exclude>: found body2=\"d\", which no body is"},
      {"",
       "model: {bodies: [{name: a, joints: [tz], mass: 1}], contacts: [{from: robot}]}\n"
       "simulate: {time: 1, steps: 2}\n",
       "model.contacts[].from: found robot, expected a model.robot"},
      {"",
       "model: {robot: c.urdf, contacts: [{from: robot, axis: [0, 0, 1]}]}\n"
       "simulate: {time: 1, steps: 2}\n",
       "model.contacts[]: found no shape of a body"},
  };
  put_file(folder, "c.urdf", CART_POLE);
  int failed = 0;
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p;
    dm_message msg = {""};
    if (read_scene(rows[i].scene, rows[i].text, &p, &msg) == DM_BAD_INPUT &&
        strstr(msg.text, rows[i].message))
      continue;
    print_message("got    %s\nwanted %s\nfor    %s\n", msg.text, rows[i].message, rows[i].scene);
    failed++;
  }
  assert_int_equal(failed, 0);
}

static bool problem_warned(const pb_problem *p, const char *part) {
  for (int i = 0; i < p->warnings.n; i++)
    if (strstr(p->warnings.text[i], part)) return true;
  return false;
}

static void a_floor_without_contacts_is_named(void **state) {
  (void)state;
  static const char *const scene =
      SCENE("<geom type='ellipsoid' size='1 1 1' pos='9 0 0' name='egg'/>\n" FLOOR FREE(
          "<geom size='0.1'/>"));
  pb_problem *p = get_scene(scene, "model: {robot: r.xml}\nsimulate: {time: 1, steps: 2}\n");
  assert_true(problem_warned(p, "r.xml:3: plane 'floor' of the world touches bodies in this file"));
  assert_true(problem_warned(p, "model.contacts: [{from: robot}]"));
  pb_problem_free(p);
  p = get_scene(scene, ALL);
  assert_false(problem_warned(p, "touches bodies"));
  assert_true(problem_warned(p, "'egg' is of kind ellipsoid"));
  pb_problem_free(p);
}

// Gaps of a sphere and a box to obstacles of the world are distances: exact with a sphere, otherwise
// of the box's corners, which a warning says.
static void obstacles_of_the_world_are_touched(void **state) {
  (void)state;
  pb_problem *p = get_scene(
      SCENE("<geom name='ball' size='0.2' pos='1 0 0' friction='0.3'/>\n"
            "<geom name='pipe' type='capsule' size='0.1 0.5' pos='0 1 0'/>\n"
            "<geom name='step' type='box' size='0.3 0.3 0.1' pos='0 0 -1' euler='0 0 45'/>\n"
            "<geom name='post' type='cylinder' size='0.1 0.2' pos='-1 0 0.5'/>\n" FREE(
                "<geom name='s' size='0.1'/>\n"
                "<geom name='x' type='box' size='0.1 0.2 0.3' friction='0.1'/>\n")),
      ALL);
  static const struct {
    const char *name;
    double gap, friction;
  } rows[] = {{"s_ball", 0.7, 1},
              {"s_pipe", 0.8, 1},
              {"s_step", 0.8, 1},
              {"s_post", 0.94868329805051381 - 0.1, 1}, // of (0.9, 0.3), at the rim
              {"x_ball", 0.7, 0.3},
              {"x_a_pipe", 1.2041594578792296 - 0.1, 1}, // of (0.1, 1.2)
              {"x_d_pipe", 0.80622577482985502 - 0.1, 1}};
  const double q[] = {0, 0, 0, 1, 0, 0, 0};
  const dm_unilateral u = dm_contacts_unilateral(contacts_of(p));
  double g[32];
  assert_int_equal(u.ng, 4 + 1 + 3 * 8);
  find_gaps(p, q, g);
  int found = 0;
  for (int i = 0; i < u.ng; i++)
    for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++) {
      if (strcmp(u.name(u.self, i), rows[k].name) != 0) continue;
      if (fabs(g[i] - rows[k].gap) > 1e-14) fail_msg("%s: %.17g", rows[k].name, g[i]);
      assert_true(u.friction[i] == rows[k].friction);
      found++;
    }
  assert_int_equal(found, sizeof rows / sizeof *rows);
  assert_true(problem_warned(p, "'x' is a box, and touches 'pipe' by its corners alone"));
  assert_false(problem_warned(p, "'ball'"));
  pb_problem_free(p);
}

// a body aligned with its inertial frame carries its shapes along
static void aligned_bodies_keep_their_shapes(void **state) {
  (void)state;
  pb_problem *p = get_scene(
      "<mujoco><compiler alignfree='true'/><worldbody>" FLOOR
      "<body name='b'><freejoint/><inertial pos='0.3 0 0.2' mass='1' diaginertia='1 2 3'/>"
      "<geom size='0.1' pos='0.3 0 -0.4'/></body></worldbody></mujoco>",
      ALL);
  // upright, with its center of mass at 1 m: the ball is 0.6 m below it
  const dm_contact *list;
  assert_int_equal(dm_contacts_list(contacts_of(p), &list), 1);
  const double *x = list[0].point[0];
  if (fabs(hypot(x[0], hypot(x[1], x[2])) - 0.6) > 1e-14) fail_msg("%g %g %g", x[0], x[1], x[2]);
  pb_problem_free(p);
}

static int close_scene(void **state) {
  char path[600];
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, i ? "r.xml" : "u.urdf");
    unlink(path);
  }
  return close_problems(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_touch_where_they_end),
      cmocka_unit_test(friction_is_that_of_mujoco),
      cmocka_unit_test(the_entry_chooses),
      cmocka_unit_test(what_is_not_taken_is_named),
      cmocka_unit_test(a_floor_without_contacts_is_named),
      cmocka_unit_test(obstacles_of_the_world_are_touched),
      cmocka_unit_test(aligned_bodies_keep_their_shapes),
  };
  return cmocka_run_group_tests(tests, open_folder, close_scene);
}
