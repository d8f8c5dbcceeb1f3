// Motors with gears, rotors and springs: each is compared with the bodies that it stands for, with
// the equations of an arm with elastic joints, or with the same line in another form.
#include "tests/support/robots.h"

#include "lib/mechanics/continuous.h"

#include <math.h>

// a spatial arm, so that rotors feel their parents; MORE follows its bodies
#define ARM(more)                                                                                  \
  "model:\n"                                                                                       \
  "  bodies:\n"                                                                                    \
  "    - {name: base, joints: [{name: yaw, rotate: [0.2, 0.1, 1]}], mass: 2, centre: [0.1, 0, "    \
  "0],\n"                                                                                          \
  "       inertia: [0.1, 0.2, 0.15]}\n"                                                            \
  "    - {name: upper, parent: base, offset: {xyz: [0.1, 0, 0.2], rpy: [0.3, 0, 0.1]},\n"          \
  "       joints: [{name: shoulder, type: ry}], mass: 1, centre: [0, 0.02, -0.2],\n"               \
  "       inertia: [0.03, 0.03, 0.01]}\n"                                                          \
  "    - {name: lower, parent: upper, offset: {xyz: [0, 0, -0.4]},\n"                              \
  "       joints: [{name: elbow, rotate: [0, 1, 1]}], mass: 0.6, centre: [0, 0, -0.2],\n"          \
  "       inertia: [0.02, 0.02, 0.01]}\n" more

static pb_problem *get(const char *name, const char *text) {
  pb_problem *p;
  dm_message msg = {""};
  if (pb_problem_read(&p, put_file(folder, name, text), &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

// the acceleration at a state, zero for the coordinates that it does not give
static void accelerate(const pb_problem *p, const double *q, const double *v, const double *u,
                       double *a) {
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &p->task.system), DM_OK);
  assert_int_equal(dm_acceleration(c, q, v, u, a), DM_OK);
  dm_continuous_free(c);
}

#define RUN "simulate: {steps: 1, time: 0.01}\n"

static const double q0[] = {0.3, -0.5, 0.8}, v0[] = {1.1, -0.7, 2}, u0[] = {1.5, -0.4};

// two rotors on the joints' parents, tied to the joints by constraints: lambda carries the gears
static void a_rotor_with_reaction_is_a_body_tied_by_a_gear(void **state) {
  (void)state;
  pb_problem *drive =
      get("drive.yaml",
          ARM("  drives:\n"
              "    - {joint: shoulder, gear: 30, rotor: 3e-4, reaction: true}\n"
              "    - {joint: elbow, gear: -20, rotor: 2e-4, reaction: true, axis: [1, 0, 1]}\n"
              "inputs: [{joint: shoulder}, {joint: elbow}]\n") RUN);
  pb_problem *tied =
      get("tied.yaml",
          ARM("    - {name: r1, parent: base, offset: {xyz: [0.1, 0, 0.2], rpy: [0.3, 0, 0.1]},\n"
              "       joints: [ry], inertia: [0, 3e-4, 0]}\n"
              "    - {name: r2, parent: upper, offset: {xyz: [0, 0, -0.4]},\n"
              "       joints: [{rotate: [1, 0, 1]}], inertia: {xx: 1e-4, zz: 1e-4, xz: 1e-4}}\n"
              "  constraints:\n"
              "    - {name: g1, type: equal, coordinates: [r1, shoulder], ratio: 30}\n"
              "    - {name: g2, type: equal, coordinates: [r2, elbow], ratio: -20}\n"
              "inputs: [{joint: shoulder}, {joint: elbow}]\n") RUN);
  const double q[] = {q0[0], q0[1], q0[2], 30 * q0[1], -20 * q0[2]};
  const double v[] = {v0[0], v0[1], v0[2], 30 * v0[1], -20 * v0[2]};
  double a[3], b[5];
  assert_int_equal(drive->model->nq, 3);
  accelerate(drive, q0, v0, u0, a);
  accelerate(tied, q, v, u0, b);
  for (int i = 0; i < 3; i++) assert_true(fabs(a[i] - b[i]) < 1e-12 * (1 + fabs(b[i])));

  // it differs from an armature by the parent's rotation
  pb_problem *plain = get("plain.yaml", ARM("  drives:\n"
                                            "    - {joint: shoulder, gear: 30, rotor: 3e-4}\n"
                                            "    - {joint: elbow, gear: -20, rotor: 2e-4}\n"
                                            "inputs: [{joint: shoulder}, {joint: elbow}]\n") RUN);
  accelerate(plain, q0, v0, u0, b);
  assert_true(fabs(a[1] - b[1]) > 1e-3);
  pb_problem_free(drive);
  pb_problem_free(tied);
  pb_problem_free(plain);
}

static void a_rotor_without_reaction_is_an_armature(void **state) {
  (void)state;
  static const char *const drives[] = {"{joint: elbow, gear: 20, rotor: 2e-4}",
                                       "{joint: elbow, gear: -20, rotor: 0.08, side: joint}"};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
    char text[2000];
    snprintf(text, sizeof text, ARM("  armature: {elbow: 0.08}\ninputs: [{joint: elbow}]\n%s"),
             RUN);
    pb_problem *want = get("want.yaml", text);
    snprintf(text, sizeof text, ARM("  drives: [%s]\ninputs: [{joint: elbow}]\n%s"), drives[i],
             RUN);
    pb_problem *p = get("p.yaml", text);
    double a[3], b[3];
    accelerate(p, q0, v0, u0, a);
    accelerate(want, q0, v0, u0, b);
    for (int k = 0; k < 3; k++) assert_true(fabs(a[k] - b[k]) < 1e-13);
    pb_problem_free(p);
    pb_problem_free(want);
  }
}

// M a = f + k (motor - joint) + d (motor' - joint') on the joint, J a_motor = u - the same
static void a_series_spring_gives_the_equations_of_elastic_joints(void **state) {
  (void)state;
  const double k = 40, d = 0.3, J = 20 * 20 * 2e-4;
  pb_problem *rigid = get("rigid.yaml", ARM("inputs: [{joint: elbow}]\n") RUN);
  pb_problem *p = get("p.yaml", ARM("  drives:\n"
                                    "    - {joint: elbow, gear: 20, rotor: 2e-4, torque: 0.5,\n"
                                    "       stiffness: 40, damping: 0.3}\n") RUN);
  assert_int_equal(p->model->nq, 4);
  assert_string_equal(p->model->name[3], "elbow.motor");
  assert_int_equal(p->model->nu, 1);
  assert_string_equal(p->model->input_name[0], "elbow.motor");
  assert_true(p->model->u_max[0] == 10);
  const double q[] = {q0[0], q0[1], q0[2], 1.3}, v[] = {v0[0], v0[1], v0[2], -3};
  const double torque = k * (q[3] - q[2]) + d * (v[3] - v[2]), u = 0.7;
  double a[4], b[3];
  accelerate(p, q, v, &u, a);
  accelerate(rigid, q0, v0, &torque, b);
  for (int i = 0; i < 3; i++) assert_true(fabs(a[i] - b[i]) < 1e-12 * (1 + fabs(b[i])));
  assert_true(fabs(a[3] - (u - torque) / J) < 1e-11 * fabs(a[3]));
  pb_problem_free(rigid);
  pb_problem_free(p);
}

// a transmission's gear and rotor serve as defaults; a rotor of the drive replaces the file's
static void the_robots_file_gives_the_gear(void **state) {
  (void)state;
  put_file(folder, "a.urdf",
           ROBOT("<link name='w'/>" LINK("a", "0.2", ROUND)
                     JOINT("j", "revolute", "w", "a",
                           "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='5' "
                           "velocity='9'/>") "<transmission name='t'><joint name='j'/><actuator "
                                             "name='m'>"
                                             "<mechanicalReduction>25</mechanicalReduction>"
                                             "<rotor_inertia>1e-4</rotor_inertia></actuator></"
                                             "transmission>"));
  pb_problem *file = get("file.yaml", "model: {urdf: a.urdf}\n" RUN);
  pb_problem *p = get("p.yaml", "model: {urdf: a.urdf, drives: [{joint: j, torque: 0.3}]}\n" RUN);
  pb_problem *rotor =
      get("rotor.yaml", "model: {urdf: a.urdf, drives: [{joint: j, rotor: 3e-4}]}\n" RUN);
  assert_true(fabs(file->model->armature[0] - 0.0625) < 1e-15);
  assert_true(fabs(p->model->armature[0] - 0.0625) < 1e-15);
  assert_true(fabs(p->model->u_max[0] - 7.5) < 1e-14);
  assert_true(fabs(rotor->model->armature[0] - 0.1875) < 1e-15);
  assert_true(rotor->model->u_max[0] == 5);
  pb_problem_free(file);
  pb_problem_free(p);
  pb_problem_free(rotor);
}

// an actuator's gear and its filter serve as defaults
static void an_actuator_gives_the_gear_and_the_lag(void **state) {
  (void)state;
  put_file(folder, "a.xml",
           "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/>"
           "<inertial pos='0 0 1' mass='1' diaginertia='1 1 1'/></body></worldbody><actuator>"
           "<general joint='j' gear='40' ctrlrange='-2 2' dyntype='filterexact' dynprm='0.03'/>"
           "</actuator></mujoco>");
  pb_problem *p =
      get("p.yaml", "model: {robot: a.xml, drives: [{joint: j, rotor: 1e-4, torque: 1.5}]}\n" RUN);
  assert_true(fabs(p->model->armature[0] - 0.16) < 1e-15);
  assert_true(p->model->u_max[0] == 60);
  assert_true(p->robot.drives.lag[0] == 0.03);
  assert_true(dm_drive_limits_lags(&p->robot.drives));
  pb_problem_free(p);
}

#define MOVE                                                                                       \
  "horizon: {steps: 20, time: 0.5}\nstart: {q: 0, v: 0}\ngoal: {q: 0.1, v: 0}\n"                   \
  "cost: {input: 1}\n"

// a task has the lines, rates and lags of its motors; bounds.rate replaces a rate
static void a_task_has_the_limits_of_its_motors(void **state) {
  (void)state;
  static const char *const more[] = {"", "bounds: {rate: {elbow: 9}}\n"};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             ARM("  drives: [{joint: elbow, gear: 10, torque: 1, no_load_speed: 50, rate: 3,\n"
                 "            lag: 0.02}]\n"
                 "inputs: [{joint: shoulder}, {joint: elbow}]\n") MOVE "%s",
             more[i]);
    pb_problem *p = get("p.yaml", text);
    const oc_task *t = &p->task;
    assert_int_equal(t->functions.npaths, 1);
    assert_true(t->functions.paths[0].high == 10 && t->functions.paths[0].low == -10 &&
                t->functions.paths[0].row == 1);
    assert_string_equal(dm_function_name(&t->functions.paths[0].y, 1), "elbow's torque-speed line");
    assert_true(isinf(t->bounds[OC_RATE].high[0]));
    assert_true(t->bounds[OC_RATE].high[1] == (i ? 9 : 30));
    assert_true(t->lag[0] == 0 && t->lag[1] == 0.02);
    pb_problem_free(p);
  }
}

static void a_lag_that_cannot_be_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *lag, *more, *want;
  } rows[] = {
      {"0.7", "", "found 0.7 s of 'elbow', longer than the motion of 0.5 s"},
      {"0.1", "feedback: {Q: {q: 1, p: 1}, R: 1, measure: positions}\n",
       "feedback.measure: found measure: po"},
      {"0.1", "feedback: {Q: {q: 1, p: 1}, R: 1, estimator: {encoder: 1e-4, predict: map}}\n",
       "feedback.estimator: found predict: map beside"},
      {"0.1", "feedback: {Q: {q: 1, p: 1}, R: 1, schedule: path}\n",
       "feedback.schedule: found schedule: path beside"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2000];
    pb_problem *p;
    dm_message msg = {""};
    snprintf(text, sizeof text,
             ARM("  drives: [{joint: elbow, lag: %s}]\ninputs: [{joint: elbow}]\n") MOVE "%s",
             rows[i].lag, rows[i].more);
    assert_int_equal(pb_problem_read(&p, put_file(folder, "bad.yaml", text), &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i].want) || !strstr(msg.text, "bad.yaml:1"))
      fail_msg("row %zu: %s", i, msg.text);
  }
}

// u = g kt (V - kt g v) / R, by current and voltage, equals the line by its ends; and gears scale it
static void both_forms_of_a_line_agree(void **state) {
  (void)state;
  static const char *const drives[] = {
      "gear: -10, supply: 24, torque_constant: 0.05, resistance: 0.8",
      "gear: 10, stall: 1.5, no_load_speed: 480", "gear: 10, torque: 1.5, no_load_speed: 480",
      "gear: 10, torque: 15, no_load_speed: 48, side: joint"};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             ARM("  drives: [{joint: elbow, rate: 7, %s}]\ninputs: [{joint: elbow}]\n%s"),
             drives[i], RUN);
    pb_problem *p = get("p.yaml", text);
    const dm_drive_limits *d = &p->robot.drives;
    assert_int_equal(d->n, 1);
    assert_int_equal(d->coord[0], 2);
    assert_true(fabs(d->stall[0] - 15) < 1e-13);
    assert_true(fabs(d->slope[0] - 15. / 48) < 1e-14);
    assert_true(d->rate[0] == (i < 3 ? 70 : 7));
    double u = 20, v[] = {0, 0, 24};
    assert_true(dm_drive_limits_cut(d, v, &u));
    assert_true(fabs(u - 7.5) < 1e-13); // half the speed, half the torque
    v[2] = -60;
    u = -20;
    assert_true(dm_drive_limits_cut(d, v, &u));
    assert_true(fabs(u - 3.75) < 1e-13); // beyond the end of the line it brakes
    assert_false(dm_drive_limits_cut(d, v, &u));
    pb_problem_free(p);
  }
}

static void a_drive_that_cannot_be_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *drives, *inputs, *want;
  } rows[] = {
      {"{joint: elbow, gear: 0}", "elbow", "gear: found 0, expected the motor's rotation"},
      {"{joint: elbow, rotor: -1e-5}", "elbow", "rotor: found '-1e-5', expected a number >= 0"},
      {"{joint: elbw}", "elbow", "unknown joint 'elbw'"},
      {"{joint: elbow, no_load_speed: 300}", "elbow", "found neither stall nor torque"},
      {"{joint: elbow, stall: 3}", "elbow", "found no no_load_speed"},
      {"{joint: elbow, torque_constant: 0.1, resistance: 2}", "elbow", "found no 'supply'"},
      {"{joint: elbow, supply: 24, stall: 2, torque_constant: 0.1, resistance: 2}", "elbow",
       "found supply beside stall"},
      {"{joint: elbow, reaction: true}", "elbow", "without a rotor"},
      {"{joint: elbow, axis: [1, 0, 0]}", "elbow", "without reaction"},
      {"{joint: elbow, damping: 1}", "elbow", "found no stiffness"},
      {"{joint: elbow, stiffness: 10}", "elbow.motor", "found no rotor of 'elbow'"},
      {"{joint: elbow, stiffness: 10, rotor: 1}", "elbow", "expected 'elbow.motor'"},
      {"{joint: elbow, stiffness: 1e7, rotor: 1e-4}", "elbow.motor",
       "the series spring of 'elbow' (model.drives, line "},
      {"{joint: elbow, lag: -1}", "elbow", "lag: found '-1', expected a number >= 0"},
      {"{joint: elbow}, {joint: elbow}", "elbow", "found a second drive of 'elbow'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2000];
    pb_problem *p;
    dm_message msg = {""};
    snprintf(text, sizeof text, ARM("  drives: [%s]\ninputs: [{joint: %s}]\n%s"), rows[i].drives,
             rows[i].inputs, RUN);
    assert_int_equal(pb_problem_read(&p, put_file(folder, "bad.yaml", text), &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i].want) || !strstr(msg.text, "bad.yaml:"))
      fail_msg("row %zu: %s", i, msg.text);
  }
}

static int clean(void **state) {
  static const char *const names[] = {"drive.yaml", "tied.yaml",  "plain.yaml", "want.yaml",
                                      "p.yaml",     "rigid.yaml", "file.yaml",  "rotor.yaml",
                                      "bad.yaml",   "a.urdf",     "a.xml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rotor_with_reaction_is_a_body_tied_by_a_gear),
      cmocka_unit_test(a_rotor_without_reaction_is_an_armature),
      cmocka_unit_test(a_series_spring_gives_the_equations_of_elastic_joints),
      cmocka_unit_test(the_robots_file_gives_the_gear),
      cmocka_unit_test(an_actuator_gives_the_gear_and_the_lag),
      cmocka_unit_test(a_task_has_the_limits_of_its_motors),
      cmocka_unit_test(a_lag_that_cannot_be_is_refused),
      cmocka_unit_test(both_forms_of_a_line_agree),
      cmocka_unit_test(a_drive_that_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, clean);
}
