// Limits and costs on the forces of contacts in plans: kept at every knot, with exact derivatives, the same for a
// mirrored task, and refused where nothing has them.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "optim/check.h"
#include "problems/readers/task/problem.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *folder;

static int open_folder(void **state) {
  (void)state;
  folder = make_folder();
  return folder ? 0 : -1;
}

// a leg that jumps, in N steps of the time T
#define JUMP(T, at, more)                                                                          \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: hip, joints: [tz], mass: 5}\n"                                                     \
  "    - {name: foot, parent: hip, joints: [tz], mass: 0.5}\n"                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: floor, type: above, bodies: [foot, world], axis: [0, 0, 1]}\n"                     \
  "inputs: [{joint: foot}]\n"                                                                      \
  "horizon: {steps: 40, time: " T "}\n"                                                            \
  "start: {q: {hip: 0.5, foot: -0.5}, v: 0}\n"                                                     \
  "goal: {q: {hip: 0.5, foot: -0.5}, v: 0}\n"                                                      \
  "via: [{at: " at ", q: {hip: 0.9}}]\n"                                                           \
  "outputs:\n"                                                                                     \
  "  - {name: push, type: contact-force, contacts: floor}\n"                                       \
  "  - {name: kick, type: contact-impulse, contacts: {floor: 2}}\n"                                \
  "  - {name: jolt, type: contact-force-rate, contacts: floor}\n" more

// A finger pushes a box over a table to either side.
#define PUSH(sign, axis, start, offset, high)                                                      \
  "model:\n"                                                                                       \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx], mass: 0.5}\n"                                                \
  "    - {name: box, joints: [tx], mass: 1}\n"                                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: face, type: above, bodies: [finger, box],\n"                                       \
  "       points: [[0, 0, 0], [" offset ", 0, 0]], axis: [" axis ", 0, 0]}\n"                      \
  "  friction: [{joint: box, force: 3}]\n"                                                         \
  "inputs: [{joint: finger}]\n"                                                                    \
  "outputs:\n"                                                                                     \
  "  - {name: touch, type: contact-force, contacts: face}\n"                                       \
  "  - {name: rub, type: friction-force, contacts: box}\n"                                         \
  "  - {name: slow, type: friction-impulse, contacts: box}\n"                                      \
  "  - {name: jolt, type: contact-force-rate, contacts: face}\n"                                   \
  "  - {name: jerk, type: friction-force-rate, contacts: box}\n"                                   \
  "horizon: {steps: 15, time: 1}\n"                                                                \
  "start: {q: {finger: " start ", box: 0}, v: 0}\n"                                                \
  "bounds: {outputs: {touch: [none, " high "]}}\n"                                                 \
  "goal: {q: {box: " sign "0.3}, v: 0}\n"                                                          \
  "cost:\n"                                                                                        \
  "  input: 1\n"                                                                                   \
  "  outputs: [{output: rub, weight: 0.1}, {output: slow, weight: 1},\n"                           \
  "    {output: jolt, weight: 1e-5}, {output: jerk, weight: 1e-5}]\n"

static pb_problem *read_problem(const char *text) {
  pb_problem *p;
  dm_message msg;
  if (pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return p;
}

static dm_trajectory *solve_problem(const pb_problem *p, double *objective) {
  dm_trajectory *x;
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  const dm_status s = oc_solve(&p->task, &set, &x, &info, &msg);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info.detail);
  *objective = info.objective;
  return x;
}

// the largest force along a row of the contacts
static double find_most(const dm_trajectory *x, int row) {
  double most = 0;
  for (int k = 0; k <= x->N; k++) {
    const double h = x->h * dm_contact_share(k, x->N);
    most = fmax(most, x->contact[k * x->nr + row] / h);
  }
  return most;
}

static void a_limited_foot_pushes_at_its_limit(void **state) {
  (void)state;
  pb_problem *p =
      read_problem(JUMP("1", "0.5", "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]}}\n"));
  pb_problem *w = read_problem(JUMP(
      "1", "0.5",
      "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]}, outputs: {push: [none, 140]}}\n"));
  double J, J_limited;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_limited);
  assert_true(find_most(x, 0) > 160);
  assert_true(fabs(find_most(y, 0) - 140) < 1e-6);
  assert_true(J_limited > 1.01 * J);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(w);
}

// a price on the largest forces lowers them
static void a_cost_on_force_lowers_it(void **state) {
  (void)state;
  pb_problem *p =
      read_problem(JUMP("1", "0.5", "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]}}\n"));
  pb_problem *w = read_problem(
      JUMP("1", "0.5",
           "cost: {input: 0.001, outputs: [{output: push, reference: 140, weight: 10,\n"
           "       activation: one-sided}]}\nbounds: {q: {foot: [-0.7, -0.2]}}\n"));
  double J, J_priced;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_priced);
  assert_true(find_most(x, 0) > 160);
  assert_true(find_most(y, 0) < 142);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(w);
}

// the largest change of the force along a row from a knot to the next, over the step
static double find_fastest(const dm_trajectory *x, int row) {
  double most = 0;
  for (int k = 0; k < x->N; k++) {
    const double *F = x->contact + k * x->nr + row, h = x->h;
    const double f = F[0] / dm_contact_share(k, x->N);
    const double next = F[x->nr] / dm_contact_share(k + 1, x->N);
    most = fmax(most, fabs(next - f) / (h * h));
  }
  return most;
}

static void a_rate_is_kept_and_a_cost_lowers_it(void **state) {
  (void)state;
  pb_problem *p =
      read_problem(JUMP("1", "0.5", "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]}}\n"));
  pb_problem *w = read_problem(JUMP("1", "0.5",
                                    "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]},\n"
                                    "  outputs: {jolt: [-3000, 3000]}}\n"));
  pb_problem *c =
      read_problem(JUMP("1", "0.5",
                        "cost: {input: 0.001, outputs: [{output: jolt, weight: 1e-6}]}\n"
                        "bounds: {q: {foot: [-0.7, -0.2]}}\n"));
  double J, J_limited, J_priced;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_limited);
  dm_trajectory *z = solve_problem(c, &J_priced);
  assert_true(find_fastest(x, 0) > 4000);
  assert_true(find_fastest(y, 0) < 3000 * (1 + 1e-9));
  assert_true(find_fastest(z, 0) < find_fastest(x, 0));
  assert_true(J_limited > J && J_priced > J);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  dm_trajectory_free(z);
  pb_problem_free(p);
  pb_problem_free(w);
  pb_problem_free(c);
}

// limits on rates that no motion reaches change nothing
static void a_rate_without_effect_leaves_the_plan(void **state) {
  (void)state;
  pb_problem *p =
      read_problem(JUMP("1", "0.5", "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]}}\n"));
  pb_problem *w = read_problem(JUMP("1", "0.5",
                                    "cost: {input: 0.001}\nbounds: {q: {foot: [-0.7, -0.2]},\n"
                                    "  outputs: {jolt: [-1e6, 1e6]}}\n"));
  double J, J_wide;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_wide);
  assert_true(fabs(J - J_wide) < 1e-8 * J);
  for (int i = 0; i < 2 * (x->N + 1); i++) assert_true(fabs(x->q[i] - y->q[i]) < 1e-6);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(w);
}

static void check_derivatives(const char *text) {
  pb_problem *p = read_problem(text);
  oc_check c = oc_check_default();
  dm_message msg;
  if (oc_check_task(&c, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  for (int i = 0; i < c.rows; i++)
    if (!c.row[i].verdict.holds) fail_msg("%s", c.row[i].block);
  pb_problem_free(p);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  check_derivatives(PUSH("", "-1", "-0.25", "-0.1", "6"));
  check_derivatives(JUMP(
      "{free: [0.5, 2], guess: 1}", "50 %",
      "bounds: {outputs: {push: [none, 90], kick: [0, 30], jolt: [-9000, 7000]}}\n"
      "cost: {input: 0.001, outputs: [{output: kick, weight: 0.01}, {output: push,\n"
      "  weight: 1e-3}, {output: jolt, weight: 1e-6}, {output: jolt, weight: 1e-6, at: 50 %},\n"
      "  {output: push, weight: 1, activation: absolute, width: 2,\n"
      "  reference: 20, at: 100 %}]}\n"));
  check_derivatives("model:\n"
                    "  gravity: [0, 0, -9.81]\n"
                    "  bodies:\n"
                    "    - {name: sled, joints: [tx, ty, tz], mass: 2}\n"
                    "  contacts:\n"
                    "    - {name: floor, type: above, bodies: [sled, world],\n"
                    "       axis: [0, 0, 1], friction: 0.3, restitution: 0}\n"
                    "inputs: [{joint: sled.tx}, {joint: sled.ty}]\n"
                    "outputs: [{name: rub, type: friction-force, contacts: floor}]\n"
                    "horizon: {steps: 12, time: {free: [0.5, 2], guess: 1}}\n"
                    "start: {q: 0, v: 0}\n"
                    "goal: {q: [0.4, 0.1, 0], v: 0}\n"
                    "bounds: {outputs: {rub: [[-5, 4], [-5, 4]]}}\n"
                    "cost: {input: 0.01, outputs: [{output: rub, weight: 0.1}]}\n");
}

static void a_mirrored_task_has_the_mirrored_plan(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("", "-1", "-0.25", "-0.1", "6"));
  pb_problem *m = read_problem(PUSH("-", "1", "0.25", "0.1", "6"));
  double J, J_mirrored;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(m, &J_mirrored);
  assert_true(fabs(J - J_mirrored) < 1e-9 * J);
  assert_true(fabs(find_most(x, 0) - 6) < 1e-6);
  for (int k = 0; k <= x->N; k++) {
    const double *F = x->contact + k * x->nr, *G = y->contact + k * y->nr;
    for (int i = 0; i < 2; i++) assert_true(fabs(x->q[2 * k + i] + y->q[2 * k + i]) < 1e-6);
    assert_true(fabs(F[0] - G[0]) < 1e-6 && fabs(F[1] + G[1]) < 1e-6);
  }
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(m);
}

static void refuses(const char *text, const char *found) {
  pb_problem *p = NULL;
  dm_message msg;
  if (pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg) == DM_OK)
    fail_msg("not refused, expected: %s", found);
  if (!strstr(msg.text, found)) fail_msg("found '%s', expected '%s'", msg.text, found);
}

#define FALL(outputs, more)                                                                        \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies: [{name: ball, joints: [tx, tz], mass: 1}]\n"                                          \
  "  contacts:\n"                                                                                  \
  "    - {name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1]}\n"                     \
  "    - {name: rough, type: above, bodies: [ball, world], axis: [0, 0, 1], friction: 1}\n"        \
  "  friction: [{joint: ball.tx, force: 1}]\n"                                                     \
  "outputs: [" outputs "]\n" more
#define KNOT "simulate: {method: knot, steps: 10, step: 0.01, start: {q: [0, 1], v: 0}}\n"

static void what_has_no_forces_is_refused(void **state) {
  (void)state;
  refuses("model:\n"
          "  bodies: [{name: a, joints: [tx], mass: 1}]\n"
          "outputs: [{name: f, type: contact-force, contacts: floor}]\n"
          "simulate: {steps: 10, step: 0.1, start: {v: 1}}\n",
          "found a contact of a robot without contacts");
  refuses(FALL("{name: f, type: contact-force, contacts: flor}", KNOT), "floor");
  refuses(FALL("{name: f, type: contact-force, contacts: ball.tx}", KNOT),
          "found the joint 'ball.tx'");
  refuses(FALL("{name: f, type: friction-force, contacts: floor}", KNOT),
          "found 'floor' without friction");
  refuses(FALL("{name: f, type: friction-force, contacts: [rough, ball.tx]}", KNOT),
          "found 'rough' and 'ball.tx'");
  refuses("model:\n"
          "  gravity: [0, 0, -9.81]\n"
          "  bodies: [{name: ball, joints: [tz], mass: 1}]\n"
          "  contacts:\n"
          "    - {name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1]}\n"
          "outputs: [{name: f, type: contact-force, contacts: floor}]\n"
          "simulate: {steps: 10, step: 0.01, start: {q: 1, v: 0}}\n",
          "found 'f' of contacts, expected it beside 'horizon' or 'simulate: {method: knot}'");
  refuses(FALL("{name: f, type: contact-force-rate, contacts: floor}", KNOT),
          "found 'f' of the rate of a force, expected it beside 'horizon'");
  refuses(
      PUSH("", "-1", "-0.25", "-0.1", "6") "feedback: {Q: {q: 1, outputs: {touch: 1}}, hold: 0}\n",
      "an output of inputs or contacts");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limited_foot_pushes_at_its_limit),
      cmocka_unit_test(a_cost_on_force_lowers_it),
      cmocka_unit_test(a_rate_is_kept_and_a_cost_lowers_it),
      cmocka_unit_test(a_rate_without_effect_leaves_the_plan),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_mirrored_task_has_the_mirrored_plan),
      cmocka_unit_test(what_has_no_forces_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
