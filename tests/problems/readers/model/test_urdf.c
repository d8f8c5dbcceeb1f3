// tests/problems/readers/model/test_urdf.c: robot files as they come, with their quirks.
#include "tests/support/robots.h"
#include "tests/support/skips.h"

#include <math.h>

static void expect_ok(const robot *r) {
  if (r->status != DM_OK) fail_msg("status %d: %s", r->status, r->msg.text);
}

static void expect_warning(const robot *r, const char *part) {
  if (!warned(r, part))
    fail_msg("no warning says '%s'; the first of %d: %s", part, r->warnings.n,
             r->warnings.n ? r->warnings.text[0] : "");
}

// masses and coordinates of the published files, counted by hand and summed by another program
static const struct {
  const char *name;
  int nq, nu, nj, nbody, warnings;
  double mass;
  const char *first, *last;
} published[] = {
    {"baxter", 17, 17, 19, 57, 0, 137.33261044, "head_pan", "l_gripper_l_finger_joint"},
    {"double_pendulum", 2, 0, 2, 3, 4, 0.701, "joint1", "joint2"},
    {"double_pendulum_simple", 2, 0, 2, 4, 4, 0.6, "joint1", "joint2"},
    {"kinova", 6, 6, 6, 13, 9, 4.83784, "j2s6s200_joint_1", "j2s6s200_joint_6"},
    {"panda", 8, 8, 9, 13, 0, 17.451901, "panda_joint1", "panda_finger_joint1"},
    {"solo12", 12, 12, 12, 17, 0, 2.50000279, "FL_HAA", "HR_KFE"},
    {"talos_left_arm", 7, 7, 7, 17, 8, 9.458441, "arm_left_2_joint", "gripper_left_joint"},
    {"ur5_robot", 6, 6, 6, 11, 0, 20.9939, "shoulder_pan_joint", "wrist_3_joint"},
    {"z1", 7, 7, 7, 10, 7, 5.22096983, "joint1", "jointGripper"},
};

static void published_robots_read(void **state) {
  (void)state;
  const char *shared = shared_folder();
  if (!shared) skip_test(NO_SHARED);
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/data/urdf/%s.urdf", shared, published[i].name);
    robot r = read_path(path, false);
    expect_ok(&r);
    assert_int_equal(r.m->nq, published[i].nq);
    assert_int_equal(r.m->nu, published[i].nu);
    assert_int_equal(r.m->nj, published[i].nj);
    assert_int_equal(r.m->nbody, published[i].nbody);
    assert_int_equal(r.warnings.n, published[i].warnings);
    assert_true(fabs(mass_of(r.m) - published[i].mass) < 1e-9 * published[i].mass);
    assert_string_equal(r.m->name[0], published[i].first);
    assert_string_equal(r.m->name[r.m->nq - 1], published[i].last);
    robot f = read_path(path, true);
    expect_ok(&f);
    assert_int_equal(f.m->nq, published[i].nq + 6);
    assert_string_equal(f.m->name[5], "base.rx");
    assert_true(fabs(mass_of(f.m) - f.m->ground.m - published[i].mass) < 1e-9 * published[i].mass);
    drop(&r);
    drop(&f);
  }
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
  return !memcmp(a, b, count * size);
}

static void reading_twice_gives_the_same_model(void **state) {
  (void)state;
  const char *shared = shared_folder();
  if (!shared) skip_test(NO_SHARED);
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/data/urdf/%s.urdf", shared, published[i].name);
    robot a = read_path(path, false), b = read_path(path, false);
    expect_ok(&a);
    expect_ok(&b);
    size_t n = (size_t)a.m->nq, nj = (size_t)a.m->nj;
    assert_true(same(a.m->parent, b.m->parent, nj, sizeof *a.m->parent));
    assert_true(same(a.m->offset, b.m->offset, nj, sizeof *a.m->offset));
    assert_true(same(a.m->body, b.m->body, nj, sizeof *a.m->body));
    assert_true(same(a.m->ratio, b.m->ratio, nj, sizeof *a.m->ratio));
    assert_true(same(a.m->q_min, b.m->q_min, n, sizeof *a.m->q_min));
    assert_true(same(a.m->damping, b.m->damping, n, sizeof *a.m->damping));
    for (size_t k = 0; k < n; k++) assert_string_equal(a.m->name[k], b.m->name[k]);
    drop(&a);
    drop(&b);
  }
}

static void coordinates_stand_depth_first_as_written(void **state) {
  (void)state;
  robot r = read_text(ROBOT(JOINT("b", "continuous", "base", "2", "") LINK("1", "1", ROUND)
                                JOINT("a", "continuous", "base", "1", "") LINK("2", "1", ROUND)
                                    JOINT("c", "prismatic", "2", "3", "") LINK("3", "1", ROUND)
                                        JOINT("d", "continuous", "2", "4", "")
                                            LINK("4", "1", ROUND) "<link name='base'/>"),
                      false);
  const char *order[] = {"b", "c", "d", "a"};
  expect_ok(&r);
  assert_int_equal(r.m->nq, 4);
  for (int i = 0; i < 4; i++) assert_string_equal(r.m->name[i], order[i]);
  assert_int_equal(r.m->parent[2], 0);
  assert_int_equal(r.m->parent[3], -1);
  assert_int_equal(r.m->kind[1], DM_SLIDE);
  drop(&r);
}

static void fixed_and_massless_links_are_lumped(void **state) {
  (void)state;
  robot r = read_text(
      ROBOT("<link name='w'/><link name='tool'/>" LINK("a", "2", ROUND) LINK("b", "3", ROUND)
                JOINT("j", "continuous", "w", "a", "<axis xyz='0 0 1'/>")
                    JOINT("k", "fixed", "a", "b", "<origin xyz='2 0 0'/><axis xyz='0 0 0'/>")
                        JOINT("l", "fixed", "b", "tool", "<origin xyz='0 1 0' rpy='0 0 1'/>")),
      false);
  expect_ok(&r);
  double q = 0, M;
  assert_int_equal(r.m->nq, 1);
  mass_matrix(r.m, &q, &M);
  assert_true(fabs(M - (1 + 1 + 3 * 4)) < 1e-14);
  dm_pose tool = pose_of(r.m, &q, "tool");
  assert_true(fabs(tool.p.x - 2) < 1e-15 && fabs(tool.p.y - 1) < 1e-15);
  assert_true(fabs(tool.x.y - sin(1)) < 1e-15);
  drop(&r);
}

// A parent `world` that no link is, is the world; as in Drake.
static void the_world_need_not_be_declared(void **state) {
  (void)state;
  robot r =
      read_text(ROBOT(LINK("a", "2", ROUND) JOINT("j", "continuous", "world", "a", "")), false);
  expect_ok(&r);
  assert_int_equal(r.m->nq, 1);
  assert_string_equal(r.m->body_name[0], "world");
  drop(&r);
  r = read_text(ROBOT(LINK("a", "2", ROUND) JOINT("j", "continuous", "wrld", "a", "")), false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  drop(&r);
}

// XML declarations that XML forbids say nothing of a robot; lines stay as they are.
static void odd_declarations_are_read(void **state) {
  (void)state;
  static const char *const before[] = {
      "<?xml version='0.0'?>\n", "<!-- a\n comment -->\n<?xml version='1.0'?>\n",
      "\n<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", "<?xml?>\n"};
  static const int lines[] = {1, 3, 2, 1};
  for (int i = 0; i < 4; i++) {
    char text[900], message[80];
    snprintf(text, sizeof text, "%s%s", before[i], ONE_JOINT("<axis xyz='0 0 1'/>"));
    robot r = read_text(text, false);
    expect_ok(&r);
    drop(&r);
    snprintf(text, sizeof text, "%s<robot><link/></robot>", before[i]);
    snprintf(message, sizeof message, "r.urdf:%d: <link>: found no name", lines[i] + 1);
    r = read_text(text, false);
    if (!strstr(r.msg.text, message)) fail_msg("%d: %s", i, r.msg.text);
    drop(&r);
  }
}

// A rotor of inertia J that turns N times as fast adds N^2 J: of an actuator, of Drake's or of ROS' gear.
static void rotors_are_armatures(void **state) {
  (void)state;
  static const struct {
    const char *of;
    double armature;
  } rotor[] = {
      {"<actuator name='m'><rotor_inertia value='1e-3'/><gear_ratio value='20'/></actuator>", 0.4},
      {"<actuator name='m'><rotor_inertia "
       "value='1e-3'/><mechanicalReduction>-30</mechanicalReduction></actuator>",
       0.9},
      {"<actuator name='m'><rotor_inertia "
       "value='1e-3'/></actuator><mechanicalReduction>10</mechanicalReduction>",
       0.1},
      {"<actuator name='m'><rotor_inertia value='1e-3'/></actuator>", 1e-3},
      {"<actuator name='m'/>", 0}};
  for (int i = 0; i < 5; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='w'/>%s%s"
             "<transmission name='t'><type>x</type><joint name='j'/>%s</transmission></robot>",
             LINK("a", "1", ROUND), JOINT("j", "continuous", "w", "a", ""), rotor[i].of);
    robot r = read_text(text, false);
    expect_ok(&r);
    assert_true(fabs(r.m->armature[0] - rotor[i].armature) < 1e-15);
    assert_int_equal(r.warnings.n, 0);
    drop(&r);
  }
}

// A nut of mass m on a thread of pitch p: by the rate of its turn it has J + m (p/2pi)^2.
static void screws_turn_and_slide(void **state) {
  (void)state;
  robot r = read_text(ROBOT("<link name='w'/>" LINK("a", "2", LONG)
                                JOINT("j", "screw", "w", "a",
                                      "<axis xyz='0 0 1'/><limit lower='-1' upper='3'/>"
                                      "<screw_thread_pitch value='0.5'/>")),
                      false);
  const double q = 0.4, lead = 0.5 / (2 * acos(-1));
  double M;
  expect_ok(&r);
  assert_int_equal(r.m->nq, 1);
  assert_true(r.m->q_min[0] == -1 && r.m->q_max[0] == 3);
  mass_matrix(r.m, &q, &M);
  assert_true(fabs(M - (5 + 2 * lead * lead)) < 1e-14);
  const dm_pose at = pose_of(r.m, &q, "a");
  assert_true(fabs(at.p.z - lead * q) < 1e-15 && fabs(at.x.y - sin(q)) < 1e-15);
  drop(&r);
  r = read_text(ONE_JOINT("<limit/>"), false);
  drop(&r);
  r = read_text(ROBOT("<link name='w'/>" LINK("a", "2", LONG) JOINT("j", "screw", "w", "a", "")),
                false);
  assert_non_null(
      strstr(r.msg.text, "joint 'j': found no pitch, expected <drake:screw_thread_pitch"));
  drop(&r);
}

static void joints_of_several_turns_are_read(void **state) {
  (void)state;
  static const struct {
    const char *type;
    int nq;
    const char *last;
  } row[] = {{"ball", 4, "j.qz"}, {"spherical", 4, "j.qz"}, {"universal", 2, "j.ry"}};
  for (int i = 0; i < 3; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='w'/>%s<joint name='j' type='%s'><parent link='w'/>"
             "<child link='a'/><limit effort='1'/></joint></robot>",
             LINK("a", "2", LONG), row[i].type);
    robot r = read_text(text, false);
    expect_ok(&r);
    assert_int_equal(r.m->nq, row[i].nq);
    assert_string_equal(r.m->name[r.m->nq - 1], row[i].last);
    assert_true(warned(&r, "joint 'j' is "));
    drop(&r);
  }
}

// Links without mass weigh their collision shapes where the problem says a density, and only these.
static void a_density_weighs_collision_shapes(void **state) {
  (void)state;
  put_file(folder, "r.urdf",
           ROBOT("<link name='w'/><link name='a'><collision><origin xyz='0 0 1'/><geometry><box "
                 "size='1 2 3'/>"
                 "</geometry></collision></link>" LINK("b", "2", ROUND)
                     JOINT("j", "continuous", "w", "a", "<axis xyz='1 0 0'/>")
                         JOINT("k", "continuous", "a", "b", "<axis xyz='1 0 0'/>")));
  const char *path = put_file(folder, "p.yaml", "model: {urdf: r.urdf, density: 10}\n");
  robot r = read_path(path, false);
  expect_ok(&r);
  const double q[2] = {0};
  double M[4];
  mass_matrix(r.m, q, M);
  assert_true(fabs(mass_of(r.m) - (60 + 2)) < 1e-12);
  assert_true(fabs(M[0] - (60 * ((4. + 9) / 12 + 1) + 1)) < 1e-12);
  drop(&r);
  unlink(path);

  // the advice of the refusal works
  r = read_path(
      put_file(
          folder, "r.urdf",
          ROBOT("<link name='w'/><link name='a'><collision><geometry><box size='1 2 3'/></geometry>"
                "</collision></link>" JOINT("j", "continuous", "w", "a", "<axis xyz='1 0 0'/>"))),
      false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  if (!strstr(r.msg.text, "model.density")) fail_msg("%s", r.msg.text);
  drop(&r);
}

static void skew_axes_are_made_unit(void **state) {
  (void)state;
  robot r = read_text(ROBOT("<link name='w'/>" LINK("a", "2", LONG)
                                JOINT("j", "continuous", "w", "a", "<axis xyz='10 10 0'/>")),
                      false);
  double q = 0.7, M;
  expect_ok(&r);
  mass_matrix(r.m, &q, &M);
  assert_true(fabs(M - 3.5) < 1e-14);
  drop(&r);
}

static void an_inertial_frame_turns_the_inertia(void **state) {
  (void)state;
  robot r = read_text(ROBOT("<link name='w'/><link name='a'><inertial><origin rpy='0 0 "
                            "1.5707963267948966'/><mass value='2'/><inertia " LONG
                            "/></inertial></link>" JOINT("j", "continuous", "w", "a", "")),
                      false);
  double q = 0, M;
  expect_ok(&r);
  mass_matrix(r.m, &q, &M);
  assert_true(fabs(M - 4) < 1e-14); // the default axis is x, where the inertial frame has its y
  drop(&r);
}

static void a_mimic_joint_shares_its_coordinate(void **state) {
  (void)state;
  robot r = read_text(
      ROBOT("<link name='w'/>" LINK("a", "1", LONG) LINK("b", "1", LONG) LINK("c", "1", LONG) JOINT(
          "copy", "revolute", "w", "b",
          "<axis xyz='0 1 0'/><limit lower='-1' upper='1' velocity='4' effort='9'/>"
          "<dynamics damping='1'/><mimic joint='j' multiplier='-2' offset='0.5'/>")
                JOINT("j", "revolute", "w", "a",
                      "<limit lower='-3' upper='3' velocity='3' effort='7'/><dynamics "
                      "damping='2'/>")
                    JOINT("copy2", "continuous", "w", "c",
                          "<axis xyz='0 0 1'/><mimic joint='copy' multiplier='3' offset='1'/>")),
      false);
  expect_ok(&r);
  double q = 0.2, M;
  assert_int_equal(r.m->nq, 1);
  assert_int_equal(r.m->nj, 3);
  assert_string_equal(r.m->name[0], "j");
  mass_matrix(r.m, &q, &M);
  assert_true(fabs(M - (3 + 4 * 4 + 36 * 5)) < 1e-12);
  assert_true(fabs(r.m->damping[0] - (2 + 4 * 1)) < 1e-15);
  assert_true(fabs(r.m->q_min[0] + 0.25) < 1e-15 && fabs(r.m->q_max[0] - 0.75) < 1e-15);
  assert_true(r.m->v_max[0] == 2);
  assert_int_equal(r.m->nu, 1);
  assert_true(r.m->u_max[0] == 7);
  // the copy's angle is -2 q + 0.5, the copy of the copy's 3 (-2 q + 0.5) + 1
  dm_pose b = pose_of(r.m, &q, "b"), c = pose_of(r.m, &q, "c");
  assert_true(fabs(b.x.z + sin(0.1)) < 1e-15);
  assert_true(fabs(c.x.y - sin(1.3)) < 1e-15);
  drop(&r);
}

static void a_planar_joint_has_three_coordinates(void **state) {
  (void)state;
  robot r = read_text(ROBOT("<link name='w'/>" LINK("a", "2", LONG) JOINT(
                          "p", "planar", "w", "a", "<axis xyz='0 0 2'/><dynamics damping='0.5'/>")),
                      false);
  const char *name[] = {"p.x", "p.y", "p.rz"};
  const double q[3] = {1, 2, 0.3}, diagonal[3] = {2, 2, 5};
  double M[9];
  expect_ok(&r);
  assert_int_equal(r.m->nq, 3);
  mass_matrix(r.m, q, M);
  for (int i = 0; i < 3; i++) {
    assert_string_equal(r.m->name[i], name[i]);
    assert_true(fabs(M[4 * i] - diagonal[i]) < 1e-14);
    assert_true(r.m->damping[i] == 0.5);
  }
  dm_pose a = pose_of(r.m, q, "a");
  assert_true(fabs(a.p.x - 1) + fabs(a.p.y - 2) + fabs(a.x.y - sin(0.3)) < 1e-14);
  drop(&r);
}

// Rz Ry Rx: the first column is Rz Ry x = (cos a cos b, sin a cos b, -sin b)
static void expect_rz_ry_rx(const dm_model *m, const char *body, const double *q) {
  dm_pose p = pose_of(m, q, body);
  double a = q[3], b = q[4], c = q[5];
  assert_true(fabs(p.p.x - q[0]) + fabs(p.p.y - q[1]) + fabs(p.p.z - q[2]) < 1e-14);
  assert_true(fabs(p.x.x - cos(a) * cos(b)) + fabs(p.x.y - sin(a) * cos(b)) < 1e-14);
  assert_true(fabs(p.z.z - cos(b) * cos(c)) + fabs(p.y.z - cos(b) * sin(c)) < 1e-14);
}

static void floating_means_three_slides_then_rz_ry_rx(void **state) {
  (void)state;
  const double q[7] = {1, 2, 3, 0.4, 0.5, 0.6, 0};
  robot joint = read_text(
      ROBOT("<link name='w'/>" LINK("a", "2", LONG) JOINT("f", "floating", "w", "a", "")), false);
  expect_ok(&joint);
  const char *name[] = {"f.x", "f.y", "f.z", "f.rz", "f.ry", "f.rx"};
  for (int i = 0; i < 6; i++) assert_string_equal(joint.m->name[i], name[i]);
  expect_rz_ry_rx(joint.m, "a", q);
  robot base = read_text(
      ROBOT(LINK("a", "2", LONG) LINK("b", "1", LONG) JOINT("j", "continuous", "a", "b", "")),
      true);
  expect_ok(&base);
  assert_int_equal(base.m->nq, 7);
  assert_string_equal(base.m->name[0], "base.x");
  assert_string_equal(base.m->name[6], "j");
  expect_rz_ry_rx(base.m, "a", q);
  double M[49];
  mass_matrix(base.m, q, M);
  assert_true(fabs(M[0] - 3) + fabs(M[8] - 3) + fabs(M[16] - 3) < 1e-14);
  drop(&joint);
  drop(&base);
}

// unusual but acceptable values: the sentence, and the remaining limits
static const struct {
  const char *text, *warning;
  double q_min, q_max, v_max;
  int nu;
} strange[] = {
    {ONE_JOINT("<limit lower='-1' upper='2' effort='3' velocity='4'/>"), NULL, -1, 2, 4, 1},
    {ONE_JOINT(""), "r.urdf:3: joint 'j' has no <limit>", -INFINITY, INFINITY, INFINITY, 0},
    {ONE_JOINT("<limit effort='3' velocity='4'/>"), "r.urdf:3: joint 'j' has no lower and upper",
     -INFINITY, INFINITY, 4, 1},
    {ONE_JOINT("<limit upper='2' effort='3' velocity='4'/>"),
     "r.urdf:3: joint 'j' has no lower limit, taken as 0", 0, 2, 4, 1},
    {ONE_JOINT("<limit lower='2' upper='1'/>"), "has lower 2 >= upper 1", -INFINITY, INFINITY,
     INFINITY, 0},
    {ONE_JOINT("<limit lower='0' upper='1' velocity='0' effort='-3'/>"),
     "velocity limit 0, taken as none", 0, 1, INFINITY, 0},
    {ONE_JOINT("<limit lower='0' upper='1' effort='-3'/>"), "effort limit -3, taken as none", 0, 1,
     INFINITY, 0},
    {ONE_JOINT("<limit lower='0' upper='1'/><dynamics friction='2'/>"),
     "friction 2 is not in plans", 0, 1, INFINITY, 0},
    {ONE_JOINT("<limit lower='0' upper='1'/><limit lower='0' upper='2'/>"), "second <limit>", 0, 1,
     INFINITY, 0},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) JOINT(
         "j", "continuous", "w", "a", "<limit lower='0' upper='1' velocity='2' effort='1'/>")),
     "is continuous", -INFINITY, INFINITY, 2, 1},
    {ROBOT("<link name='w'/>" LINK("a", "1", "ixx='1' iyy='1' izz='-1' ixy='0' ixz='0' iyz='0'")
               JOINT("j", "continuous", "w", "a", "")),
     "r.urdf:2: body 'a': its inertia is not positive definite", -INFINITY, INFINITY, INFINITY, 0},
    {ROBOT("<link name='w'/>" LINK("a", "1", "ixx='1' iyy='1' izz='3' ixy='0' ixz='0' iyz='0'")
               JOINT("j", "continuous", "w", "a", "")),
     "violates the triangle inequality", -INFINITY, INFINITY, INFINITY, 0},
    {ROBOT("<link name='w'/>" LINK("a", "1", "ixx='1' iyy='1' izz='1'")
               JOINT("j", "continuous", "w", "a", "")),
     "its inertia has no ixy, taken as 0", -INFINITY, INFINITY, INFINITY, 0},
    {ROBOT("<lnk name='w'/>\n<link name='w'/>" LINK("a", "1", ROUND)
               JOINT("j", "continuous", "w", "a", "")),
     "r.urdf:2: <lnk> in <robot> is not read; did you mean 'link'?", -INFINITY, INFINITY, INFINITY,
     0},
    {ROBOT("<gazebo/><transmission><joint name='x'/></transmission><link name='w'/>" LINK(
         "a", "1", ROUND) JOINT("j", "continuous", "w", "a", "")),
     NULL, -INFINITY, INFINITY, INFINITY, 0},
    {ROBOT("<link name='w'/>" LINK("a", "1", ROUND) LINK("b", "1", ROUND)
               JOINT("j", "revolute", "w", "a", "<limit lower='0' upper='1'/>")
                   JOINT("k", "revolute", "w", "b",
                         "<limit lower='0' upper='1'/><mimic joint='j' multiplier='-1'/>")),
     "joint 'k': its limits contradict those of 'j', which it mimics", 0, 1, INFINITY, 0},
};

static void strange_files_are_warned_about(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
    robot r = read_text(strange[i].text, false);
    expect_ok(&r);
    if (strange[i].warning)
      expect_warning(&r, strange[i].warning);
    else
      assert_int_equal(r.warnings.n, 0);
    assert_true(r.m->q_min[0] == strange[i].q_min && r.m->q_max[0] == strange[i].q_max);
    assert_true(r.m->v_max[0] == strange[i].v_max);
    assert_int_equal(r.m->nu, strange[i].nu);
    drop(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_robots_read),
      cmocka_unit_test(reading_twice_gives_the_same_model),
      cmocka_unit_test(coordinates_stand_depth_first_as_written),
      cmocka_unit_test(fixed_and_massless_links_are_lumped),
      cmocka_unit_test(the_world_need_not_be_declared),
      cmocka_unit_test(odd_declarations_are_read),
      cmocka_unit_test(rotors_are_armatures),
      cmocka_unit_test(screws_turn_and_slide),
      cmocka_unit_test(joints_of_several_turns_are_read),
      cmocka_unit_test(a_density_weighs_collision_shapes),
      cmocka_unit_test(skew_axes_are_made_unit),
      cmocka_unit_test(an_inertial_frame_turns_the_inertia),
      cmocka_unit_test(a_mimic_joint_shares_its_coordinate),
      cmocka_unit_test(a_planar_joint_has_three_coordinates),
      cmocka_unit_test(floating_means_three_slides_then_rz_ry_rx),
      cmocka_unit_test(strange_files_are_warned_about),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
