// Gains of plans through contact: a sled with friction has the gains of one without while it slides; gains ignore
// directions that contacts remove; planned momenta are those of the planned velocities; laws without contacts are refused.
#include "control/feedback/tvlqr.h"
#include "control/loop/closed_loop.h"
#include "lib/base/dense.h"
#include "lib/discrete/contact_check.h"
#include "problems/readers/model/machines.h"
#include "tests/support/plans.h"

#include <math.h>

static fb_tvlqr *make_gains(const pb_problem *p, const dm_trajectory *x,
                            const fb_weights *weights) {
  fb_tvlqr *f;
  dm_message msg;
  int failed;
  if (fb_tvlqr_new(&f, x, &p->task.system, weights, &failed, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return f;
}

static unsigned char *find_entrys(const pb_problem *p, const dm_trajectory *x) {
  dm_contact_verdict v;
  unsigned char *entry = test_calloc(((size_t)x->N + 1) * (size_t)p->task.system.contacts->n, 1);
  assert_int_equal(dm_contact_check(x, &p->task.system, entry, &v), DM_OK);
  return entry;
}

#define SLED(joints, more, goal)                                                                   \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: sled, joints: [" joints "], mass: 2}\n" more                                       \
  "inputs: [{joint: sled.tx}, {joint: sled.ty}]\n"                                                 \
  "horizon: {steps: 12, time: 1}\n"                                                                \
  "start: {q: 0, v: 0}\n"                                                                          \
  "goal: {q: [" goal "]}\n"                                                                        \
  "cost: {input: 0.01}\n"
#define FLOOR                                                                                      \
  "  contacts:\n"                                                                                  \
  "    - {name: floor, type: above, bodies: [sled, world],\n"                                      \
  "       axis: [0, 0, 1], friction: 0.3, restitution: 0}\n"

static void a_sliding_sled_has_the_gains_of_one_without_friction(void **state) {
  (void)state;
  const double Q[] = {3, 2, 5, 0.5, 0.4, 0.3}, R[] = {0.1, 0.2}, Qf[] = {30, 20, 50, 5, 4, 3};
  const double Q2[] = {3, 2, 0.5, 0.4}, Qf2[] = {30, 20, 5, 4};
  pb_problem *p = read_problem(SLED("tx, ty, tz", FLOOR, "0.4, 0, 0], v: [0.2, 0, 0"));
  dm_trajectory *x = solve_problem(p, NULL);
  unsigned char *entry = find_entrys(p, x);
  fb_tvlqr *f = make_gains(p, x, &(fb_weights){.Q = Q, .R = R, .Qf = Qf});
  pb_problem *free_sled = read_problem(SLED("tx, ty", "", "0.4, 0], v: [0.2, 0"));
  dm_trajectory *y = solve_problem(free_sled, NULL);
  fb_tvlqr *g = make_gains(free_sled, y, &(fb_weights){.Q = Q2, .R = R, .Qf = Qf2});

  // along its way friction is constant while it slides, and across it turns against each deviation; the floor removes z
  int sliding = 0;
  for (int k = f->N - 1; k >= 0 && DM_LAW_STATE(entry[k]) == DM_LAW_SLIDES; k--, sliding++)
    for (int i = 0; i < 2; i++) {
      const double *K = f->K + (k * 2 + i) * 6, *K2 = g->K + (k * 2 + i) * 4;
      assert_true(fabs(K[0] - K2[0]) < 1e-9 * (1 + fabs(K2[0])));
      assert_true(fabs(K[3] - K2[2]) < 1e-9 * (1 + fabs(K2[2])));
      if (i == 0) assert_true(fabs(K[1]) < 1e-9 && fabs(K[4]) < 1e-9);
      if (i == 1) assert_true(K[4] > 0 && K[4] < 0.99 * K2[3]);
      // momentum into the floor is friction
      assert_true(fabs(K[2]) < 1e-9 && fabs(K[5] - 0.3 * K[3]) < 1e-9);
    }
  assert_true(sliding > 6);
  fb_tvlqr_free(g);
  fb_tvlqr_free(f);
  dm_trajectory_free(y);
  dm_trajectory_free(x);
  pb_problem_free(free_sled);
  pb_problem_free(p);
  test_free(entry);
}

// a finger pushes a box on a table
#define PUSH(more)                                                                                 \
  "model:\n"                                                                                       \
  "  gravity: [0, 0, -9.81]\n"                                                                     \
  "  bodies:\n"                                                                                    \
  "    - {name: finger, joints: [tx], mass: 0.5}\n"                                                \
  "    - {name: box, joints: [tx], mass: 1}\n"                                                     \
  "  contacts:\n"                                                                                  \
  "    - {name: face, type: above, bodies: [finger, box],\n"                                       \
  "       points: [[0, 0, 0], [-0.1, 0, 0]], axis: [-1, 0, 0]}\n"                                  \
  "  friction:\n"                                                                                  \
  "    - {joint: box, force: 3}\n"                                                                 \
  "inputs: [{joint: finger}]\n"                                                                    \
  "horizon: {steps: 15, time: 1}\n"                                                                \
  "start: {q: {finger: -0.25, box: 0}, v: 0}\n"                                                    \
  "goal: {q: {box: 0.5}, v: 0}\n"                                                                  \
  "cost: {input: 1}\n" more

static void gains_see_a_box_only_through_contact(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("feedback: {Q: {q: 10, p: 1}, R: 0.1}\n"));
  dm_trajectory *x = solve_problem(p, NULL);
  unsigned char *entry = find_entrys(p, x);
  fb_weights weights = {.Q = p->feedback.Q, .R = p->feedback.R, .Qf = p->feedback.Qf};
  fb_tvlqr *f = make_gains(p, x, &weights);
  int pushes = 0, flies = 0;
  for (int k = 0; k < f->N; k++) {
    const double *K = f->K + 4 * k, *A = f->A + 16 * k;
    const bool closed = entry[2 * k] != DM_LAW_OPEN, sticks = entry[2 * k + 1] == DM_LAW_STICKS;
    const bool was = k > 0 && entry[2 * (k - 1)] != DM_LAW_OPEN;

    // a gap that stays closed: only the sums of positions and of momenta count
    if (closed) assert_true(fabs(K[2] - K[3]) < 1e-9 * (1 + fabs(K[2])));
    if (closed && was) assert_true(fabs(K[0] - K[1]) < 1e-9 * (1 + fabs(K[0])));
    pushes += closed && was;

    // a box at rest stays where it is, whatever its momentum
    if (sticks) assert_true(fabs(A[4 + 1] - 1) < 1e-12 && A[4 + 3] == 0 && f->B[4 * k + 1] == 0);

    // after the last contact no input moves the box
    bool last = true;
    for (int j = k; j < f->N; j++) last &= entry[2 * j] == DM_LAW_OPEN;
    if (last) assert_true(fabs(K[1]) < 1e-9 && fabs(K[3]) < 1e-9);
    flies += last;
  }
  assert_true(pushes > 1 && flies > 1);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  pb_problem_free(p);
  test_free(entry);
}

static void planned_momenta_are_those_of_planned_velocities(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH(""));
  dm_trajectory *x = solve_problem(p, NULL);
  unsigned char *entry = find_entrys(p, x);
  fb_tvlqr *f = make_gains(p, x, NULL);
  const double mass[] = {0.5, 1};
  for (int k = 0; k <= f->N; k++) {
    // where a contact closes, before its impulse
    const bool closes = k > 0 && entry[2 * k] != DM_LAW_OPEN && entry[2 * k - 2] == DM_LAW_OPEN;
    for (int i = 0; i < 2; i++) {
      const double p_i = f->x[4 * k + 2 + i];
      const double impulse = closes ? x->contact[2 * k] * (i ? 1 : -1) / 2 : 0;
      assert_true(fabs(p_i + impulse - mass[i] * x->v[2 * k + i]) < 1e-9);
    }
  }
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  pb_problem_free(p);
  test_free(entry);
}

// -- the plant

// a sled at height z that moves along x with v, on a plant with errors of the ground and of the grip, for a second
static void slide(double z, double v, double ground, double grip, double x[6]) {
  pb_problem *p = read_problem(SLED("tx, ty, tz", FLOOR, "0.4, 0, 0"));
  pb_machine machine;
  const fb_plant *plant;
  const dm_system *s;
  const fb_perturbed_models machines =
      pb_machines_of(&machine, &p->robot, &p->task.system.rule, p->fit.step, PB_CONTINUOUS);
  const dm_change c = {.ground = ground, .grip = grip};
  assert_int_equal(machines.build(machines.self, &c, &plant, &s), DM_OK);
  memcpy(x, (double[]){0, 0, z, 2 * v, 0, 0}, 6 * sizeof *x);
  for (int k = 0; k < 12; k++)
    assert_int_equal(plant->step(plant->self, x, (double[]){0, 0}, 1. / 12), DM_OK);
  pb_machine_free(&machine);

  // a map at the knots is not a plant of contacts
  const fb_perturbed_models maps =
      pb_machines_of(&machine, &p->robot, &p->task.system.rule, p->fit.step, PB_DISCRETE);
  assert_int_equal(maps.build(maps.self, NULL, &plant, &s), DM_UNAVAILABLE);
  pb_machine_free(&machine);
  pb_problem_free(p);
}

static void a_plants_ground_and_grip_are_those_of_its_machine(void **state) {
  (void)state;
  double x[6];

  // it slides v^2 / (2 mu g), to the first order of a step
  for (int i = -1; i < 2; i++) {
    slide(0, 1, 0, 0.2 * i, x);
    assert_true(fabs(x[0] - 1 / (2 * 0.3 * (1 + 0.2 * i) * 9.81)) < 2e-3);
    assert_true(fabs(x[2]) < 1e-12 && fabs(x[3]) < 1e-12);
  }

  // it falls to a lower ground, and begins on a higher one
  slide(0, 0, -0.01, 0, x);
  assert_true(fabs(x[2] + 0.01) < 1e-12 && fabs(x[5]) < 1e-12);
  slide(0, 0, 0.01, 0, x);
  assert_true(fabs(x[2] - 0.01) < 1e-12 && fabs(x[5]) < 1e-12);
}

static void starts_keep_closed_gaps_and_open_violated_ones(void **state) {
  (void)state;
  pb_problem *p = read_problem(SLED("tx, ty, tz", FLOOR, "0.4, 0, 0"));
  const double closed[] = {0, 0, 0, 0, 0, 0}, open[] = {0, 0, 0.05, 0, 0, 0};
  const double up[] = {0.1, 0, 0.02, 0.3, 0, 0.1}, down[] = {0.1, 0, -0.07, 0.3, 0, -0.1};
  double x[6];

  // on the floor it stays there, without a speed across it
  assert_int_equal(fb_closed_loop_offset(&p->task.system, closed, up, x), DM_OK);
  const double stays[] = {0.1, 0, 0, 0.6, 0, 0};
  for (int i = 0; i < 6; i++) assert_true(fabs(x[i] - stays[i]) < 1e-12);

  // above it, errors are as drawn, up to the floor
  assert_int_equal(fb_closed_loop_offset(&p->task.system, open, up, x), DM_OK);
  assert_true(fabs(x[2] - 0.07) < 1e-12 && fabs(x[5] - 0.2) < 1e-12);
  assert_int_equal(fb_closed_loop_offset(&p->task.system, open, down, x), DM_OK);
  assert_true(fabs(x[2]) < 1e-12 && fabs(x[0] - 0.1) < 1e-12 && fabs(x[5]) < 1e-12);
  pb_problem_free(p);
}

// -- refusals

static void refuses(const char *text, const char *found) {
  pb_problem *p = NULL;
  dm_message msg;
  if (pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg) == DM_OK)
    fail_msg("not refused, expected: %s", found);
  if (!strstr(msg.text, found)) fail_msg("found '%s', expected '%s'", msg.text, found);
}

static void laws_without_contacts_are_refused(void **state) {
  (void)state;
  refuses(PUSH("feedback: {rate: 100}\n"), "feedback.rate: found 100 beside the contact 'face'");
  refuses(PUSH("feedback: {measure: positions}\n"), "expected state or velocity");
  refuses(PUSH("feedback: {schedule: path}\n"), "expected time");
  refuses(PUSH("feedback: {hold: 1}\n"), "expected 0");
  refuses(PUSH("feedback: {estimator: {encoders: {finger: 0.1}}}\n"), "feedback.estimator");
  refuses(PUSH("feedback: {Q: second-variation}\n"), "second variation does not know contacts");
  refuses(PUSH("feedback: {}\nverify: {plants: all}\n"), "MuJoCo's plant has no contacts");
  refuses(PUSH("feedback: {}\nverify: {criteria: [{vary: mass}]}\n"),
          "verify.criteria: found a section");
}

// A box stops sliding where the motion ends: there its friction is at the bound, and it does not move. Whichever of both
// is larger by rounding, it sticks, and the gains stay the same.
static void rounding_does_not_choose_the_state_at_the_end(void **state) {
  (void)state;
  pb_problem *p = read_problem(PUSH("feedback: {Q: {q: 10, p: 1}, R: 0.1}\n"));
  dm_trajectory *x = solve_problem(p, NULL);
  const int N = x->N, nr = x->nr, friction = p->task.system.contacts->law[1].tangent[0];
  fb_weights weights = {.Q = p->feedback.Q, .R = p->feedback.R};
  unsigned char *entry = test_calloc(((size_t)N + 1) * 2, 1);
  double *F = &x->contact[N * nr + friction], K[4] = {0}, v = x->v[2 * N + 1];
  const double at = *F;
  for (int side = -1; side <= 1; side++) {
    dm_contact_verdict edge;
    *F = at * (1 + 1e-12 * side);
    x->v[2 * N + 1] = v + 1e-10 * (side < 0 ? 0.001 : 1);
    assert_int_equal(dm_contact_check(x, &p->task.system, entry, &edge), DM_OK);
    assert_true(edge.edges > 0 && edge.edge_knot == N && edge.edge_law == 1);
    assert_int_equal(entry[2 * N + 1], DM_LAW_STICKS);
    fb_tvlqr *f = make_gains(p, x, &weights);
    for (int i = 0; i < 4; i++) {
      const double now = f->K[4 * (N / 2) + i];
      if (side > -1) assert_true(fabs(now - K[i]) <= 1e-6 * (1 + fabs(now)));
      K[i] = now;
    }
    fb_tvlqr_free(f);
  }
  test_free(entry);
  dm_trajectory_free(x);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sliding_sled_has_the_gains_of_one_without_friction),
      cmocka_unit_test(gains_see_a_box_only_through_contact),
      cmocka_unit_test(rounding_does_not_choose_the_state_at_the_end),
      cmocka_unit_test(planned_momenta_are_those_of_planned_velocities),
      cmocka_unit_test(a_plants_ground_and_grip_are_those_of_its_machine),
      cmocka_unit_test(starts_keep_closed_gaps_and_open_violated_ones),
      cmocka_unit_test(laws_without_contacts_are_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, NULL);
}
