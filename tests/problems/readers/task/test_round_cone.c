// Friction within a round cone in plans through contact: the derivatives of its rows, and the same plan in every
// direction.
#include "lib/contact/knot_step.h"
#include "lib/discrete/contact_check.h"
#include "optim/program/transcribe.h"
#include "optim/rows/contact_rows.h"
#include "tests/support/models.h"
// after cmocka, which models.h includes
#include "tests/support/plans.h"
// after it, as it has a type `at`
#include "tests/support/programs.h"

// a block that rotates by its angles as well; two corners or spheres touch the contacts
#define TILTED(contacts)                                                                           \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies: [{name: block, joints: [tx, ty, tz, rz, ry], mass: 2, inertia: [0.1, 0.2, 0.3]}]\n"   \
  "  contacts:\n" contacts "inputs: [{joint: block.tx}]\n"                                         \
  "horizon: {steps: 4, time: 1}\n"                                                                 \
  "start: {q: {block.tx: 0, block.ty: 0, block.tz: 1, block.rz: 0, block.ry: 0}}\n"                \
  "goal: {q: {block.tx: 1}}\n"                                                                     \
  "cost: {input: 1}\n"
#define CORNERS                                                                                    \
  "    - {name: a, type: above, bodies: [block, world], points: [[0.1, 0.2, -0.3], [0, 0, 0]], "   \
  "axis: [0, 0, 1], friction: 0.4}\n"                                                              \
  "    - {name: b, type: above, bodies: [block, world], points: [[-0.3, 0.1, -0.2], [0, 0, 0]], "  \
  "axis: [0.6, 0, 0.8], friction: 0.7}\n"
#define SPHERES                                                                                    \
  "    - {name: a, type: above, bodies: [block, world], points: [[0.1, 0.2, -0.3], [0, 0, 0]], "   \
  "axis: [0.6, 0, 0.8], length: 0.2, friction: 0.4}\n"                                             \
  "    - {name: b, type: outside, bodies: [block, world], points: [[-0.3, 0.1, -0.2], [0, 0, "     \
  "0]], "                                                                                          \
  "against: {type: capsule, radius: 0.1, points: [[0.1, -0.2, -0.3], [0.2, 0.1, -0.4]]}, length: " \
  "0.05, friction: 0.7}\n"

static void check_rows(const char *text) {
  pb_problem *p = read_problem(text);
  oc_transcription *t;
  assert_int_equal(oc_transcription_new(&t, &p->task, NULL), DM_OK);
  for (uint64_t seed = 1; seed < 5; seed++) {
    // the signs of random unknowns are a schedule with open, sticking and sliding contacts
    at a = point_of(oc_transcription_nlp(t), seed);
    if (seed > 1) oc_contact_rows_read(t, a.x);
    if (seed > 1) oc_contact_rows_fix(t);
    check_point(&a, seed > 1 ? "a schedule" : "a search");
    drop(&a);
  }
  oc_transcription_free(t);
  pb_problem_free(p);
}

static void rows_have_exact_derivatives(void **state) {
  (void)state;
  check_rows(TILTED(CORNERS));
  check_rows(TILTED(SPHERES));
}

// a block that is pushed along the direction `angle`, and has a speed across it at first
static pb_problem *read_push(double angle) {
  const double c = cos(angle), s = sin(angle);
  char text[1200];
  snprintf(
      text, sizeof text,
      "model:\n"
      "  gravity: [0, 0, -9.81]\n"
      "  bodies: [{name: block, joints: [tx, ty, tz], mass: 2}]\n"
      "  contacts:\n"
      "    - {name: floor, type: above, bodies: [block, world], axis: [0, 0, 1], friction: 0.4}\n"
      "inputs:\n"
      "  - {name: along, body: block, frame: mixed, force: [%.17g, %.17g, 0]}\n"
      "  - {name: across, body: block, frame: mixed, force: [%.17g, %.17g, 0]}\n"
      "horizon: {steps: 20, time: 1}\n"
      "start: {q: 0, v: {block.tx: %.17g, block.ty: %.17g, block.tz: 0}}\n"
      "goal: {q: {block.tx: %.17g, block.ty: %.17g}, v: 0}\n"
      "cost: {input: 1}\n",
      c, s, -s, c, -0.8 * s, 0.8 * c, 0.4 * c, 0.4 * s);
  return read_problem(text);
}

static dm_trajectory *solve_push(const pb_problem *p, double *objective) {
  dm_trajectory *x;
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  set.options.tol = 1e-10;
  const dm_status s = oc_solve(&p->task, &set, &x, &info, &msg);
  if (s != DM_OK) fail_msg("%s after %d", s < 0 ? msg.text : info.detail, info.iterations);
  *objective = info.objective;
  return x;
}

static void a_rotated_task_has_the_rotated_plan(void **state) {
  (void)state;
  pb_problem *p = read_push(0);
  double first;
  dm_trajectory *plan = solve_push(p, &first);

  unsigned char states[40], given[40];
  dm_contact_verdict v;
  assert_int_equal(dm_contact_check(plan, &p->task.system, states, &v), DM_OK);
  assert_true(v.worst < 1e-9);

  // friction turns: at some knots it is at its bound along no axis
  bool turned = false;
  for (int k = 0; k < plan->N; k++) {
    const double *F = plan->contact + 3 * k, bound = 0.4 * F[0];
    turned |= fabs(F[1]) > 0.2 * bound && fabs(F[2]) > 0.2 * bound &&
              fabs(hypot(F[1], F[2]) / bound - 1) < 1e-6;
  }
  assert_true(turned);
  for (int i = 1; i < 9; i++) {
    const double angle = 0.7 * i, c = cos(angle), s = sin(angle);
    pb_problem *turn = read_push(angle);
    double objective, gap;
    int knot;
    unsigned char entry[40];

    // the states of the first plan, as a search among four directions may find others
    for (int k = 0; k <= plan->N; k++) {
      const double *F = plan->contact + 3 * k;
      const double rotated[] = {F[0], c * F[1] - s * F[2], s * F[1] + c * F[2]};
      given[k] = states[k];
      if (DM_LAW_STATE(given[k]) == DM_LAW_SLIDES)
        given[k] = dm_contact_sliding(turn->task.system.contacts->law, rotated, 0);
    }
    dm_contact_laws laws = *turn->task.system.contacts;
    laws.schedule = given;
    laws.knots = plan->N + 1;
    turn->task.system.contacts = &laws;
    dm_trajectory *x = solve_push(turn, &objective);
    if (fabs(objective / first - 1) > 1e-8)
      fail_msg("angle %.2f: %.12g, not %.12g", angle, objective, first);
    for (int k = 0; k <= x->N; k++) {
      const double *q = x->q + 3 * k, *of = plan->q + 3 * k;
      assert_true(fabs(q[0] - c * of[0] + s * of[1]) < 1e-8);
      assert_true(fabs(q[1] - s * of[0] - c * of[1]) < 1e-8);
    }
    assert_int_equal(dm_knot_certify(x, &turn->task.system, NULL, &gap, &knot), DM_OK);
    assert_true(gap < 1e-9);
    assert_int_equal(dm_contact_check(x, &turn->task.system, entry, &v), DM_OK);
    assert_true(v.worst < 1e-9);
    dm_trajectory_free(x);
    pb_problem_free(turn);
  }
  dm_trajectory_free(plan);
  pb_problem_free(p);
}

static void a_ball_is_rolled_over_a_dome(void **state) {
  (void)state;
  pb_problem *p = read_problem(
      "model:\n"
      "  gravity: [0, 0, -9.81]\n"
      "  bodies: [{name: ball, joints: [tx, ty, tz, ball], mass: 1, inertia: [4e-3, 4e-3, 4e-3]}]\n"
      "  contacts:\n"
      "    - {name: dome, type: outside, bodies: [ball, world], against: {type: sphere, radius: "
      "1}, "
      "length: 0.1, friction: 0.6}\n"
      "inputs:\n"
      "  - {name: fx, body: ball, frame: mixed, force: [1, 0, 0]}\n"
      "  - {name: fy, body: ball, frame: mixed, force: [0, 1, 0]}\n"
      "horizon: {steps: 10, time: 1}\n"
      "start: {q: {ball.tx: -0.3, ball.ty: 0.1, ball.tz: 1.0535653752852738, ball.ball.qw: 1, "
      "ball.ball.qx: 0, "
      "ball.ball.qy: 0, ball.ball.qz: 0}, v: 0}\n"
      "goal: {q: {ball.tx: 0.3, ball.ty: 0.2}, v: 0}\n"
      "cost: {input: 1}\n");
  double objective, gap;
  int knot;
  unsigned char entry[20];
  dm_contact_verdict v;
  dm_trajectory *x = solve_push(p, &objective);
  assert_int_equal(dm_knot_certify(x, &p->task.system, NULL, &gap, &knot), DM_OK);
  assert_true(gap < 1e-9);
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);
  assert_true(v.worst < 1e-9);

  // it stays on the dome and has turned
  const double *end = x->q + (size_t)x->N * (size_t)x->n;
  assert_true(fabs(hypot(hypot(end[0], end[1]), end[2]) - 1.1) < 1e-9);
  assert_true(end[3] < 0.9);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_exact_derivatives),
      cmocka_unit_test(a_ball_is_rolled_over_a_dome),
      cmocka_unit_test(a_rotated_task_has_the_rotated_plan),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
