// Phases of plans through contact: a join inside a motion changes nothing, its impulses are halves of those of one
// motion, schedules are given or found for each phase, and faults name the phase.
#include "lib/contact/knot_step.h"
#include "optim/program/cycle.h"
#include "tests/support/models.h"
#include "tests/support/plans.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a block on a table with friction, driven along it
#define BLOCK                                                                                      \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies: [{name: block, joints: [tx, tz], mass: 2}]\n"                                         \
  "  contacts: [{name: table, type: above, bodies: [block, world], axis: [0, 0, 1],\n"             \
  "              friction: 0.4}]\n"                                                                \
  "inputs: [{joint: block.tx}]\n"                                                                  \
  "start: {q: 0, v: {block.tx: 1, block.tz: 0}}\n"                                                 \
  "goal: {q: {block.tx: 0.6}, v: {block.tx: 0.5}}\n"                                               \
  "cost: {input: 1}\n"

static double solve_phases(const pb_problem *p, dm_trajectory **x) {
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  const oc_phases_task task = pb_phases_task(&p->phases);
  const dm_status s = oc_solve_phases(&task, &set, x, &info, &msg);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info.detail);
  return info.objective;
}

// the laws hold at every knot of a phase, and each knot steps to the next
static void check_phase(const oc_task *task, const dm_trajectory *x) {
  unsigned char entry[200];
  dm_contact_verdict v;
  double gap;
  int knot;
  assert_true((x->N + 1) * task->system.contacts->n <= 200);
  assert_int_equal(dm_contact_check(x, &task->system, entry, &v), DM_OK);
  assert_true(v.worst < 1e-9);
  assert_int_equal(dm_knot_certify(x, &task->system, NULL, &gap, &knot), DM_OK);
  assert_true(gap < DM_CERTIFIED_CONTACT);
}

// A block that slides all the way: the motion of one phase, cut in two.
static void a_join_in_a_motion_changes_nothing(void **state) {
  (void)state;
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  dm_trajectory *one, *two[2];
  pb_problem *a = read_problem(BLOCK "horizon: {steps: 20, time: 0.8}\n");
  assert_int_equal(oc_solve(&a->task, &set, &one, &info, &msg), DM_OK);
  pb_problem *b = read_problem(BLOCK "phases:\n"
                                     "  - {name: first, horizon: {steps: 12, time: 0.48}}\n"
                                     "  - {name: second, horizon: {steps: 8, time: 0.32}}\n");
  assert_close(solve_phases(b, two), info.objective, 1e-8 * info.objective);
  for (int k = 0; k <= 20; k++) {
    const dm_trajectory *x = two[k > 12];
    const int at = k > 12 ? k - 12 : k;
    for (int i = 0; i < 2; i++) assert_close(x->q[2 * at + i], one->q[2 * k + i], 1e-7);
  }

  // the impulse at the join is counted once: half of it ends the first phase, half begins the second
  for (int r = 0; r < one->nr; r++) {
    const double end = two[0]->contact[12 * one->nr + r], start = two[1]->contact[r];
    assert_close(end + start, one->contact[12 * one->nr + r], 1e-8);
    assert_close(end, start, 1e-8);
  }
  for (int i = 0; i < 2; i++) {
    check_phase(b->phases.task[i], two[i]);
    dm_trajectory_free(two[i]);
  }
  dm_trajectory_free(one);
  pb_problem_free(a);
  pb_problem_free(b);
}

// a leg that stands on a floor
#define LEG                                                                                        \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: hip, joints: [tz], mass: 5}\n"                                                     \
  "    - {name: foot, parent: hip, joints: [tz], mass: 0.5}\n"                                     \
  "  contacts: [{name: floor, type: above, bodies: [foot, world], axis: [0, 0, 1]}]\n"             \
  "inputs: [{joint: foot}]\n"                                                                      \
  "start: {q: {hip: 0.5, foot: -0.5}, v: 0}\n"                                                     \
  "goal: {q: {hip: 0.5, foot: -0.5}, v: 0}\n"                                                      \
  "bounds: {q: {foot: [-0.7, -0.2]}}\n"                                                            \
  "cost: {input: 0.001}\n"

// it crouches, and jumps in a second phase
#define JUMP(crouch)                                                                               \
  LEG "phases:\n"                                                                                  \
      "  - {name: crouch, horizon: {steps: 12, time: 0.3}, goal: {q: {hip: 0.35}, v: 0}" crouch    \
      "}\n"                                                                                        \
      "  - {name: jump, horizon: {steps: 40, time: 1}, via: [{at: 0.5, q: {hip: 0.9}}]}\n"

// write the schedule of a phase whose foot stands at all knots
static void put_schedule(void) {
  char text[800] = "k,contact,state\n";
  for (int k = 0; k <= 12; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%d,floor,sticks\n", k);
  }
  put_file(folder, "schedule.csv", text);
}

static void a_schedule_is_given_for_a_phase_and_found_for_the_next(void **state) {
  (void)state;
  dm_trajectory *found[2], *given[2];
  put_schedule();
  pb_problem *a = read_problem(JUMP(""));
  pb_problem *b = read_problem(JUMP(", contact: {schedule: schedule.csv}"));
  const double J = solve_phases(a, found);
  assert_null(a->phases.task[0]->system.contacts->schedule);
  assert_non_null(b->phases.task[0]->system.contacts->schedule);
  assert_close(solve_phases(b, given), J, 1e-8 * J);
  for (int i = 0; i < 2; i++) {
    check_phase(a->phases.task[i], found[i]);
    check_phase(b->phases.task[i], given[i]);
    dm_trajectory_free(found[i]);
    dm_trajectory_free(given[i]);
  }
  pb_problem_free(a);
  pb_problem_free(b);
}

// The leg crouches faster than it falls, and stands up: its foot would have to pull in the first phase.
static void a_schedule_that_cannot_be_met_names_its_phase(void **state) {
  (void)state;
  dm_trajectory *x[2];
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  set.options.only_guess = true;
  put_schedule();
  pb_problem *p = read_problem(
      LEG "contact: {schedule: schedule.csv}\n"
          "phases:\n"
          "  - {name: crouch, horizon: {steps: 12, time: 0.1}, goal: {q: {hip: 0.35}, v: 0}}\n"
          "  - {name: stand, horizon: {steps: 12, time: 0.3}}\n");
  const oc_phases_task task = pb_phases_task(&p->phases);
  const dm_status s = oc_solve_phases(&task, &set, x, &info, &msg);
  assert_true(s == DM_INFEASIBLE || s == DM_MAX_ITER || s == DM_STALLED);
  assert_int_equal(info.unmet_phase, 0);
  assert_true(info.unmet.worst > 1e-6);
  assert_int_equal(info.unmet.fault, DM_CONTACT_PULLS);
  for (int i = 0; i < 2; i++) dm_trajectory_free(x[i]);
  pb_problem_free(p);
}

// -- periodic motions

// the leg bounces: it is free where a period begins, and at 0.5 s its hip is higher than it is long
#define BOUNCE(phases)                                                                             \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: hip, joints: [tz], mass: 5}\n"                                                     \
  "    - {name: foot, parent: hip, joints: [tz], mass: 0.5}\n"                                     \
  "  contacts: [{name: floor, type: above, bodies: [foot, world], axis: [0, 0, 1]}]\n"             \
  "inputs: [{joint: foot}]\n"                                                                      \
  "start: {q: free, v: free, near: {hip: 0.5, foot: -0.5}}\n"                                      \
  "bounds: {q: {foot: [-0.7, -0.2]}}\n"                                                            \
  "cost: {input: 0.001}\n"                                                                         \
  "feedback: {Q: {q: 100, p: 1}, R: 0.01}\n"                                                       \
  "phases:\n" phases

#define TOP "via: [{at: 0.5, q: {hip: 0.9}}]"

// the multipliers of a periodic motion, by size
static void find_multipliers(const pb_problem *p, const dm_trajectory *const *x,
                             const double *const *K, double size[4]) {
  const oc_phases_task t = pb_phases_task(&p->phases);
  double re[4], im[4];
  assert_int_equal(oc_cycle_multipliers(&t, x, K, re, im), DM_OK);
  for (int i = 0; i < 4; i++) {
    const double next = hypot(re[i], im[i]);
    int at = i;
    for (; at > 0 && size[at - 1] < next; at--) size[at] = size[at - 1];
    size[at] = next;
  }
}

// The motion repeats: where it ends, impulses included, the next period begins.
static void check_seam(const dm_trajectory *last, const dm_trajectory *first) {
  for (int i = 0; i < 2; i++) {
    assert_close(last->q[last->N * 2 + i], first->q[i], 1e-9);
    assert_close(last->v[last->N * 2 + i], first->v[i], 1e-9);
  }
}

// A period may be cut in two anywhere: the same motion, objective and multipliers. The foot stands at one cut,
// and lands at the other.
static void a_period_may_be_cut_in_two(void **state) {
  (void)state;
  dm_trajectory *one, *two[2];
  double size[2][4] = {{0}};
  pb_problem *a = read_problem(
      BOUNCE("  - {name: all, horizon: {steps: 40, time: 1}, " TOP ", join: {law: velocity}}\n"));
  pb_problem *b = read_problem(BOUNCE("  - {name: up, horizon: {steps: 28, time: 0.7}, " TOP
                                      ", join: {law: velocity}}\n"
                                      "  - {name: down, horizon: {steps: 12, time: 0.3}}\n"));
  const double J = solve_phases(a, &one);
  assert_close(solve_phases(b, two), J, 1e-8 * J);
  for (int i = 0; i < 41 * 2; i++) // knot 28 ends the first phase and begins the second
    assert_close(i < 58 ? two[0]->q[i] : two[1]->q[i - 56], one->q[i], 1e-6);
  check_phase(a->phases.task[0], one);
  for (int i = 0; i < 2; i++) check_phase(b->phases.task[i], two[i]);
  check_seam(one, one);
  check_seam(two[0], two[1]);
  check_seam(two[1], two[0]);
  find_multipliers(a, (const dm_trajectory *const[]){one}, NULL, size[0]);
  find_multipliers(b, (const dm_trajectory *const *)two, NULL, size[1]);
  for (int i = 0; i < 4; i++) assert_close(size[1][i], size[0][i], 1e-6);
  for (int i = 0; i < 2; i++) dm_trajectory_free(two[i]);
  dm_trajectory_free(one);
  pb_problem_free(a);
  pb_problem_free(b);
}

// The same robot in units of half a meter has the same motion. It begins anywhere, and its bodies are points, so that only
// the limits of its positions have a length.
static void a_free_start_does_not_depend_on_the_unit_of_length(void **state) {
  (void)state;
  dm_trajectory *x, *y;
  pb_problem *a = read_problem(
      BOUNCE("  - {name: all, horizon: {steps: 40, time: 1}, " TOP ", join: {law: velocity}}\n"));
  pb_problem *b = read_problem(
      "model:\n"
      "  gravity: [0, 0, -19.62]\n"
      "  bodies:\n"
      "    - {name: hip, joints: [tz], mass: 5}\n"
      "    - {name: foot, parent: hip, joints: [tz], mass: 0.5}\n"
      "  contacts: [{name: floor, type: above, bodies: [foot, world], axis: [0, 0, 1]}]\n"
      "inputs: [{joint: foot}]\n"
      "start: {q: free, v: free, near: {hip: 1, foot: -1}}\n"
      "bounds: {q: {foot: [-1.4, -0.4]}}\n"
      "cost: {input: 0.00025}\n"
      "phases:\n"
      "  - {name: all, horizon: {steps: 40, time: 1}, via: [{at: 0.5, q: {hip: 1.8}}], join: {law: "
      "velocity}}\n");
  const double J = solve_phases(a, &x);
  assert_close(solve_phases(b, &y), J, 1e-8 * J);
  for (int i = 0; i < 41 * 2; i++) assert_close(y->q[i], 2 * x->q[i], 1e-6);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(a);
  pb_problem_free(b);
}

// A leg falls until its foot touches the floor, at a time that is found, and then stands up. Its contact stops it; the
// phase needs no impact of its own.
static void a_phase_ends_at_a_touch(void **state) {
  (void)state;
  dm_trajectory *x[2];
  pb_problem *p = read_problem(
      "model:\n"
      "  gravity: [0, 0, -9.81]\n"
      "  bodies:\n"
      "    - {name: hip, joints: [tz], mass: 5}\n"
      "    - {name: foot, parent: hip, joints: [tz], mass: 0.5}\n"
      "  contacts: [{name: floor, type: above, bodies: [foot, world], axis: [0, 0, 1]}]\n"
      "inputs: [{joint: foot}]\n"
      "outputs:\n"
      "  - {name: clearance, type: height, bodies: [foot, world], axis: [0, 0, 1]}\n"
      "  - {name: load, type: contact-impulse, contacts: floor}\n"
      "start: {q: {hip: 0.8, foot: -0.6}, v: 0}\n"
      "cost: {input: 0.001}\n"
      "phases:\n"
      "  - name: fall\n"
      "    horizon: {steps: 20, time: {free: [0.05, 1], guess: 0.3}}\n"
      "    until: {touch: clearance}\n"
      "    via: [{from: 0 %, to: 99 %, outputs: {load: 0}}, {at: 100 %, q: {foot: -0.6}}]\n"
      "  - {name: stand, horizon: {steps: 20, time: 0.6}, goal: {q: {hip: 0.6, foot: -0.6}, v: "
      "0}}\n");
  solve_phases(p, x);
  const dm_trajectory *fall = x[0], *stand = x[1];
  for (int k = 0; k < 20; k++) {
    assert_true(fall->q[2 * k] + fall->q[2 * k + 1] > 1e-3);
    assert_true(fabs(fall->contact[k]) < 1e-12);
  }
  assert_close(fall->q[40] + fall->q[41], 0, 1e-9);
  assert_true(fall->contact[20] > 0.1);
  assert_true(stand->contact[0] > 0.1);
  for (int i = 0; i < 2; i++) check_phase(p->phases.task[i], x[i]);
  for (int i = 0; i < 2; i++) dm_trajectory_free(x[i]);
  pb_problem_free(p);
}

// a period of one phase has a join; `goal: start` has no place for its travel
static void a_period_without_phases_is_refused(void **state) {
  (void)state;
  pb_problem *p = NULL;
  dm_message msg;
  const char *text =
      "model:\n"
      "  gravity: [0, 0, -9.81]\n"
      "  bodies: [{name: ball, joints: [tz], mass: 1}]\n"
      "  contacts: [{name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1]}]\n"
      "inputs: [{joint: ball}]\n"
      "horizon: {steps: 20, time: 1}\n"
      "start: {q: {ball: 0.2}, v: free}\n"
      "goal: start\n"
      "cost: {input: 1}\n";
  assert_int_equal(pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg), DM_BAD_INPUT);
  if (!strstr(msg.text, "task.yaml:8:7: goal: found a periodic motion beside the contact 'floor', "
                        "expected 'phases: [{name: .., horizon: .., join: {travel: ..}}]'"))
    fail_msg("%s", msg.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_join_in_a_motion_changes_nothing),
      cmocka_unit_test(a_schedule_is_given_for_a_phase_and_found_for_the_next),
      cmocka_unit_test(a_schedule_that_cannot_be_met_names_its_phase),
      cmocka_unit_test(a_period_may_be_cut_in_two),
      cmocka_unit_test(a_free_start_does_not_depend_on_the_unit_of_length),
      cmocka_unit_test(a_phase_ends_at_a_touch),
      cmocka_unit_test(a_period_without_phases_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
