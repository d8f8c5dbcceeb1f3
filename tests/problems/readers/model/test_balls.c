// tests/problems/readers/model/test_balls.c: files with ball joints as they are read: what is
// refused, and turns by names.
#include "tests/support/cart_pole.h"

#include <math.h>

#define BALL "model: {bodies: [{name: a, joints: [ball], mass: 1, inertia: "
#define RUN  "simulate: {time: 1, steps: 2}\n"
#define PAIR                                                                                       \
  "model: {bodies: [{name: a, joints: [rx], mass: 1, inertia: [1, 1, 1]}, {name: b, parent: a, "

static const refused wrong[] = {
    {BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2, start: {q: {a.qw: 2}, assemble: none}}\n",
     "p.yaml:2:38: simulate.start: it violates the constraint 'a' by 3"},
    {BALL "[1, 1, 1]}], damping: {a.rx: 1}}\n" RUN,
     "coordinate 'a.rz': a ball joint is three turns about z, x, y, not kinematic, of one damping"},
    {BALL "[1, 1, 1]}], kinematic: [a.rx]}\n" RUN, "coordinate 'a.rz': a ball joint is three"},
    {BALL "[1, 1, 1]}], springs: [{name: s, joint: a.rx, stiffness: 1}]}\n" RUN,
     "p.yaml:1:102: model.springs[].joint: found 'a.rx', a turn of a ball joint, expected a joint"},
    {BALL "[1, 1, 1]}], dampers: [{name: s, joint: a.rz, damping: 1}]}\n" RUN,
     "model.dampers[].joint: found 'a.rz', a turn of a ball joint, expected a joint"},
    {BALL "[1, 1, 1]}, {name: b, parent: a, joints: [rx], mass: 1, inertia: [1, 1, 1]}], "
          "constraints: [{name: c, type: equal, coordinates: [b, a.ry]}]}\n" RUN,
     "model.constraints[].coordinates: found 'a.ry', a turn of a ball joint, expected a joint"},
    {BALL "[1, 1, 1]}], constraints: [{name: a, type: plane, bodies: [a, world], axis: [0, 0, "
          "1]}]}\n" RUN,
     "model.constraints: found one named 'a', as a ball joint, expected every name once"},
    {PAIR "joints: [{name: c, type: ball}, {name: c, type: tx}], mass: 1, "
          "inertia: [1, 1, 1]}]}\n" RUN,
     "coordinate 'c' has the name of a ball joint"},
    {PAIR "joints: [{name: c, type: ball}, {name: c.qw, type: tx}], mass: "
          "1, inertia: [1, 1, 1]}]}\n" RUN,
     "two coordinates are named 'c.qw'"},
    {BALL "[1, 0, 1]}]}\n" RUN,
     "p.yaml:1:37: coordinate 'a.ry' moves no inertia of its own: give the "
     "bodies it carries mass and inertia"},
    {BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2, start: {q: [0, 0, 0], v: 0}}\n",
     "p.yaml:2:42: simulate.start.q: found a list of 3, expected 4 numbers in the order a.qw, "
     "a.qx, a.qy, a.qz"},
    {BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2, start: {v: [0, 0, 0, 0]}}\n",
     "p.yaml:2:42: simulate.start.v: found a list of 4, expected 3 numbers in the order a.wx, "
     "a.wy, a.wz"},
    {BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2, start: {v: [[0, 0]]}}\n",
     "p.yaml:2:43: simulate.start.v.a.qw: found a list of 2, expected a list of 3 numbers"},
    {BALL "[1, 1, 1]}], damping: [1, 1, 1, 1]}\n" RUN,
     "model.damping: found a list, expected a number for all, or a mapping by name"},
    {BALL "[1, 1, -1]}]}\n" RUN, "coordinate 'a.rz' moves a negative inertia: give the bodies it"},
    {BALL "{xx: 1, yy: 1, zz: 1, xy: 2}}]}\n" RUN, "coordinate 'a.ry' moves a negative inertia"},
};

static void wrong_balls_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

// q x (0,W) / 2
static void rate(const double q[4], const double W[3], double v[4]) {
  v[0] = -(q[1] * W[0] + q[2] * W[1] + q[3] * W[2]) / 2;
  v[1] = (q[0] * W[0] + q[2] * W[2] - q[3] * W[1]) / 2;
  v[2] = (q[0] * W[1] + q[3] * W[0] - q[1] * W[2]) / 2;
  v[3] = (q[0] * W[2] + q[1] * W[1] - q[2] * W[0]) / 2;
}

// a turn by its axis times its angle, of any size, and an angular velocity in the axes that have
// turned, beside coordinates of another kind
static void turns_are_read_by_names(void **state) {
  (void)state;
  const double pi = acos(-1), turn[][3] = {{0, 0, 0},  {0.1, -0.2, 0.3}, {0, pi, 0},
                                           {0, 0, -4}, {2 * pi, 0, 0},   {3, 4, -5}};
  const double W[3] = {0.5, -2, 3};
  for (size_t i = 0; i < COUNT_OF(turn); i++) {
    const double *x = turn[i];
    char text[800];
    double angle = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), q[4] = {cos(angle / 2)}, v[4];
    for (int k = 0; k < 3; k++) q[1 + k] = angle > 0 ? x[k] * sin(angle / 2) / angle : 0;
    rate(q, W, v);
    snprintf(text, sizeof text,
             "model: {bodies: [{name: a, joints: [tz, ball], mass: 1, inertia: [1, 1, 1]}]}\n"
             "simulate: {time: 1, steps: 2, start: {q: {a.tz: 7, a.ball: [%.17g, %.17g, %.17g]}, "
             "v: {a.tz: 8, a.ball: [%g, %g, %g]}}}\n",
             x[0], x[1], x[2], W[0], W[1], W[2]);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->warnings.n, 0);
    assert_true(p->simulate.q[0] == 7 && p->simulate.v[0] == 8);
    for (int k = 0; k < 4; k++) {
      assert_true(fabs(p->simulate.q[1 + k] - q[k]) < 1e-14);
      assert_true(fabs(p->simulate.v[1 + k] - v[k]) < 1e-14);
    }
    pb_problem_free(p);
  }
}

// lists stand in the order of coordinates: a ball joint as a quaternion in q and three rates in v,
// or as a list of three in the place of these
static void lists_have_a_place_for_turns(void **state) {
  (void)state;
  static const char *const q[] = {"[7, 0.6, 0, 0.8, 0, 9]", "[7, [0, 1.8545904360032244, 0], 9]"};
  static const char *const v[] = {"[8, 0.5, -2, 3, 10]", "[8, [0.5, -2, 3], 10]"};
  const double turned[] = {0.6, 0, 0.8, 0}, W[] = {0.5, -2, 3};
  double rates[4];
  rate(turned, W, rates);
  for (int i = 0; i < 4; i++) {
    char text[500];
    snprintf(text, sizeof text,
             "model: {bodies: [{name: a, joints: [tz, ball], mass: 1, inertia: [1, 1, 1]},\n"
             "  {name: b, parent: a, joints: [rx], mass: 1, centre: [0, 0, 1]}]}\n"
             "simulate: {time: 1, steps: 2, start: {q: %s, v: %s}}\n",
             q[i % 2], v[i / 2]);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->warnings.n, 0);
    assert_true(p->simulate.q[0] == 7 && p->simulate.v[0] == 8 && p->simulate.q[5] == 9 &&
                p->simulate.v[5] == 10);
    for (int k = 0; k < 4; k++) {
      assert_true(fabs(p->simulate.q[1 + k] - turned[k]) < 1e-14);
      assert_true(fabs(p->simulate.v[1 + k] - rates[k]) < 1e-14);
    }
    pb_problem_free(p);
  }
}

// values that an end leaves free are free in a list as well
static void lists_may_leave_turns_free(void **state) {
  (void)state;
  pb_problem *p = get_problem(BALL "[1, 1, 1]}]}\ninputs: [{joint: a.rx}]\n"
                                   "horizon: {steps: 2, time: 1}\nstart: {q: 0, v: [1, 2, 4]}\n"
                                   "goal: {q: [free, free, free, free], v: [free, free, free]}\n");
  EXPECT(p->task.start.v, 0, 0.5, 1, 2);
  EXPECT(p->task.goal.v, NAN, NAN, NAN, NAN);
  EXPECT(p->task.goal.q, NAN, NAN, NAN, NAN);
  pb_problem_free(p);
}

// a length other than 1 is made 1 where asked, and said; four zeros are no turn; -q stays -q
static void lengths_are_made_1(void **state) {
  (void)state;
  pb_problem *p = get_problem(BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2, start: {q: {a.qw: "
                                   "-3, a.qx: 4}, v: {a: [1, 0, 0]}}}\n");
  assert_int_equal(p->warnings.n, 1);
  assert_non_null(strstr(p->warnings.text[0], "moved onto the constraints: a.qw by 2.4, a.qx by"));
  assert_true(fabs(p->simulate.q[0] + 0.6) < 1e-14 && fabs(p->simulate.q[1] - 0.8) < 1e-14);
  pb_problem_free(p);
  p = get_problem(BALL "[1, 1, 1]}]}\nsimulate: {time: 1, steps: 2}\n");
  EXPECT(p->simulate.q, 1, 0, 0, 0);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_balls_are_refused_by_place),
      cmocka_unit_test(turns_are_read_by_names),
      cmocka_unit_test(lists_have_a_place_for_turns),
      cmocka_unit_test(lists_may_leave_turns_free),
      cmocka_unit_test(lengths_are_made_1),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
