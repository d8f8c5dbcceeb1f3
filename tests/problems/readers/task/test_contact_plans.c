// Plans through contact and dry friction: their laws at every knot, symmetry, contacts that are never touched, and
// tasks that the reader refuses.
#include "lib/contact/knot_step.h"
#include "lib/discrete/contact_check.h"
#include "optim/solution_layout.h"
#include "optim/starts/guess.h"
#include "problems/readers/task/read_schedule.h"
#include "tests/support/plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// a finger pushes a box on a table
#define PUSH(mu, more)                                                                             \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx], mass: 0.5}\n"                                                \
  "    - {name: box, joints: [tx], mass: 1}\n"                                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: face, type: above, bodies: [finger, box],\n"                                       \
  "       points: [[0, 0, 0], [-0.1, 0, 0]], axis: [-1, 0, 0]}\n"                                  \
  "  friction:\n"                                                                                  \
  "    - {joint: box, force: " mu "}\n"                                                            \
  "inputs: [{joint: finger}]\n"                                                                    \
  "horizon: {steps: 15, time: 1}\n"                                                                \
  "start: {q: {finger: -0.25, box: 0}, v: 0}\n"                                                    \
  "goal: {q: {box: 0.3}, v: 0}\n"                                                                  \
  "cost: {input: 1}\n" more

// the largest fault of a motion's impulses
static dm_contact_verdict judge(const pb_problem *p, const dm_trajectory *x) {
  unsigned char entry[200];
  dm_contact_verdict v;
  assert_true((x->N + 1) * p->task.system.contacts->n <= 200);
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);
  return v;
}

static void a_box_is_pushed_by_the_laws_of_contact(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("3", ""));
  double objective, gap;
  int worst;
  dm_trajectory *x = solve_problem(p, &objective);

  // each knot stepped once under its impulses leads to the next one
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &p->task.system, NULL), DM_OK);
  assert_int_equal(dm_trajectory_certify(x, del, NULL, &gap, &worst), DM_OK);
  assert_true(gap < 1e-9);
  dm_del_free(del);

  // every law holds, and the box has arrived
  assert_true(judge(p, x).worst < 1e-9);
  assert_true(fabs(x->q[2 * x->N + 1] - 0.3) < 1e-9);

  // the finger's impulse, less friction on the way, gives the box no momentum in sum
  double pushed = 0, slowed = 0;
  for (int k = 0; k <= x->N; k++) {
    const double *F = x->contact + k * x->nr;
    pushed += F[0];
    slowed += F[1];
  }
  assert_true(pushed > 0.1);
  assert_true(fabs(pushed + slowed) < 1e-9);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

static void faults_are_found(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("3", ""));
  double objective;
  dm_trajectory *x = solve_problem(p, &objective);
  double *first = x->contact; // open, and the box at rest

  // an impulse at an open gap; one that pulls
  first[0] = 0.2;
  dm_contact_verdict v = judge(p, x);
  assert_int_equal(v.fault, DM_CONTACT_FAR);
  assert_int_equal(v.knot, 0);
  first[0] = -0.2;
  assert_int_equal(judge(p, x).fault, DM_CONTACT_PULLS);
  first[0] = 0;

  // friction beyond its bound of 3 N in a step
  first[1] = 4 * x->h;
  v = judge(p, x);
  assert_int_equal(v.fault, DM_CONTACT_BEYOND);
  assert_int_equal(v.law, 1);
  first[1] = 0;

  // a box that slides without friction, and a finger inside it
  int slides = 0;
  while (fabs(x->q[2 * (slides + 1) + 1] - x->q[2 * slides + 1]) < 1e-3) slides++;
  double *F = x->contact + slides * x->nr, kept = F[1];
  F[1] = 0;
  assert_int_equal(judge(p, x).fault, DM_CONTACT_SLIPS);
  F[1] = -kept;
  assert_int_equal(judge(p, x).fault, DM_CONTACT_DRIVES);
  F[1] = kept;
  x->q[2 * 1] = 0.5;
  assert_int_equal(judge(p, x).fault, DM_CONTACT_PASSED);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

// the same with the other signs
#define MIRRORED                                                                                   \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx], mass: 0.5}\n"                                                \
  "    - {name: box, joints: [tx], mass: 1}\n"                                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: face, type: above, bodies: [finger, box],\n"                                       \
  "       points: [[0, 0, 0], [0.1, 0, 0]], axis: [1, 0, 0]}\n"                                    \
  "  friction:\n"                                                                                  \
  "    - {joint: box, force: 3}\n"                                                                 \
  "inputs: [{joint: finger}]\n"                                                                    \
  "horizon: {steps: 15, time: 1}\n"                                                                \
  "start: {q: {finger: 0.25, box: 0}, v: 0}\n"                                                     \
  "goal: {q: {box: -0.3}, v: 0}\n"                                                                 \
  "cost: {input: 1}\n"

static void a_mirrored_task_has_the_mirrored_plan(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("3", "")), *m = read_problem(MIRRORED);
  double J, J_mirrored;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(m, &J_mirrored);
  assert_true(fabs(J - J_mirrored) < 1e-9 * J);
  for (int i = 0; i < 2 * (x->N + 1); i++) assert_true(fabs(x->q[i] + y->q[i]) < 1e-6);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(m);
}

// an arm that rises to an angle, with these terms of friction
static pb_problem *read_arm(const char *goal, const char *terms) {
  char text[900];
  snprintf(text, sizeof text,
           "model:\n  gravity: [0, 0, -9.81]\n"
           "  bodies: [{name: arm, joints: [ry], mass: 1, centre: [0, 0, -0.5]}]\n%s"
           "inputs: [{joint: arm}]\nhorizon: {steps: 30, time: 1}\n"
           "start: {q: 0, v: 0}\ngoal: {q: %s, v: 0}\ncost: {input: 1}\n",
           terms, goal);
  return read_problem(text);
}

// the mirrored task with the opposite offset
static void all_terms_of_friction_are_in_plans(void **state) {
  (void)state;
  static const char falls[] = "  friction: [{joint: arm, force: 1, static: 1.5, stribeck: 0.8, "
                              "viscous: 0.3, offset: %s0.4}]\n";
  char terms[2][200];
  dm_trajectory *x[2];
  double J[2], gap;
  int knot;
  for (int i = 0; i < 2; i++) {
    snprintf(terms[i], sizeof terms[i], falls, i ? "-" : "");
    pb_problem *p = read_arm(i ? "-1" : "1", terms[i]);
    x[i] = solve_problem(p, &J[i]);
    assert_true(judge(p, x[i]).worst < 1e-9);
    assert_int_equal(dm_knot_certify(x[i], &p->task.system, NULL, &gap, &knot), DM_OK);
    assert_true(gap < 1e-9);
    pb_problem_free(p);
  }
  assert_true(fabs(J[0] - J[1]) < 1e-9 * J[0]);
  for (int i = 0; i <= x[0]->N; i++) assert_true(fabs(x[0]->q[i] + x[1]->q[i]) < 1e-6);
  for (int i = 0; i < 2; i++) dm_trajectory_free(x[i]);
}

static void friction_of_zero_changes_no_digit(void **state) {
  (void)state;
  pb_problem *p = read_arm("1", "");
  pb_problem *w = read_arm("1", "  friction: [{joint: arm, force: 0, viscous: 0, offset: 0}]\n");
  double J, J_zero;
  assert_null(w->task.system.contacts);
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_zero);
  assert_true(J == J_zero);
  assert_memory_equal(x->q, y->q, (size_t)(x->N + 1) * sizeof *x->q);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(w);
}

// a finger that moves to a place in front of a wall
#define REACH(contacts)                                                                            \
  "model:\n"                                                                                       \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx, ty], mass: 0.5}\n" contacts "inputs: all\n"                   \
  "horizon: {steps: 12, time: 1}\n"                                                                \
  "start: {q: 0, v: 0}\n"                                                                          \
  "goal: {q: [0.3, 0.2], v: 0}\n"                                                                  \
  "cost: {input: 1}\n"

static void a_wall_that_is_not_touched_changes_nothing(void **state) {
  (void)state;
  pb_problem *p = read_problem(REACH(""));
  pb_problem *w = read_problem(REACH("  contacts:\n"
                                     "    - {name: wall, type: above, bodies: [finger, world],\n"
                                     "       points: [[0, 0, 0], [1, 0, 0]], axis: [-1, 0, 0],\n"
                                     "       friction: 0.5}\n"));
  double J, J_walled;
  dm_trajectory *x = solve_problem(p, &J), *y = solve_problem(w, &J_walled);
  assert_true(fabs(J - J_walled) < 1e-9 * J);
  for (int i = 0; i < 2 * (x->N + 1); i++) assert_true(fabs(x->q[i] - y->q[i]) < 1e-7);
  assert_int_equal(judge(w, y).changes, 0);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  pb_problem_free(p);
  pb_problem_free(w);
}

// a sled that is pressed to a floor by its weight and pulled against friction in the plane: two tangents
static void friction_in_two_directions_holds(void **state) {
  (void)state;
  pb_problem *p = read_problem("model:\n"
                               "  gravity: [0, 0, -9.81]\n"
                               "  bodies:\n"
                               "    - {name: sled, joints: [tx, ty, tz], mass: 2}\n"
                               "  contacts:\n"
                               "    - {name: floor, type: above, bodies: [sled, world],\n"
                               "       axis: [0, 0, 1], friction: 0.3, restitution: 0}\n"
                               "inputs: [{joint: sled.tx}, {joint: sled.ty}]\n"
                               "horizon: {steps: 12, time: 1}\n"
                               "start: {q: 0, v: 0}\n"
                               "goal: {q: [0.4, 0.1, 0], v: 0}\n"
                               "cost: {input: 0.01}\n");
  double J;
  dm_trajectory *x = solve_problem(p, &J);
  const dm_contact_verdict v = judge(p, x);
  assert_true(v.worst < 1e-9);

  // the floor carries the weight over the whole second
  double weight = 0;
  for (int k = 0; k <= x->N; k++) weight += x->contact[k * x->nr];
  assert_true(fabs(weight - 2 * 9.81) < 1e-7);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

// -- schedules

// schedule.csv of a motion that pushes a box: the face, and the box with its dry friction
static const char *write_schedule(const dm_trajectory *x, const unsigned char *entry, int without) {
  static char text[4096];
  char word[24];
  int at = snprintf(text, sizeof text, "k,t,contact,state\n");
  for (int k = 0; k <= x->N; k++)
    for (int l = 0; l < 2; l++)
      if (k != without)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d,%g,%s,%s\n", k, k * x->h,
                       l ? "box" : "face", pb_schedule_word(entry[2 * k + l], l, word));
  return put_file(folder, "schedule.csv", text);
}

static void a_schedule_that_is_given_has_the_plan_that_found_it(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("3", ""));
  unsigned char entry[64];
  dm_contact_verdict v;
  double found, given;
  dm_trajectory *x = solve_problem(p, &found);
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);
  write_schedule(x, entry, -1);
  pb_problem *g = read_problem(PUSH("3", "contact: {schedule: schedule.csv}\n"));
  dm_trajectory *y = solve_problem(g, &given);
  assert_true(fabs(given - found) < 1e-8 * found);
  for (int i = 0; i < 2 * (x->N + 1); i++) assert_true(fabs(x->q[i] - y->q[i]) < 1e-6);
  dm_trajectory_free(y);
  pb_problem_free(g);

  // as a guess on the same grid it has its impulses; on another their sum is the same
  double sum[2] = {0};
  dm_trajectory *other;
  oc_task half = p->task;
  assert_int_equal(dm_trajectory_of(&y, x->N, &p->task.system), DM_OK);
  oc_guess_resample(&p->task, x, y);
  for (int i = 0; i < 2 * (x->N + 1); i++) assert_true(y->contact[i] == x->contact[i]);
  half.N = 2 * x->N;
  assert_int_equal(dm_trajectory_of(&other, half.N, &p->task.system), DM_OK);
  oc_guess_resample(&half, x, other);
  for (int k = 0; k <= x->N; k++) sum[0] += x->contact[2 * k];
  for (int k = 0; k <= half.N; k++) sum[1] += other->contact[2 * k];
  assert_true(fabs(sum[0] - sum[1]) < 0.1 * sum[0]);
  dm_trajectory_free(other);
  dm_trajectory_free(y);

  // the sooner the search ends, the fewer searches; the plan is the same
  g = read_problem(PUSH("3", "contact: {search: auto, epsilon: 1e-3}\n"));
  y = solve_problem(g, &given);
  assert_true(fabs(given - found) < 1e-8 * found);
  dm_trajectory_free(y);
  pb_problem_free(g);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

// -- tasks without a plan

// the same push with a part replaced, such as "steps: 15" by "steps: 2"
static const char *push_with(const char *old, const char *with) {
  static char text[4096];
  const char *whole = PUSH("3", ""), *at = strstr(whole, old);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, with, at + strlen(old));
  return text;
}

static dm_status find_failure(const pb_problem *p, oc_solve_info *info) {
  dm_trajectory *x = NULL;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  const dm_status s = oc_solve(&p->task, &set, &x, info, &msg);
  dm_trajectory_free(x);
  return s;
}

// on a grid that is not halved, and on one that is
static void a_finger_that_only_pushes_cannot_pull(void **state) {
  static const char *const pull[] = {"15, time: 1}\nstart: {q: {finger: 0.35, box: 0.6",
                                     "30, time: 1}\nstart: {q: {finger: 0.35, box: 0.6"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    oc_solve_info info;
    pb_problem *p =
        read_problem(push_with("15, time: 1}\nstart: {q: {finger: -0.25, box: 0", pull[i]));
    assert_int_equal(find_failure(p, &info), DM_INFEASIBLE);
    assert_true(info.spent < 2500);
    assert_true(info.violation_share > 1e-3);
    pb_problem_free(p);
  }
}

// a long grid begins with the motion of a short one; a search that began on the long grid alone ended 40 % above
static void a_long_grid_has_a_plan_as_good_as_that_of_a_short_one(void **state) {
  (void)state;
  double few, many;
  pb_problem *p = read_problem(PUSH("3", ""));
  dm_trajectory_free(solve_problem(p, &few));
  pb_problem_free(p);

  p = read_problem(push_with("steps: 15", "steps: 240"));
  dm_trajectory *x = solve_problem(p, &many);
  unsigned char entry[2 * 241];
  dm_contact_verdict v;
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);
  assert_true(v.worst < 1e-9);
  assert_true(many < 1.1 * few);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

static void a_schedule_that_cannot_be_met_names_its_contact(void **state) {
  (void)state;
  oc_solve_info info;
  pb_problem *p = read_problem(PUSH("3", ""));
  double J;
  unsigned char entry[64];
  dm_contact_verdict v;
  dm_trajectory *x = solve_problem(p, &J);
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);

  // with less friction, the face would have to stop the box by pulling
  for (int k = 0; k <= x->N; k++)
    if (DM_LAW_STATE(entry[2 * k + 1]) == DM_LAW_SLIDES) entry[2 * k] = DM_LAW_STICKS;
  write_schedule(x, entry, -1);
  pb_problem *g = read_problem(PUSH("0.1", "contact: {schedule: schedule.csv}\n"));
  const dm_status s = find_failure(g, &info);
  if (s != DM_INFEASIBLE) fail_msg("status %d, objective %g", s, info.objective);
  assert_true(info.unmet.worst > 1e-6);
  assert_int_equal(info.unmet.law, 0);
  assert_int_equal(info.unmet.fault, DM_CONTACT_PULLS);
  dm_trajectory_free(x);
  pb_problem_free(g);
  pb_problem_free(p);
}

// -- refusals

// a block on a floor, and more contacts
#define BLOCK(more)                                                                                \
  "model:\n"                                                                                       \
  "  bodies: [{name: b, joints: [tx, ty, tz], mass: 1}]\n"                                         \
  "  contacts: [{name: f, type: above, bodies: [b, world], axis: [0, 0, 1], friction: 1}" more     \
  "]\n"

static void refuses(const char *text, const char *found) {
  pb_problem *p = NULL;
  dm_message msg;
  if (pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg) == DM_OK)
    fail_msg("not refused, expected: %s", found);
  if (!strstr(msg.text, found)) fail_msg("found '%s', expected '%s'", msg.text, found);
}

static void what_a_plan_cannot_have_is_refused(void **state) {
  (void)state;
  refuses(PUSH("3", "design: [{name: m, at: model.bodies.0.mass, within: [1, 2]}]\n"),
          "'design' beside the contact 'face'");
  refuses(PUSH("3", "transcription: second-order\n"), "transcription: found second-order");
  refuses(PUSH("-3", ""), "force");

  // conditions on speeds, names that results would confuse
  refuses(PUSH("3", "outputs: [{name: s, type: velocity, bodies: box}]\n"
                    "bounds: {outputs: {s.x: [-1, 1]}}\n"),
          "found a condition on speeds at a knot (via, bounds.outputs)");
  refuses(
      BLOCK(
          ", {name: f.1, type: above, bodies: [b, world], axis: [0, 0, 1]}") "horizon: {steps: 5, "
                                                                             "time: 1}\nstart: {q: "
                                                                             "0, v: 0}\ngoal: {q: "
                                                                             "0}\ncost: {input: "
                                                                             "1}\n",
      "'f.1' as the name of a contact, which is also that of a tangent");

  // schedules
  refuses(PUSH("3", "contact: {schedule: missing.csv}\n"), "missing.csv");
  refuses(PUSH("3", "contact: {schedule: a.csv, epsilon: 1e-3}\n"), "beside schedule");
  refuses(PUSH("3", "contact: {epsilon: 2}\n"), "contact.epsilon");
  put_file(folder, "a.csv", "k,contact\n0,face\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "found no column 'state'");
  put_file(folder, "a.csv", "k,contact,state\n0,faces,open\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "a.csv:2: column 'contact': found 'faces'");
  put_file(folder, "a.csv", "k,contact,state\n0,face,slides\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "'slides' of 'face', expected open or sticks");
  put_file(folder, "a.csv", "k,contact,state\n0,face,open\n0,face,sticks\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "a second row of 'face' at knot 0");
  put_file(folder, "a.csv", "k,contact,state\n0,face,open\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "no row of 'box' at knot 0");
  put_file(folder, "a.csv", "k,contact,state\n16,face,open\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "found '16', expected a knot from 0 to 15");
  put_file(folder, "a.csv", "k,contact,state\n77,face,open\n");
  refuses(PUSH("3", "contact: {schedule: a.csv}\n"), "expected a knot from 0 to 15");
  refuses("model:\n"
          "  bodies: [{name: a, joints: [tx], mass: 1}]\n"
          "contact: {epsilon: 1e-3}\n"
          "simulate: {steps: 10, step: 0.1, start: {v: 1}}\n",
          "found 'contact', expected it in a plan");
  refuses("model:\n"
          "  bodies: [{name: a, joints: [tx], mass: 1}]\n"
          "  friction: [{joint: a, force: 1}]\n"
          "contact: {epsilon: 1e-3}\n"
          "simulate: {method: knot, steps: 10, step: 0.1, start: {v: 1}}\n",
          "contact.epsilon: found one without 'horizon'");
  refuses("model:\n"
          "  bodies: [{name: a, joints: [tx], mass: 1}]\n"
          "simulate: {method: knot, steps: 10, step: 0.1, start: {v: 1}}\n",
          "simulate.method: found knot, expected it beside model.contacts");
  refuses("model:\n"
          "  bodies: [{name: a, joints: [tx], mass: 1}]\n"
          "  friction: [{joint: a, force: 1}]\n"
          "simulate: {steps: 10, step: 0.1, start: {v: 1}}\n",
          "dry friction of 'a', expected a speed");
  refuses(REACH("  contacts:\n"
                "    - {name: wall, type: above, bodies: [finger, world],\n"
                "       points: [[0, 0, 0], [0.2, 0, 0]], axis: [-1, 0, 0]}\n"),
          "goal");
}

// a block on a floor that is pushed in the plane
#define FLOOR(contact)                                                                             \
  "model:\n"                                                                                       \
  "  bodies: [{name: b, joints: [tx, ty, tz], mass: 1}]\n"                                         \
  "  contacts:\n"                                                                                  \
  "    - " contact "\n"                                                                            \
  "inputs: [{joint: b.tx}, {joint: b.ty}]\n"                                                       \
  "horizon: {steps: 5, time: 1}\n"                                                                 \
  "start: {q: 0, v: 0}\n"                                                                          \
  "goal: {q: [0.3, 0, 0], v: 0}\n"                                                                 \
  "cost: {input: 0.01}\n"

static void faulty_contacts_are_refused(void **state) {
  (void)state;
  // names
  refuses(FLOOR("{name: '', type: above, bodies: [b, world], axis: [0, 0, 1]}"),
          "task.yaml:4:14: model.contacts[].name: found the text \"\"");
  refuses(FLOOR("{name: f, type: above, bodies: [c, world], axis: [0, 0, 1]}"),
          "task.yaml:4:39: model.contacts[].bodies: found the unknown body 'c', expected one of "
          "world, b");
  refuses(FLOOR("{name: f, type: above, bodies: [b, world], axis: [0, 0, 1]}\n"
                "    - {name: f, type: above, bodies: [b, world], axis: [1, 0, 0]}"),
          "task.yaml:5:14: model.contacts[]: found a second one named 'f'");
  refuses(push_with("name: face", "name: box"),
          "task.yaml:10:15: model: found 'box' as the name of two contacts, or of one and a joint");

  // values
  refuses(FLOOR("{name: f, type: above, bodies: [b, world], axis: [0, 0, 1], friction: -1}"),
          "model.contacts[].friction: found '-1', expected a number >= 0");
  refuses(FLOOR("{name: f, type: above, bodies: [b, world], axis: [0, 0, 1], friction: nan}"),
          "model.contacts[].friction: found 'nan', expected a number >= 0");
  refuses(FLOOR("{name: f, type: above, bodies: [b, world], axis: [0, nan, 1]}"),
          "model.contacts[].axis: found 'nan', expected a finite number");
  refuses(FLOOR("{name: f, type: above, bodies: [b, world], axis: [0, 0, 0]}"),
          "model.contacts[].axis: found 0 0 0, expected a direction");
  refuses(push_with("finger: -0.25", "finger: nan"),
          "start.q.finger: found 'nan', expected a finite number, or free");

  // friction needs a plane with tangents
  refuses(
      FLOOR("{name: f, type: at-least, bodies: [b, world], length: 1, friction: 1}"),
      "task.yaml:4:64: model.contacts[]: found 'friction', expected none for the type at-least");
}

static void ends_inside_an_obstacle_are_refused(void **state) {
  (void)state;
  refuses(push_with("finger: -0.25", "finger: 0.2"),
          "task.yaml:13:8: start: found it inside an obstacle, 0.3 m deep in the contact 'face', "
          "expected at most 2e-05");
  refuses(push_with("goal: {q: {box: 0.3}", "goal: {q: {finger: 0.3, box: 0.3}"),
          "task.yaml:14:7: goal: found it inside an obstacle, 0.1 m deep in the contact 'face'");
  refuses(push_with("{finger: -0.25, box: 0}", "{box: 0}"),
          "start: found free coordinates that move the contact 'face'");

  // one that is inside by rounding is moved: each body by half of it
  pb_problem *p = read_problem(push_with("finger: -0.25", "finger: -0.099999"));
  assert_true(fabs(p->task.start.q[0] + 0.0999995) < 1e-12);
  assert_true(fabs(p->task.start.q[1] - 0.0000005) < 1e-12);
  assert_true(strstr(p->warnings.text[p->warnings.n - 1],
                     "inside the contact 'face', and is moved") != NULL);
  pb_problem_free(p);

  // coordinates that a goal leaves free do not move
  p = read_problem(push_with("goal: {q: {box: 0.3}", "goal: {q: {box: 0.3, finger: 0.2}"));
  assert_true(p->task.goal.q[0] == 0.2 && p->task.goal.q[1] == 0.3);
  pb_problem_free(p);
}

#define CART(load, effort, goal)                                                                   \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: cart, joints: [{name: x, type: tx}], mass: 1}\n"                                   \
  "    - {name: pole, parent: cart, joints: [{name: th, type: ry}], mass: 0.3,\n"                  \
  "       centre: [0, 0, -0.5]}\n"                                                                 \
  "  friction: [{joint: x, force: 30}]\n"                                                          \
  "inputs: [{joint: x, effort: " effort "}]\n"                                                     \
  "horizon: {steps: 30, time: 2}\n"                                                                \
  "start: {q: {x: 0, th: " load "}, v: 0}\n"                                                       \
  "goal: {q: {" goal "}}\n"                                                                        \
  "cost: {input: 1}\n"

static void friction_that_holds_everything_is_refused(void **state) {
  (void)state;
  refuses(CART("0", "20", "th: pi"),
          "task.yaml:7:22: model.friction: found 30 on 'x', where inputs exert at most 20, so that "
          "nothing moves from the start");

  // gravity moves the pole, and the pole may move the cart; an effort above the friction moves it
  pb_problem *p = read_problem(CART("0.3", "20", "x: 1, th: pi"));
  assert_true(strstr(p->warnings.text[p->warnings.n - 1],
                     "inputs exert at most 20 on 'x', less than its dry "
                     "friction of 30: only other joints") != NULL);
  pb_problem_free(p);
  pb_problem_free(read_problem(CART("0", "30.1", "th: pi")));
  pb_problem_free(read_problem(CART("0", "20", "th: 0")));
}

// the variables that a program says its rows define have the derivative -1 there; returns their number
static int count_defined(const char *text) {
  pb_problem *p = read_problem(text);
  oc_transcription *t;
  dm_message msg;
  int defined = 0;
  assert_int_equal(oc_transcription_new(&t, &p->task, &msg), DM_OK);
  const oc_nlp *nlp = oc_transcription_nlp(t);
  double *x = calloc((size_t)nlp->n, sizeof *x),
         *value = calloc((size_t)nlp->jac_nnz, sizeof *value);
  int *row = calloc(2 * (size_t)nlp->jac_nnz, sizeof *row), *col = row + nlp->jac_nnz;
  assert_true(x && value && row);
  for (int i = 0; i < nlp->n; i++) x[i] = 0.1 + 0.01 * (i % 7);
  oc_triplets s = {row, col, value, 0};
  assert_int_equal(nlp->jac(nlp->self, x, &s), DM_OK);
  for (int j = 0; j < nlp->n; j++) {
    const int own = nlp->own_row(nlp->self, j);
    double sum = 0;
    for (int e = 0; e < s.n; e++) sum += col[e] == j && row[e] == own ? value[e] : 0;
    assert_true(sum == (own < 0 ? 0 : -1));
    assert_true(own < 0 || nlp->g_min[own] == nlp->g_max[own]);
    defined += own >= 0;
  }
  free(x);
  free(value);
  free(row);
  oc_transcription_free(t);
  pb_problem_free(p);
  return defined;
}

static void members_of_pairs_are_defined_by_their_rows(void **state) {
  (void)state;
  // 16 knots with a gap, and with dry friction: its rest, and two distances
  assert_int_equal(count_defined(PUSH("3", "")), 16 * 4);
  // a gap, the rest of friction, and four distances
  assert_int_equal(count_defined("model:\n"
                                 "  gravity: [0, 0, -9.81]\n"
                                 "  bodies: [{name: sled, joints: [tx, ty, tz], mass: 2}]\n"
                                 "  contacts: [{name: floor, type: above, bodies: [sled, world],\n"
                                 "    axis: [0, 0, 1], friction: 0.3, restitution: 0}]\n"
                                 "inputs: [{joint: sled.tx}, {joint: sled.ty}]\n"
                                 "horizon: {steps: 12, time: 1}\n"
                                 "start: {q: 0, v: 0}\n"
                                 "goal: {q: [0.4, 0.1, 0], v: 0}\n"
                                 "cost: {input: 0.01}\n"),
                   13 * 6);
}

static void a_foot_lands_on_heel_and_toe(void **state) {
  (void)state;
  const char *source = getenv("DMOC_SOURCE");
  if (!getenv("DMOC_LONG")) return;
  assert_non_null(source);
  // schedules that are read from these starts let heel and toe stick while the foot turns to the ground
  const int starts[] = {10, 15, 31};
  char file[1000];
  dm_message msg;
  pb_problem *p;
  snprintf(file, sizeof file, "%s/problems/contact/flamingo.yaml", source);
  assert_int_equal(pb_problem_read(&p, file, &msg), DM_OK);
  for (int i = 0; i < 3; i++) {
    oc_setup set = oc_setup_default();
    oc_solution *w;
    dm_trajectory *x;
    set.options.method = OC_SOLVER_STAGE;
    set.options.only_guess = true;
    assert_int_equal(dm_trajectory_of(&x, p->task.N, &p->task.system), DM_OK);
    assert_int_equal(oc_guess_line(&p->task, x), DM_OK);
    oc_guess_perturb(&p->task, 1, starts[i], 0.3, x);
    assert_int_equal(oc_solution_new(&w, &p->task, &set, &msg), DM_OK);
    assert_int_equal(oc_solution_start(w, x), DM_OK);
    assert_int_equal(oc_solution_find(w, &msg), DM_OK);
    assert_int_equal(w->info.status, DM_OK);

    // the impulses obey the laws
    assert_true(judge(p, w->motion).worst < 1e-9);
    oc_solution_free(w);
    dm_trajectory_free(x);
  }
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_is_pushed_by_the_laws_of_contact),
      cmocka_unit_test(faults_are_found),
      cmocka_unit_test(a_mirrored_task_has_the_mirrored_plan),
      cmocka_unit_test(all_terms_of_friction_are_in_plans),
      cmocka_unit_test(friction_of_zero_changes_no_digit),
      cmocka_unit_test(a_wall_that_is_not_touched_changes_nothing),
      cmocka_unit_test(friction_in_two_directions_holds),
      cmocka_unit_test(a_schedule_that_is_given_has_the_plan_that_found_it),
      cmocka_unit_test(a_finger_that_only_pushes_cannot_pull),
      cmocka_unit_test(a_long_grid_has_a_plan_as_good_as_that_of_a_short_one),
      cmocka_unit_test(a_schedule_that_cannot_be_met_names_its_contact),
      cmocka_unit_test(what_a_plan_cannot_have_is_refused),
      cmocka_unit_test(faulty_contacts_are_refused),
      cmocka_unit_test(ends_inside_an_obstacle_are_refused),
      cmocka_unit_test(friction_that_holds_everything_is_refused),
      cmocka_unit_test(members_of_pairs_are_defined_by_their_rows),
      cmocka_unit_test(a_foot_lands_on_heel_and_toe),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
