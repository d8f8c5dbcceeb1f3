// tests/problems/readers/task/test_foresight.c: tasks refused before a search, and tasks that are not.
#include "tests/support/cart_pole.h"

#include <math.h>

// two links whose joints have an effort of 0 and none at all, on a base that may float
#define UNSAID                                                                                     \
  ROBOT(LINK("base", "2", ROUND) LINK("upper", "1", ROUND) LINK("lower", "0.5", ROUND)             \
            JOINT("shoulder", "revolute", "base", "upper",                                         \
                  "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='0' velocity='5'/>")      \
                JOINT("elbow", "continuous", "upper", "lower", "<axis xyz='0 1 0'/>"))
#define TO "horizon: {steps: 4, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 0.1, v: 0}\n"

static dm_status read_unsaid(const char *text, pb_problem **p, dm_message *msg) {
  put_file(folder, "c.urdf", UNSAID);
  return pb_problem_read(p, put_file(folder, "p.yaml", text), msg);
}

// no motor is invented: a task that needs one is refused with the line to write; others are read
static void no_motor_is_invented(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  static const char *const needing[] = {
      ("model: {urdf: c.urdf}\n" TO),
      "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 1}\nstart: {q: 0}\ncost: {input: 1}\n",
      "model: {urdf: c.urdf}\nbalance: {steps: 4, time: 1, q: 0}\nfeedback: {}\n",
  };
  for (size_t i = 0; i < COUNT_OF(needing); i++) {
    assert_int_equal(read_unsaid(needing[i], &p, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, "found no motor: ") ||
        !strstr(msg.text, "'inputs: [{joint: shoulder}, {joint: elbow}]'"))
      fail_msg("%s", msg.text);
  }

  // what needs none: a simulation, a flight from a free start, and a word that there is none
  static const char *const free_of[] = {
      "model: {urdf: c.urdf}\nsimulate: {steps: 4, time: 1}\n",
      "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 1}\nstart: {q: 0}\ngoal: {q: 0.1}\n",
      ("model: {urdf: c.urdf}\ninputs: []\n" TO),
  };
  for (size_t i = 0; i < COUNT_OF(free_of); i++) {
    if (read_unsaid(free_of[i], &p, &msg) != DM_OK) fail_msg("%s", msg.text);
    assert_int_equal(p->model->nu, 0);
    pb_problem_free(p);
  }

  // beside a motor a joint without one is passive, and named
  p = get_problem("model: {urdf: c.urdf}\n" TO "cost: {input: 1}\n");
  assert_int_equal(p->model->nu, 1);
  assert_int_equal(p->warnings.n, 1);
  assert_non_null(strstr(p->warnings.text[0], "p.yaml:1: pole: no effort limit above 0"));
  pb_problem_free(p);
}

// `inputs: all` takes what the refusal prints: the robot's limits where it has some; no motor carries
// a floating base
static void all_inputs_are_those_of_joints(void **state) {
  (void)state;
  pb_problem *p = get_problem("model: {urdf: c.urdf}\ninputs: all\n" TO);
  EXPECT(p->model->u_max, 20, INFINITY);
  EXPECT(p->model->u_min, -20, -INFINITY);
  pb_problem_free(p);
  dm_message msg = {""};
  if (read_unsaid("model: {urdf: c.urdf, base: floating}\ninputs: all\n" TO, &p, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(p->model->nu, 2);
  assert_string_equal(p->model->input_name[0], "shoulder");
  assert_string_equal(p->model->input_name[1], "elbow");
  pb_problem_free(p);
  const refused rows[] = {
      {"model: {urdf: c.urdf}\ninputs: every\n" TO,
       "p.yaml:2:9: inputs: found 'every', expected a list"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

// `inputs: all` also has the actuators of the robot's file that are on no joint, with their loads
static void all_inputs_have_actuators_on_sites(void **state) {
  (void)state;
  static const char thrown[] =
      "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><inertial mass='1' "
      "pos='0 0 -1' diaginertia='1 1 1'/><site name='s' pos='0 0 -1'/></body></worldbody>"
      "<actuator><general name='jet' site='s' gear='1 0 0 0 0 0' ctrllimited='true' "
      "ctrlrange='-1 1'/></actuator></mujoco>";
  put_file(folder, "r.xml", thrown);
  pb_problem *p;
  dm_message msg = {""};
  const char *path = put_file(folder, "p.yaml", "model: {robot: r.xml}\ninputs: all\n" TO);
  if (pb_problem_read(&p, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(p->task.system.nu, 2);
  assert_string_equal(p->model->input_name[0], "j");
  assert_string_equal(p->model->input_name[1], "jet");
  EXPECT(p->model->u_max, INFINITY, 1);
  pb_problem_free(p);
}

// starts that the runs of verify would refuse are refused where the file is read, if it says where the plan starts
static void starts_outside_the_limits_are_refused(void **state) {
  (void)state;
#define STAYS(start)                                                                               \
  "model: {urdf: c.urdf}\nhorizon: {steps: 10, time: 1}\n" start "\ngoal: {q: 0}\n"
#define SAID(verify) "cost: {input: 1}\nfeedback: {}\nverify: {" verify "}\n"
  static const char *const read[] = {
      STAYS("start: {q: 0, v: 0}") SAID("spread: {q: 3}"),
      STAYS("start: {q: 0, v: 0}") SAID("spread: {q: 1e9}, limits: ignore"),
      STAYS("start: {q: 0, v: 0}") SAID("start: {q: 1e9}, limits: ignore"),
      STAYS("start: {v: 0}") SAID("spread: {q: 1e9}"), // may start anywhere
      STAYS("start: {v: 0}") SAID("start: {q: 1e9}"),
  };
  static const struct {
    const char *text, *said;
  } rows[] = {
      {STAYS("start: {q: 0, v: 0}") SAID("spread: {q: 1e9}"),
       "p.yaml:7:18: verify.spread: found no start of sample 0 within the limits of positions in "
       "10000 draws (in 10000 of them 'slider' is furthest outside [-2, 2]; its plan starts at 0)"},
      {STAYS("start: {q: 0, v: 0}") SAID("start: {q: {slider: -2.1}}"),
       "p.yaml:7:17: verify.start: found 'slider' at -2.1, outside its limits [-2, 2]"},
      {"model: {urdf: c.urdf}\nbalance: {steps: 9, time: 1, q: 0}\nfeedback: {}\n"
       "verify: {start: {q: {slider: 2.1}}}\n",
       "p.yaml:4:17: verify.start: found 'slider' at 2.1"},
      {"model: {urdf: c.urdf}\nsimulate: {steps: 9, time: 1}\nfeedback: {}\n"
       "verify: {start: {q: {slider: 2.1}}}\n",
       "p.yaml:4:17: verify.start: found 'slider' at 2.1"},
  };
#undef STAYS
#undef SAID
  for (size_t i = 0; i < COUNT_OF(read); i++) pb_problem_free(get_problem(read[i]));
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p;
    dm_message msg = {""};
    dm_status s = pb_problem_read(&p, put_file(folder, "p.yaml", rows[i].text), &msg);
    if (s != DM_BAD_INPUT || !strstr(msg.text, rows[i].said)) fail_msg("%zu: %s", i, msg.text);
  }
}

// a wrist so light that its damping decays in 1 ms, within a step of 10 ms
#define WRIST                                                                                      \
  ROBOT("<link name='base'/>" LINK("hand", "0.01",                                                 \
                                   "ixx='1e-5' iyy='1e-5' izz='1e-5' ixy='0' ixz='0' iyz='0'")     \
            JOINT("wrist", "revolute", "base", "hand",                                             \
                  "<axis xyz='0 0 1'/><dynamics damping='0.01'/>"                                  \
                  "<limit lower='-2' upper='2' effort='1' velocity='50'/>"))
#define LIGHT(steps, model)                                                                        \
  "model: {urdf: c.urdf" model "}\nhorizon: {steps: " steps ", time: 1}\n"                         \
  "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n"

#define FREE(least)                                                                                \
  "model: {urdf: c.urdf}\nhorizon: {steps: 100, time: {free: [" least ", 2], guess: 1}}\n"         \
  "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {time: 1}\nfeedback: {rate: 500}\n"

// a refusal of the gain design occurs when the file is read, with its line
static void a_controller_of_a_stiff_joint_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *said; // NULL: read
  } rows[] = {
      {LIGHT("100", "") "feedback: {rate: 500}\n",
       "p.yaml:6:18: feedback.rate: found it beside 'wrist', whose damping decays in 0.001 s, "
       "within a step of 0.01 s, expected shorter steps (horizon.steps), or 9e-05 kg m2 more of "
       "model.armature; or leave 'rate' out"},
      {LIGHT("100", "") "feedback: {estimator: {encoder: 0.001}}\n",
       "p.yaml:6:23: feedback.estimator: found it beside 'wrist'"},
      {LIGHT("100", "") "feedback: {}\n", NULL},
      {LIGHT("2000", "") "feedback: {rate: 500}\n", NULL},
      {LIGHT("100", ", armature: 9.1e-5") "feedback: {rate: 500}\n", NULL},
      {LIGHT("2000", "") "feedback: {rate: 0.5}\n",
       "p.yaml:6:18: feedback.rate: found 0.5 Hz, whose first sample is after the motion's 1 s"},
      {FREE("0.2"), "p.yaml:6:18: feedback.rate: found it beside 'wrist'"},
      {FREE("0.05"), NULL}, // may be short enough: a warning
      {"model: {urdf: c.urdf}\nbalance: {steps: 100, time: 1, q: 0}\nfeedback: {rate: 500}\n",
       "p.yaml:3:18: feedback.rate: found it beside 'wrist'"},
      {"model: {urdf: c.urdf, armature: 1e-4}\nsimulate: {steps: 100, time: 1}\n"
       "feedback: {rate: 500}\n",
       NULL},
      {"model: {urdf: c.urdf, armature: 1e-4}\nbalance: {steps: 100, time: 1, q: 0}\n"
       "feedback: {rate: 0.5}\n",
       "p.yaml:3:18: feedback.rate: found 0.5 Hz, whose first sample is after the motion's 1 s"},
      // a simulation is a motion as well
      {"model: {urdf: c.urdf, armature: 1e-4}\nsimulate: {steps: 100, time: 1}\n"
       "feedback: {rate: 0.5}\n",
       "p.yaml:3:18: feedback.rate: found 0.5 Hz, whose first sample is after the motion's 1 s"},
      {"model: {urdf: c.urdf}\nsimulate: {steps: 100, time: 1}\nfeedback: {rate: 500}\n",
       "p.yaml:3:18: feedback.rate: found it beside 'wrist'"},
      {"model: {urdf: c.urdf}\nsimulate: {steps: 100, time: 1}\n"
       "feedback: {estimator: {encoder: 0.001}}\n",
       "p.yaml:3:23: feedback.estimator: found it beside 'wrist'"},
      {"model: {urdf: c.urdf, armature: 1e-4}\nsimulate: {steps: 100, time: 1}\nfeedback: {}\n"
       "verify: {pushes: {width: [1, 2]}}\n",
       "p.yaml:4:"},
      // samples that no table holds
      {LIGHT("2000", "") "feedback: {rate: 2e7}\n",
       "p.yaml:6:18: feedback.rate: found 2e+07 Hz, which makes 2e+07 samples in 1 s, expected at "
       "most 10000000 samples: at most 1e+07 Hz"},
      {LIGHT("2000", "") "feedback: {rate: 6e6, hold: 1}\n",
       "p.yaml:6:18: feedback.rate: found 6e+06 Hz, which makes 1.2e+07 samples in 2 s"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p;
    dm_message msg = {""};
    put_file(folder, "c.urdf", WRIST);
    dm_status s = pb_problem_read(&p, put_file(folder, "p.yaml", rows[i].text), &msg);
    if (s != (rows[i].said ? DM_BAD_INPUT : DM_OK) ||
        (rows[i].said && !strstr(msg.text, rows[i].said)))
      fail_msg("%d %s\nfor\n%s", s, msg.text, rows[i].text);
    if (strstr(rows[i].text, "free: [0.05"))
      assert_non_null(strstr(p->warnings.text[0], "p.yaml:6: feedback.rate: found it beside"));
    pb_problem_free(p);
  }
}

// speeds are limited in each step: the distance over the limit is the least time
static void a_time_too_short_for_the_speeds_is_refused(void **state) {
  (void)state;
#define MOVE(time, more)                                                                           \
  "model: {urdf: c.urdf}\ninputs: [{joint: slider}]\nhorizon: {steps: 4, time: " time "}\n"        \
  "start: {q: {slider: -1, pole: 0}, v: 0}\ngoal: {q: {slider: 1.5}, v: 0}\ncost: {input: "        \
  "1}\n" more
  static const refused rows[] = {
      {MOVE("0.049", ""),
       "p.yaml:3:27: horizon.time: found 0.049 s, but 'slider' moves by 2.5 m at a "
       "speed of at most 50 m/s, which takes 0.05 s: allow more time"},
      {MOVE("1", "bounds: {v: {slider: 2}}\n"), "which takes 1.25 s"},
      {MOVE("{free: [0.1, 1.2]}", "bounds: {v: {slider: 2}}\n"), "found at most 1.2 s"},
  };
  expect_refused(rows, COUNT_OF(rows));
  pb_problem_free(get_problem(MOVE("0.05", "")));
  pb_problem_free(get_problem(MOVE("{free: [0.1, 1.25]}", "bounds: {v: {slider: 2}}\n")));
  pb_problem_free(get_problem(MOVE("0.049", "bounds: {v: none}\n")));
}

// an arm of 2 kg, 0.5 m long, held level needs 2 g 0.5 = 9.81 N m; hanging none. A pole without a motor
// is not held at all, and nothing is said
static void a_place_that_forces_do_not_keep_is_warned_of(void **state) {
  (void)state;
#define ARM(effort, goal)                                                                          \
  "model: {bodies: [{name: arm, joints: [{name: hinge, type: ry}], mass: 2, centre: [0, 0, "       \
  "-0.5], inertia: [1, 1, 1]}]}\ninputs: [{joint: hinge, effort: " effort "}]\n"                   \
  "horizon: {steps: 4, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: pi/2, v: " goal "}\n"              \
  "cost: {input: 1}\n"
  static const struct {
    const char *text, *said;
  } rows[] = {
      {ARM("9", "0"),
       "p.yaml:5: goal: rest there needs 9.81 of 'hinge', and its limits are [-9, 9]"},
      {ARM("9.82", "0"), NULL},
      {ARM("9", "1"), NULL},
      {"model: {urdf: c.urdf}\ninputs: [{joint: slider}]\nhorizon: {steps: 4, time: 1}\n"
       "start: {q: 0, v: 0}\ngoal: {q: {slider: 1, pole: 0.3}, v: 0}\ncost: {input: 1}\n",
       NULL},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p = get_problem(rows[i].text);
    assert_int_equal(p->warnings.n, rows[i].said ? 1 : 0);
    if (rows[i].said && !strstr(p->warnings.text[0], rows[i].said))
      fail_msg("%s", p->warnings.text[0]);
    pb_problem_free(p);
  }
}

// an input whose force is zero, or is all carried by a constraint, and the same ones that move something
static void an_input_that_acts_on_nothing_is_warned_of(void **state) {
  (void)state;
#define TWO_BODIES(inputs, constraints)                                                            \
  "model:\n  bodies:\n"                                                                            \
  "    - {name: cart, joints: [{name: x, type: tx}], mass: 2}\n"                                   \
  "    - {name: car, joints: [{name: y, type: tx}], mass: 1}\n" constraints                        \
  "inputs:\n  - {joint: x, effort: 5}\n" inputs                                                    \
  "horizon: {steps: 4, time: 1}\nstart: {q: 0, v: 0}\ncost: {input: 1}\n"
#define HELD       "  constraints: [{name: held, type: plane, bodies: [car, world], axis: [1, 0, 0]}]\n"
#define TIED       "  constraints: [{name: tied, type: equal, coordinates: [y, x]}]\n"
#define PUSH(gain) "  - {name: push, body: car, frame: world, force: [" gain ", 0, 1], effort: 5}\n"
  static const struct {
    const char *text, *said;
  } rows[] = {
      {TWO_BODIES("  - {joint: y, effort: 5}\n", ""), NULL},
      {TWO_BODIES("  - {joint: y, effort: 5}\n", TIED), NULL},
      {TWO_BODIES("  - {joint: y, effort: 5}\n", HELD), ": inputs: 'y' acts on nothing"},
      {TWO_BODIES(PUSH("1"), ""), NULL},
      {TWO_BODIES(PUSH("0"), ""), "p.yaml:7: inputs: 'push' acts on nothing"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p = get_problem(rows[i].text);
    assert_int_equal(p->warnings.n, rows[i].said ? 1 : 0);
    if (rows[i].said && !strstr(p->warnings.text[0], rows[i].said))
      fail_msg("%s", p->warnings.text[0]);
    pb_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_motor_is_invented),
      cmocka_unit_test(all_inputs_are_those_of_joints),
      cmocka_unit_test(all_inputs_have_actuators_on_sites),
      cmocka_unit_test(a_time_too_short_for_the_speeds_is_refused),
      cmocka_unit_test(a_place_that_forces_do_not_keep_is_warned_of),
      cmocka_unit_test(an_input_that_acts_on_nothing_is_warned_of),
      cmocka_unit_test(starts_outside_the_limits_are_refused),
      cmocka_unit_test(a_controller_of_a_stiff_joint_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
