// Keyframes of MuJoCo's XML as starts and goals.
#include "tests/support/cart_pole.h"
#include "tests/support/models.h"

#include <math.h>

#define MASS "<inertial pos='0 0 -0.1' mass='1' diaginertia='0.1 0.2 0.15'/>"

// every kind of joint: 7 + 4 + 2 numbers qpos, 6 + 3 + 2 numbers qvel
static const char robot_text[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='0 0 2'>"
    "<freejoint name='f'/>" MASS "<body name='arm'><joint name='b' type='ball'/>" MASS
    "<body name='hand'><joint name='h' axis='0 1 0' ref='0.25'/><joint name='s' type='slide'/>" MASS
    "</body></body></body></worldbody><actuator><motor joint='h' ctrlrange='-1 1'/></actuator>"
    "<keyframe><key name='home'/>"
    "<key name='run' qpos='1 2 3 0 0 2 0 0.6 0.8 0 0 0.5 -0.5'"
    " qvel='4 5 6 0.1 0.2 0.3 0.4 0.5 0.6 7 8'/></keyframe></mujoco>";

#define HORIZON "model: {robot: r.xml, gravity: [0, 0, 0]}\nhorizon: {steps: 4, time: 2}\n"

static dm_status read_both(const char *robot_file, const char *text, pb_problem **p,
                           dm_message *msg) {
  put_file(folder, "r.xml", robot_file);
  return pb_problem_read(p, put_file(folder, "p.yaml", text), msg);
}

static void keyframes_are_starts_and_goals(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg;
  if (read_both(robot_text,
                HORIZON "start: {keyframe: home, v: 0}\n"
                        "goal: {keyframe: run, q: {s: 9}}\n",
                &p, &msg) != DM_OK)
    fail_msg("%s", msg.text);

  // a key that says nothing is where the bodies stand as written
  const double home[] = {0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 0.25, 0};
  expect_values(p->task.start.q, home, 13);

  // quaternions become unit ones, the section's own numbers come first
  const double q[] = {1, 2, 3, 0, 0, 1, 0, 0.6, 0.8, 0, 0, 0.5, 9};
  const double rate[] = {4, 5, 6, -0.1, 0.15, 0, -0.05, -0.16, 0.12, -0.09, 0.38, 7, 8};
  for (int i = 0; i < 13; i++) {
    assert_close(p->task.goal.q[i], q[i], 1e-15);
    assert_close(p->task.goal.v[i], rate[i], 1e-15);
  }
  pb_problem_free(p);
}

static const struct {
  const char *robot, *text, *message;
} wrong[] = {
    {robot_text, HORIZON "start: {keyframe: hme}\n",
     "p.yaml:3:19: start.keyframe: found the unknown keyframe 'hme', expected one of home, run; "
     "did"},
    {"<mujoco><worldbody><body><joint/>" MASS "</body></worldbody><keyframe>\n"
     "<key name='k' qpos='1 2'/></keyframe></mujoco>",
     HORIZON "start: {q: 0}\n", "r.xml:2: <key qpos>: found more than 1 numbers, expected 1"},
    {"<mujoco><worldbody><body><joint/>" MASS "</body></worldbody><keyframe>\n"
     "<key name='k'/>\n<key name='k'/></keyframe></mujoco>",
     HORIZON "start: {q: 0}\n", "r.xml:3: found a second"},
};

static void what_is_no_keyframe_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(wrong); i++) {
    pb_problem *p;
    dm_message msg = {""};
    assert_int_equal(read_both(wrong[i].robot, wrong[i].text, &p, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[i].message)) fail_msg("row %zu: %s", i, msg.text);
  }
}

static int close_all(void **state) {
  unlink(put_file(folder, "r.xml", ""));
  unlink(put_file(folder, "p.yaml", ""));
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keyframes_are_starts_and_goals),
      cmocka_unit_test(what_is_no_keyframe_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_all);
}
