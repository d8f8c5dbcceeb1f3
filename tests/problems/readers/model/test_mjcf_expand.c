// Elements of MuJoCo's XML that MuJoCo 2.2.2 does not have, or that say in short what others say: each is
// read beside a file that says the same without it. Both are one robot.
#include "tests/support/equations.h"
#include "tests/support/models.h"
#include "tests/support/robots.h"

#include <math.h>

#define WORLD(parts) "<mujoco>" parts "</mujoco>"
#define IN(parts)    "<mujoco><worldbody>" parts "</worldbody></mujoco>"
#define MASS         "<inertial pos='0.1 0.2 -0.3' mass='2' diaginertia='0.1 0.2 0.15'/>"

// files beside r.urdf, for <include> and <attach>
static const struct {
  const char *name, *text;
} beside[] = {
    {"joint.xml", "<anything><joint name='j' axis='0 1 0.5'/></anything>"},
    {"body.xml",
     "<mujocoinclude><body name='a'><include file='joint.xml'/>" MASS "</body></mujocoinclude>"},
    {"classes.xml", "<mujoco><default><joint damping='0.3'/></default></mujoco>"},
    {"arm.xml",
     "<mujoco><compiler angle='radian'/><default><joint damping='0.2'/>"
     "<default class='heavy'><geom density='5000'/></default></default>"
     "<worldbody><body name='link' pos='0 0 0.4' euler='0.3 0 0'><joint name='k' axis='1 0 0' "
     "range='-2 2'/>"
     "<geom size='0.1' class='heavy'/><body name='end' pos='0 0 0.5'><joint name='l' axis='0 1 0'/>"
     "<geom size='0.1'/></body></body><body name='other'><joint name='m'/><geom "
     "size='0.1'/></body></worldbody>"
     "<tendon><fixed name='t' stiffness='3' springlength='0.1'><joint joint='k' "
     "coef='0.5'/></fixed>"
     "<fixed name='u' stiffness='4'><joint joint='m' coef='0.5'/></fixed></tendon>"
     "<actuator><motor joint='l' ctrlrange='-1 3'/><motor joint='m' ctrlrange='-1 "
     "1'/></actuator></mujoco>"},
};

static const struct {
  const char *text, *plain;
} row[] = {
    // included files, one in another
    {WORLD("<include file='classes.xml'/><worldbody><include file='body.xml'/></worldbody>"),
     IN("<body name='a'><joint name='j' axis='0 1 0.5' damping='0.3'/>" MASS "</body>")},
    // frames, of bodies, joints, geoms and other frames, with a class
    {IN("<frame pos='1 2 3'><frame euler='0 0 90'><body name='a' pos='1 0 0'><joint name='j' "
        "axis='1 0 0'/>" MASS "</body></frame></frame>"),
     IN("<body name='a' pos='1 3 3' euler='0 0 90'><joint name='j' axis='1 0 0'/>" MASS "</body>")},
    {IN("<body name='a'><frame pos='0 0 1' euler='0 0 90'><joint name='j' axis='1 0 0' pos='0 0 "
        "0.5'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='1 0 0'/></frame></body>"),
     IN("<body name='a'><joint name='j' axis='0 1 0' pos='0 0 1.5'/>"
        "<geom type='box' size='0.1 0.2 0.3' pos='0 1 1' euler='0 0 90'/></body>")},
    {WORLD("<default><default class='c'><joint damping='2'/></default></default><worldbody>"
           "<frame childclass='c'><body name='a'><joint name='j'/>" MASS
           "</body></frame></worldbody>"),
     IN("<body name='a'><joint name='j' damping='2'/>" MASS "</body>")},
    {IN("<body name='a'><joint name='j'/><frame pos='0 0 1'><geom type='capsule' size='0.1' "
        "fromto='0 0 0 1 0 0'/>"
        "</frame></body>"),
     IN("<body name='a'><joint name='j'/><geom type='capsule' size='0.1' fromto='0 0 1 1 0 "
        "1'/></body>")},
    // replicas, in a row and turned about, with their motors; two in one another
    {WORLD("<worldbody><replicate count='2' offset='0 1 0' euler='0 0 90'>"
           "<body name='a' pos='1 0 0'><joint name='j' axis='0 1 0'/>" MASS
           "</body></replicate></worldbody>"
           "<actuator><motor name='m' joint='j' ctrlrange='-1 2'/></actuator>"),
     WORLD("<worldbody><body name='a0' pos='1 0 0'><joint name='j0' axis='0 1 0'/>" MASS "</body>"
           "<body name='a1' pos='0 2 0' euler='0 0 90'><joint name='j1' axis='0 1 0'/>" MASS
           "</body></worldbody>"
           "<actuator><motor joint='j0' ctrlrange='-1 2'/><motor joint='j1' ctrlrange='-1 "
           "2'/></actuator>")},
    {IN("<replicate count='2' sep='_' offset='0 1 0'><replicate count='2' sep='-' offset='1 0 0'>"
        "<body name='a'><joint name='j'/>" MASS "</body></replicate></replicate>"),
     IN("<body name='a-0_0'><joint name='j-0_0'/>" MASS "</body>"
        "<body name='a-1_0' pos='1 0 0'><joint name='j-1_0'/>" MASS "</body>"
        "<body name='a-0_1' pos='0 1 0'><joint name='j-0_1'/>" MASS "</body>"
        "<body name='a-1_1' pos='1 1 0'><joint name='j-1_1'/>" MASS "</body>")},
    // a body of another file, in its own units and classes, with the elements that refer to it alone
    {WORLD("<compiler angle='degree'/><asset><model name='m' file='arm.xml'/></asset><worldbody>"
           "<body name='a'><joint name='j'/>" MASS
           "<frame pos='0 1 0'><attach model='m' body='link' "
           "prefix='p/'/></frame></body></worldbody>"),
     WORLD("<compiler angle='radian'/><worldbody><body name='a'><joint name='j'/>" MASS
           "<body name='p/link' pos='0 1 0.4' euler='0.3 0 0'><joint name='p/k' axis='1 0 0' "
           "range='-2 2' damping='0.2'/>"
           "<geom size='0.1' density='5000'/><body name='p/end' pos='0 0 0.5'>"
           "<joint name='p/l' axis='0 1 0' damping='0.2'/><geom "
           "size='0.1'/></body></body></body></worldbody>"
           "<tendon><fixed name='p/t' stiffness='3' springlength='0.1'><joint joint='p/k' "
           "coef='0.5'/></fixed></tendon>"
           "<actuator><motor joint='p/l' ctrlrange='-1 3'/></actuator>")},
    // a body of the same file once more
    {IN("<body name='a'><joint name='j' axis='0 1 0'/>" MASS "</body>"
        "<frame pos='0 3 0'><attach body='a' prefix='b-'/></frame>"),
     IN("<body name='a'><joint name='j' axis='0 1 0'/>" MASS "</body>"
        "<body name='b-a' pos='0 3 0'><joint name='b-j' axis='0 1 0'/>" MASS "</body>")},
    // names of different kinds do not meet
    {IN("<body name='arm'><joint name='arm'/>" MASS "<site name='wrist' pos='0 0 1'/>"
        "<body name='wrist' pos='0 0 1'><joint name='k'/>" MASS "</body></body>"),
     IN("<body name='arm'><joint name='arm'/>" MASS "<site name='wrist/site' pos='0 0 1'/>"
        "<body name='wrist' pos='0 0 1'><joint name='k'/>" MASS "</body></body>")},
    // the frame of a body that floats alone becomes that of its inertia; not if it carries another
    {IN("<body name='a' pos='0 0 1'><freejoint align='true'/><geom type='box' size='0.1 0.2 0.3' "
        "pos='0.5 0 0' euler='0 0 90'/></body>"),
     IN("<body name='a' pos='0.5 0 1' euler='0 0 90'><freejoint/><geom type='box' size='0.1 0.2 "
        "0.3'/></body>")},
    {WORLD("<compiler alignfree='true'/><worldbody><body name='a' pos='0 0 1'><freejoint/><geom "
           "type='box' size='0.1 0.2 0.3' pos='0.5 0 0'/></body></worldbody>"),
     IN("<body name='a' pos='0.5 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body>")},
    {IN("<body name='a' pos='0 0 1'><freejoint align='true'/>" MASS
        "<body name='b'><joint name='k'/>" MASS "</body></body>"),
     IN("<body name='a' pos='0 0 1'><freejoint/>" MASS "<body name='b'><joint name='k'/>" MASS
        "</body></body>")},
    // an element with a share of a weight leaves the rest
    {IN("<body name='a' gravcomp='0.4'><joint name='j' axis='0 1 0'/>" MASS "</body>"),
     WORLD("<option gravity='0 0 -5.886'/><worldbody><body name='a'><joint name='j' axis='0 1 "
           "0'/>" MASS "</body></worldbody>")},
    // a time constant and a ratio of damping are stiffness J / (T z)^2 and damping 2 J / T, J = 0.28
    {IN("<body name='a'><joint name='j' axis='0 1 0' springdamper='0.5 0.8'/><inertial pos='0 0 "
        "-0.3' mass='2' diaginertia='0.1 0.1 0.1'/></body>"),
     IN("<body name='a'><joint name='j' axis='0 1 0' stiffness='1.75' damping='1.12'/><inertial "
        "pos='0 0 -0.3' mass='2' diaginertia='0.1 0.1 0.1'/></body>")},
    // all masses are scaled to a sum
    {WORLD("<compiler settotalmass='8'/><worldbody><body name='a'><joint name='j'/>" MASS
           "<body name='b'><joint name='k' axis='1 0 0'/>" MASS "</body></body></worldbody>"),
     IN("<body name='a'><joint name='j'/><inertial pos='0.1 0.2 -0.3' mass='4' diaginertia='0.2 "
        "0.4 "
        "0.3'/><body name='b'><joint name='k' axis='1 0 0'/><inertial pos='0.1 0.2 -0.3' mass='4' "
        "diaginertia='0.2 0.4 0.3'/></body></body>")},
    // a mesh of points alone weighs as its convex hull
    {WORLD("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1'/></asset><worldbody>"
           "<body name='a'><joint name='j'/><geom type='mesh' mesh='m'/></body></worldbody>"),
     WORLD("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
           "</asset><worldbody><body name='a'><joint name='j'/><geom type='mesh' mesh='m'/></body>"
           "</worldbody>")},
};

enum { ROWS = sizeof row / sizeof *row, BESIDE = sizeof beside / sizeof *beside, MOST = 16 };

// names, ranges, and the equations of motion at some states
static void compare(int number, const pb_robot *a, const pb_robot *b) {
  const dm_model *m = a->mechanism.model, *o = b->mechanism.model;
  uint64_t r = 3;
  if (m->nq != o->nq || m->nu != o->nu || m->nbody != o->nbody)
    fail_msg("row %d: %d coordinates, %d inputs, %d bodies, not %d, %d, %d", number, m->nq, m->nu,
             m->nbody, o->nq, o->nu, o->nbody);
  for (int i = 0; i < m->nq; i++) {
    assert_string_equal(m->name[i], o->name[i]);
    assert_true(m->q_min[i] == o->q_min[i] && m->q_max[i] == o->q_max[i]);
  }
  for (int i = 0; i < m->nbody; i++) assert_string_equal(m->body_name[i], o->body_name[i]);
  for (int i = 0; i < m->nu; i++) {
    assert_string_equal(m->input_name[i], o->input_name[i]);
    assert_true(m->u_min[i] == o->u_min[i] && m->u_max[i] == o->u_max[i]);
  }
  equations x = equations_open(a), y = equations_open(b);
  for (int sample = 0; sample < 3; sample++) {
    double q[MOST], v[MOST], M[2][MOST * MOST], f[2][MOST];
    for (int i = 0; i < m->nq; i++) {
      q[i] = models_random(&r);
      v[i] = models_random(&r);
    }
    assert_int_equal(equations_at(&x, q, v, M[0], f[0]), DM_OK);
    assert_int_equal(equations_at(&y, q, v, M[1], f[1]), DM_OK);
    for (int i = 0; i < x.n; i++) { // of turns, not of quaternions
      assert_close(f[0][i], f[1][i], 1e-12);
      for (int j = 0; j < x.n; j++) assert_close(M[0][i * x.n + j], M[1][i * x.n + j], 1e-12);
    }
  }
  equations_close(&x), equations_close(&y);
}

static void both_files_are_one_robot(void **state) {
  (void)state;
  for (int i = 0; i < BESIDE; i++) put_file(folder, beside[i].name, beside[i].text);
  for (int i = 0; i < ROWS; i++) {
    robot a = read_text(row[i].text, false);
    if (a.status != DM_OK) fail_msg("row %d: %s", i, a.msg.text);
    if (a.warnings.n) fail_msg("row %d: %s", i, a.warnings.text[0]);
    robot b = read_text(row[i].plain, false);
    if (b.status != DM_OK) fail_msg("row %d, plain: %s", i, b.msg.text);
    compare(i, &a.robot, &b.robot);
    drop(&a), drop(&b);
  }
  for (int i = 0; i < BESIDE; i++) unlink(put_file(folder, beside[i].name, ""));
}

// a fault in an included file is said with that file and its line
static void faults_are_told_where_they_are(void **state) {
  (void)state;
  put_file(folder, "inner.xml", "<mujoco>\n<body name='a'>\n<joint axis='0 0 0'/></body></mujoco>");
  robot r = read_text(IN("<include file='inner.xml'/>"), false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  if (!strstr(r.msg.text, "inner.xml:3: ")) fail_msg("%s", r.msg.text);
  drop(&r);
  put_file(folder, "inner.xml", "<mujoco>\n<worldbody>\n<body nme='a'/></worldbody></mujoco>");
  r = read_text(WORLD("<asset><model name='m' file='inner.xml'/></asset><worldbody><attach "
                      "model='m' prefix='x'/>"
                      "<body><joint/>" MASS "</body></worldbody>"),
                false);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_true(
      warned(&r, "inner.xml:3: <body>: its attribute 'nme' is not read; did you mean 'name'?"));
  drop(&r);
  unlink(put_file(folder, "inner.xml", ""));
}

// a file with its included files, each named by `next`; the last one has none
static void put_chain(int n, bool circle) {
  for (int i = 0; i < n; i++) {
    char name[40], text[200];
    snprintf(name, sizeof name, "level%d.xml", i);
    if (i + 1 < n || circle)
      snprintf(text, sizeof text, "<mujoco><include file='level%d.xml'/></mujoco>", (i + 1) % n);
    else
      snprintf(text, sizeof text,
               "<mujoco><body name='a'><joint name='j'/>" MASS "</body></mujoco>");
    put_file(folder, name, text);
  }
}

// a file is one by any way to it
static void put_detours(const char *other) {
  char text[300];
  put_file(folder, "inner.xml", "<mujoco><include file='body.xml'/></mujoco>");
  put_file(folder, "body.xml", "<mujoco><body name='a'><joint name='j'/>" MASS "</body></mujoco>");
  snprintf(text, sizeof text,
           "<mujoco><worldbody><include file='./x/..//inner.xml'/>%s</worldbody></mujoco>", other);
  put_file(folder, "r.urdf", text);
}

static void a_file_has_one_name(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/r.urdf", folder);
  static const char *const again[] = {"inner.xml", "./inner.xml", "x/../inner.xml",
                                      "x/y/../.././/inner.xml"};
  put_detours("");
  robot r = read_path(path, false);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  drop(&r);
  for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
    char other[100];
    snprintf(other, sizeof other, "<include file='%s'/>", again[i]);
    put_detours(other);
    r = read_path(path, false);
    if (r.status != DM_BAD_INPUT || !strstr(r.msg.text, "inner.xml' a second time"))
      fail_msg("%s: %s", again[i], r.msg.text);
    drop(&r);
  }

  // a path out of the folder is unchanged
  put_detours("<include file='x/../../gone/../none.xml'/>");
  r = read_path(path, false);
  if (!strstr(r.msg.text, "found file=\"x/../../gone/../none.xml\", which cannot be read"))
    fail_msg("%s", r.msg.text);
  drop(&r);
  unlink(put_file(folder, "inner.xml", ""));
  unlink(put_file(folder, "body.xml", ""));
}

static void includes_end(void **state) {
  (void)state;
  static const struct {
    int levels;
    bool circle;
    const char *message; // NULL: it is read
  } chain[] = {{1, true, "level0.xml' a second time"},
               {5, true, "level0.xml' a second time"},
               {100, false, NULL},
               {200, false, "found files 129 deep in one another, expected at most 128"}};
  for (int i = 0; i < 4; i++) {
    put_chain(chain[i].levels, chain[i].circle);
    robot r = read_text(IN("<include file='level0.xml'/>"), false);
    if (chain[i].message && (r.status != DM_BAD_INPUT || !strstr(r.msg.text, chain[i].message)))
      fail_msg("chain %d: %s", i, r.msg.text);
    if (!chain[i].message && r.status != DM_OK) fail_msg("chain %d: %s", i, r.msg.text);
    drop(&r);
  }
  for (int i = 0; i < 200; i++) {
    char name[40];
    snprintf(name, sizeof name, "level%d.xml", i);
    unlink(put_file(folder, name, ""));
  }

  // a model that attaches itself comes to an end
  put_file(folder, "self.xml",
           WORLD("<asset><model name='m' file='self.xml'/></asset><worldbody><attach model='m' "
                 "prefix='x'/></worldbody>"));
  robot r = read_path(put_file(folder, "self.xml",
                               WORLD("<asset><model name='m' file='self.xml'/></asset>"
                                     "<worldbody><attach model='m' prefix='x'/></worldbody>")),
                      false);
  assert_int_equal(r.status, DM_BAD_INPUT);
  if (!strstr(r.msg.text, "found files 17 deep in one another")) fail_msg("%s", r.msg.text);
  drop(&r);
  unlink(put_file(folder, "self.xml", ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_files_are_one_robot),
      cmocka_unit_test(faults_are_told_where_they_are),
      cmocka_unit_test(a_file_has_one_name),
      cmocka_unit_test(includes_end),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
