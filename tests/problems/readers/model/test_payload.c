// What a problem file changes of a robot's: joints locked, payloads, bodies beside a URDF. Each is
// held against the same robot made in another way.
#include "tests/support/robots.h"

#include "lib/discrete/del.h"
#include "lib/multibody/tree_lagrangian.h"

#include <math.h>

// an arm on a planar joint, a finger and its copy, a tool's frame that is fixed
#define AT(xyz, rpy) "<origin xyz='" xyz "' rpy='" rpy "'/>"
#define SKEW                                                                                       \
  "<inertial>" AT("0.1 0.2 0.3", "0.3 0.2 0.1") "<mass value='2'/><inertia " LONG "/></inertial>"
#define ARM(more)                                                                                  \
  ROBOT("<link name='w'/><link name='a'>" SKEW "</link><link name='b'>" SKEW                       \
        "</link><link name='tool'/>" LINK("left", "0.2", ROUND) LINK("right", "0.3", LONG)         \
            JOINT("sh", "continuous", "w", "a", AT("0 0 1", "0.1 0.2 0.3") "<axis xyz='1 2 2'/>")  \
                JOINT("pl", "planar", "a", "b", AT("0.5 0 0", "1 0 0") "<axis xyz='0 0 1'/>")      \
                    JOINT("mount", "fixed", "b", "tool", AT("0 0.3 0.2", "0 0.5 0")) JOINT(        \
                        "finger", "prismatic", "tool", "left",                                     \
                        "<axis xyz='0 3 4'/><limit lower='0' upper='0.5' effort='5'/>")            \
                        JOINT("thumb", "revolute", "tool", "right",                                \
                              AT("0 -0.1 0",                                                       \
                                 "0 0 0") "<axis xyz='1 1 0'/>"                                    \
                                          "<limit lower='-2' upper='0.8' effort='5'/>"             \
                                          "<mimic joint='finger' multiplier='-2' offset='0.4'/>")  \
                            more)

static pb_problem *get(const char *name, const char *text) {
  pb_problem *p;
  dm_message msg = {""};
  if (pb_problem_read(&p, put_file(folder, name, text), &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

// the last configuration of a problem's simulation, which begins at rest
static void simulate(const pb_problem *p, double *q) {
  const dm_system *s = &p->task.system;
  dm_del *del;
  dm_del_info info;
  double mu[16] = {0}, room[16] = {0};
  const int n = s->L.nq;
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  memcpy(q, p->simulate.q, (size_t)n * sizeof *q);
  for (int k = 0; k < p->simulate.steps; k++) {
    double q1[16];
    memcpy(q1, q, (size_t)n * sizeof *q);
    const double *u = p->simulate.u ? p->simulate.u + (size_t)k * (size_t)(s->nu + s->nk) : room;
    assert_int_equal(dm_del_step(del, q, mu, u, p->simulate.h, q1, mu, &info), DM_OK);
    memcpy(q, q1, (size_t)n * sizeof *q);
  }
  dm_del_free(del);
}

// both robots' kinetic energy, potential energy and their derivatives, where names agree
static void expect_same_robot(const dm_model *a, const dm_model *b) {
  assert_int_equal(a->nq, b->nq);
  const dm_model *m[2] = {a, b};
  double q[16], v[16], value[2][16 * 3 + 3 * 256];
  for (int i = 0; i < a->nq; i++) {
    q[i] = 0.3 + 0.2 * i;
    v[i] = 1 - 0.4 * i;
    assert_string_equal(a->name[i], b->name[i]);
  }
  int n = a->nq;
  for (int k = 0; k < 2; k++) {
    dm_lagrangian L = dm_tree_lagrangian(m[k]);
    void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
    double *x = value[k];
    dm_jet jet = {.L_q = x,
                  .L_v = x + n,
                  .L_qq = x + 2 * n,
                  .L_qv = x + 2 * n + n * n,
                  .L_vv = x + 2 * n + 2 * n * n};
    assert_int_equal(L.eval(L.self, scratch, 2, q, v, &jet), DM_OK);
    free(scratch);
  }
  for (int i = 0; i < 2 * n + 3 * n * n; i++)
    assert_true(fabs(value[0][i] - value[1][i]) < 1e-12 * (1 + fabs(value[0][i])));
  assert_true(fabs(mass_of(a) - mass_of(b)) < 1e-13);
}

// locked in the tree, or prescribed to stay: the same motion of all else
static void a_locked_joint_moves_as_one_that_is_held(void **state) {
  (void)state;
  static const struct {
    const char *joint;
    double value;
    int at;
  } rows[] = {{"finger", 0.2, 4}, {"pl.y", -0.3, 2}, {"pl.rz", 0.7, 3}, {"sh", -1.1, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[700], start[160];
    snprintf(start, sizeof start, "start: {q: {%s: %g}, v: 0}", rows[i].joint, rows[i].value);
    put_file(folder, "a.urdf", ARM(""));
    snprintf(text, sizeof text,
             "model: {urdf: a.urdf, kinematic: [%s]}\ninputs: []\n"
             "simulate: {steps: 40, time: 0.4, %s}\n",
             rows[i].joint, start);
    pb_problem *held = get("held.yaml", text);
    snprintf(text, sizeof text,
             "model: {urdf: a.urdf, lock: {%s: %g}}\ninputs: []\n"
             "simulate: {steps: 40, time: 0.4}\n",
             rows[i].joint, rows[i].value);
    pb_problem *locked = get("locked.yaml", text);
    assert_int_equal(held->model->nq, 5);
    assert_int_equal(locked->model->nq, 4);
    assert_true(fabs(mass_of(held->robot.mechanism.tree) - mass_of(locked->robot.mechanism.tree)) <
                1e-14);

    double a[16], b[16], moved = 0;
    simulate(held, a);
    simulate(locked, b);
    assert_true(fabs(a[rows[i].at] - rows[i].value) < 1e-14);
    for (int k = 0; k < 4; k++) {
      double want = a[k < rows[i].at ? k : k + 1];
      moved += fabs(want);
      assert_true(fabs(b[k] - want) < 1e-11);
    }
    assert_true(moved > 0.1);
    pb_problem_free(held);
    pb_problem_free(locked);
  }
}

// a motor on a joint that stands still has nothing to do
static void a_locked_joint_has_no_input(void **state) {
  (void)state;
  put_file(folder, "a.urdf", ARM(""));
  pb_problem *p = get("p.yaml", "model: {urdf: a.urdf, lock: {finger: 0.2}}\n"
                                "simulate: {steps: 1, time: 0.1}\n");
  assert_int_equal(p->model->nu, 0);
  assert_null(p->robot.urdf); // another engine would move the whole robot
  pb_problem_free(p);
}

// a payload on a fixed frame, and the same as a link of the robot's file
static void a_payload_is_a_link_that_is_fixed(void **state) {
  (void)state;
  put_file(folder, "a.urdf", ARM(""));
  put_file(folder, "edited.urdf",
           ARM("<link name='load'><inertial>" AT(
               "0.1 -0.2 0.3",
               "0 0 0") "<mass value='1.5'/>"
                        "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0.01' ixz='0' iyz='-0.02'/>"
                        "</inertial></link>" JOINT("grip", "fixed", "tool", "load",
                                                   AT("0.4 0.5 0.6", "0.7 0.8 0.9"))));
  pb_problem *p = get("p.yaml", "model:\n  urdf: a.urdf\n"
                                "  payload: {body: tool, mass: 1.5, centre: [0.1, -0.2, 0.3],\n"
                                "    inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, yz: -0.02},\n"
                                "    offset: {xyz: [0.4, 0.5, 0.6], rpy: [0.7, 0.8, 0.9]}}\n"
                                "simulate: {steps: 1, time: 0.1}\n");
  robot edited = read_path(put_file(folder, "e.yaml",
                                    "model: {urdf: edited.urdf}\n"
                                    "simulate: {steps: 1, time: 0.1}\n"),
                           false);
  assert_int_equal(edited.status, DM_OK);
  expect_same_robot(edited.m, p->model);
  assert_true(dm_model_body(p->model, "tool.payload") >= 0);
  pb_problem_free(p);

  // two of half the mass make one; the first needs a name of its own
  p = get("p.yaml", "model:\n  urdf: a.urdf\n"
                    "  payload:\n"
                    "    - {name: half, body: tool, mass: 0.75, centre: [0.1, -0.2, 0.3],\n"
                    "       inertia: {xx: 0.05, yy: 0.1, zz: 0.125, xy: 0.005, yz: -0.01},\n"
                    "       offset: {xyz: [0.4, 0.5, 0.6], rpy: [0.7, 0.8, 0.9]}}\n"
                    "    - {body: tool, mass: 0.75, centre: [0.1, -0.2, 0.3],\n"
                    "       inertia: {xx: 0.05, yy: 0.1, zz: 0.125, xy: 0.005, yz: -0.01},\n"
                    "       offset: {xyz: [0.4, 0.5, 0.6], rpy: [0.7, 0.8, 0.9]}}\n"
                    "simulate: {steps: 1, time: 0.1}\n");
  expect_same_robot(edited.m, p->model);
  pb_problem_free(p);
  drop(&edited);
}

// a body on a link, and the same as a link of the robot's file
static void a_body_beside_a_urdf_is_a_link_of_it(void **state) {
  (void)state;
  put_file(folder, "a.urdf", ARM(""));
  put_file(folder, "edited.urdf",
           ARM("<link name='bob'><inertial>" AT(
               "0 0 -0.4", "0 0 0") "<mass value='0.7'/>"
                                    "<inertia ixx='0.1' iyy='0.1' izz='0.01' ixy='0' ixz='0' "
                                    "iyz='0'/></inertial></link>" JOINT(
                                        "swing", "continuous", "tool", "bob",
                                        AT("0.1 0 0.2", "0 0.3 0") "<axis xyz='0 1 0'/>")));
  pb_problem *p = get("p.yaml", "model:\n  urdf: a.urdf\n  bodies:\n"
                                "    - {name: bob, parent: tool, mass: 0.7, centre: [0, 0, -0.4],\n"
                                "       inertia: [0.1, 0.1, 0.01],\n"
                                "       offset: {xyz: [0.1, 0, 0.2], rpy: [0, 0.3, 0]},\n"
                                "       joints: [{name: swing, type: ry}]}\n"
                                "simulate: {steps: 1, time: 0.1}\n");
  robot edited = read_path(put_file(folder, "e.yaml",
                                    "model: {urdf: edited.urdf}\n"
                                    "simulate: {steps: 1, time: 0.1}\n"),
                           false);
  assert_int_equal(edited.status, DM_OK);
  expect_same_robot(edited.m, p->model);
  drop(&edited);
  pb_problem_free(p);
}

// errors, and their sentences
static const struct {
  const char *model, *message;
} wrong[] = {
    {"lock: {fingr: 0.1}", ":2:9: model.lock: found the unknown joint 'fingr', expected one of sh, "
                           "pl.x, pl.y, pl.rz, finger, thumb; did you mean 'finger'?"},
    {"lock: {finger: 0.7}",
     ":2:17: model.lock.finger: found 0.7, expected a value within its limits [0, 0.5]"},
    {"lock: {finger: 0.5, thumb: 0}",
     ":2:22: model.lock: found 'thumb', which follows 'finger', expected that one"},
    {"lock: {sh: 0}\n  kinematic: [sh]", "found 'sh', which"},
    {"lock: {finger: nan}", ":2:17: model.lock.finger: found 'nan', expected a finite number"},
    {"lock: {finger: 0, finger: 0}", ":2:20: found the key 'finger' a second time"},
    {"lock: {finger: [0]}", ":2:17: model.lock.finger: found a list of 1, expected a number"},
    {"lock: 0", ":2:8: model.lock: found '0', expected a mapping: joint: value"},
    {"lock: [finger]", ":2:8: model.lock: found a list of 1, expected a mapping: joint: value"},
    {"lock: {finger: 0.1}\n  kinematic: [finger]",
     ":3:15: model.kinematic[]: found 'finger', which model.lock fixes, expected a "
     "coordinate that moves"},
    {"lock: {finger: 0.1}\n  damping: {thumb: 1}",
     ":3:13: model.damping: found 'thumb', which model.lock fixes, expected a joint that "
     "moves"},
    {"lock: {finger: 0.1}\n  springs: [{name: s, joint: finger, stiffness: 1}]",
     "found 'finger', which model.lock fixes"},
    {"lock: {sh: 0, pl.x: 0, pl.y: 0, pl.rz: 0, finger: 0.1}",
     ":2:8: model.lock: found every joint locked, expected one that moves"},
    {"payload: {body: hand, mass: 1}", ":2:18: model.payload.body: found 'hand', expected a body "
                                       "or link of the robot; there are "},
    {"payload: {body: tol, mass: 1}", "did you mean 'tool'?"},
    {"payload: {body: world, mass: 1}", ":2:18: model.payload.body: found 'world'"},
    {"payload: {body: tool}", ":2:11: model.payload: found no 'mass', expected one"},
    {"payload: {body: tool, mass: 0}", ":2:30: model.payload.mass: found '0', expected a number > "
                                       "0"},
    {"payload: {body: tool, mass: 1, center: [0, 0, 0]}",
     ":2:33: model.payload: found the unknown key 'center', expected one of body, mass, centre, "
     "inertia, offset, name; did you mean 'centre'?"},
    {"payload: {body: tool, mass: 1, inertia: 3}",
     ":2:42: model.payload.inertia: found '3', expected [xx, yy, zz], or a mapping of xx, yy, zz, "
     "xy, xz, yz"},
    {"payload: [{body: tool, mass: 1}, {body: tool, mass: 1}]",
     ":2:35: found a second body named 'tool.payload', expected every name once"},
    {"bodies: [{name: tool, mass: 1}]",
     ":2:18: found a second body named 'tool', expected every name once"},
    {"bodies: [{name: bob, parent: tol, mass: 1}]",
     ":2:31: model.bodies[].parent: found 'tol', expected world or a body that stands before; did "
     "you mean 'tool'?"},
    {"bodies: [{name: bob, parent: tool, mass: 1, joints: [{name: sh, type: rx}]}]",
     "found a second joint named 'sh', expected every name once"},
    {"bodies: [{name: bob, parent: tool, joints: [rx]}]",
     "p.yaml:2:46: coordinate 'bob' moves no inertia of its own"},
};

static void what_is_wrong_is_named_with_its_place(void **state) {
  (void)state;
  int failed = 0;
  put_file(folder, "a.urdf", ARM(""));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[600];
    pb_problem *p;
    dm_message msg = {""};
    snprintf(text, sizeof text, "model: {urdf: a.urdf,\n %s}\nsimulate: {steps: 1, time: 1}\n",
             wrong[i].model);
    if (strchr(wrong[i].model, '\n'))
      snprintf(text, sizeof text, "model:\n  %s\n  urdf: a.urdf\nsimulate: {steps: 1, time: 1}\n",
               wrong[i].model);
    dm_status s = pb_problem_read(&p, put_file(folder, "p.yaml", text), &msg);
    if (s != DM_BAD_INPUT || !strstr(msg.text, wrong[i].message)) {
      print_message("got    %d %s\nwanted %s\nfor %s\n", s, msg.text, wrong[i].message,
                    wrong[i].model);
      failed++;
    }
  }
  assert_int_equal(failed, 0);
}

// a sentence about a joint of the robot's file is one of that file, whatever file names it
static void a_place_is_in_the_file_it_stands_in(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  put_file(folder, "weak.urdf",
           ROBOT("<link name='w'/><link name='a'/>\n" JOINT("j", "continuous", "w", "a", "")));
  put_file(folder, "p.yaml", "model: {urdf: weak.urdf}\nsimulate: {steps: 1, time: 1}\n");
  char path[600];
  snprintf(path, sizeof path, "%s/p.yaml", folder);
  assert_int_equal(pb_problem_read(&p, path, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "weak.urdf:3: coordinate 'j' moves no inertia"));
}

static int clean(void **state) {
  static const char *const names[] = {"a.urdf", "edited.urdf", "weak.urdf",  "p.yaml",
                                      "e.yaml", "held.yaml",   "locked.yaml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_locked_joint_moves_as_one_that_is_held),
      cmocka_unit_test(a_locked_joint_has_no_input),
      cmocka_unit_test(a_payload_is_a_link_that_is_fixed),
      cmocka_unit_test(a_body_beside_a_urdf_is_a_link_of_it),
      cmocka_unit_test(what_is_wrong_is_named_with_its_place),
      cmocka_unit_test(a_place_is_in_the_file_it_stands_in),
  };
  return cmocka_run_group_tests(tests, open_folder, clean);
}
