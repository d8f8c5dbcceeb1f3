// tests/problems/readers/task/test_goal.c: goals that are the start, and costs per time or way, as they are read.
#include "tests/support/cart_pole.h"

#include "problems/readers/format/warnings.h"

#include <math.h>
#include <stdlib.h>

#define RUN                                                                                        \
  "model: {urdf: c.urdf}\n"                                                                        \
  "horizon: {steps: 4, time: 2}\n"                                                                 \
  "cost: {input: 1}\n"
#define FROM RUN "start: {q: {slider: 0, pole: free}}\n"

#define PENDULUM                                                                                   \
  "model: {bodies: [{name: bob, joints: [{name: pivot, type: ry}], mass: 1, centre: [0, 0, -1]}]}" \
  "\ninputs: [{joint: pivot, effort: 9}]\nhorizon: {steps: 4, time: 2}\ncost: {input: 1}\n"        \
  "start: {q: free}\n"

static void motions_end_as_they_began(void **state) {
  (void)state;
  const double pi = acos(-1);

  // the word, and the section that it stands for; what is free at the start needs no word
  const char *same[] = {"goal: start\n", "goal: {periodic: true}\n",
                        "goal: {periodic: true, travel: {slider: 0}}\n"};
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s", FROM, same[i]);
    pb_problem *p = get_problem(text);
    assert_true(p->task.periodic);
    EXPECT(p->task.bounds[OC_TRAVEL].low, 0, 0);
    EXPECT(p->task.bounds[OC_TRAVEL].high, 0, 0);
    EXPECT(p->task.start.q, 0, NAN);
    EXPECT(p->task.goal.q, NAN, NAN);
    EXPECT(p->task.goal.v, NAN, NAN);
    assert_int_equal(p->warnings.n, 1); // no motor on the pole
    pb_problem_free(p);
  }

  // ways: a number, a range, any; whole turns
  pb_problem *p = get_problem(
      FROM "goal: {periodic: true, travel: {slider: [0.1, none]}, turns: {pole: -2}}\n");
  EXPECT(p->task.bounds[OC_TRAVEL].low, 0.1, -4 * pi);
  EXPECT(p->task.bounds[OC_TRAVEL].high, INFINITY, -4 * pi);
  assert_int_equal(p->warnings.n, 1);
  pb_problem_free(p);

  // along a translation that nothing asks for it may be anywhere, which a search does not settle
  const char *anywhere =
      "model: {bodies: [{name: cart, joints: [{name: x, type: tx}], mass: 1}]}\n"
      "inputs: [{joint: x, effort: 9}]\nhorizon: {steps: 4, time: 2}\ncost: {input: 1}\n"
      "start: {q: free}\n";
  char text[400];
  for (int asked = 0; asked < 2; asked++) {
    snprintf(text, sizeof text, "%sgoal: start\n%s", anywhere,
             asked ? "bounds: {q: {x: [-1, 1]}}\n" : "");
    p = get_problem(text);
    assert_int_equal(p->warnings.n, !asked);
    if (!asked)
      assert_non_null(
          strstr(p->warnings.text[0], ":5: start: the motion may begin anywhere along 'x'"));
    pb_problem_free(p);
  }

  // gravity is another where a pendulum has gone 30 degrees; a turn is none
  p = get_problem(PENDULUM "goal: {periodic: true, travel: {pivot: 30 deg}}\n");
  EXPECT(p->task.bounds[OC_TRAVEL].low, pi / 6);
  assert_int_equal(p->warnings.n, 1);
  assert_non_null(strstr(p->warnings.text[0], ":6: goal.travel: at another place of 'pivot'"));
  pb_problem_free(p);
  p = get_problem(PENDULUM "goal: {periodic: true, turns: {pivot: 1}}\n");
  assert_int_equal(p->warnings.n, 0);
  pb_problem_free(p);

  // any other goal
  p = get_problem(FROM "goal: {periodic: false, q: 0, v: 0}\n");
  assert_false(p->task.periodic);
  EXPECT(p->task.goal.q, 0, 0);
  pb_problem_free(p);
}

// a cost per second, per metre, and per radian of a coordinate whose travel has one sign
static void costs_are_per_time_or_way(void **state) {
  (void)state;
#define FREE "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {free: [1, 3]}}\nstart: {q: 0}\n"
  pb_problem *p = get_problem(FREE "goal: {q: 1, v: 0}\ncost: {input: 1, per: time}\n");
  assert_true(p->task.per.of == OC_PER_TIME);
  pb_problem_free(p);
  p = get_problem(FREE "goal: {periodic: true, travel: {slider: [-1, -0.5]}}\n"
                       "cost: {input: 1, per: slider}\n");
  assert_true(p->task.per.of == OC_PER_TRAVEL && p->task.per.coord == 0);
  pb_problem_free(p);
  p = get_problem(FREE "goal: {periodic: true, turns: {pole: 1}}\ncost: {input: 1, per: pole}\n");
  assert_true(p->task.per.of == OC_PER_TRAVEL && p->task.per.coord == 1);
  pb_problem_free(p);

  const refused rows[] = {
      {HEAD "goal: {q: 1, v: 0}\ncost: {input: 1, per: time}\n",
       ":5:23: cost.per: found time where horizon.time is fixed, expected it free"},
      {FREE "goal: {q: 1, v: 0}\ncost: {input: 1, per: slider}\n",
       ":5:23: cost.per: found 'slider' of a motion with a goal of its own, expected 'time', or "
       "'goal: {periodic: true, travel: ...}'"},
      {FREE "goal: {periodic: true, travel: {slider: [0, 1]}}\ncost: {per: slider}\n",
       ":5:13: cost.per: found 'slider', whose goal.travel is [0, 1], expected one that is not 0"},
      {FREE "goal: start\ncost: {per: metre}\n",
       ":5:13: cost.per: found the unknown coordinate 'metre', expected one of slider, pole"},
      {FREE "goal: {q: 1, v: 0}\ncost: {input: 1, per: time}\nfeedback: {Q: second-variation}\n",
       ":6:15: feedback.Q: found second-variation beside cost.per, expected weights"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

static void what_cannot_be_is_refused_by_place(void **state) {
  (void)state;
#define KITE                                                                                       \
  "model: {bodies: [{name: kite, joints: [ball], mass: 1, inertia: [1, 2, 3]}]}\n"                 \
  "inputs: [{joint: kite.rx}]\nhorizon: {steps: 4, time: 2}\ncost: {input: 1}\n"
  const refused rows[] = {
      {FROM "goal: {periodic: true, q: 0}\n",
       ":5:24: goal.q: found one beside 'periodic: true', expected none: the motion ends as it "
       "begins, by 'start'"},
      {FROM "goal: {periodic: true, assemble: none}\n", ":5:24: goal.assemble: found one beside"},
      {FROM "goal: {travel: {slider: 1}}\n",
       ":5:8: goal.travel: found one without 'periodic: true', expected both"},
      {FROM "goal: {periodic: false, turns: {pole: 1}}\n",
       ":5:25: goal.turns: found one without 'periodic: true'"},
      {FROM "goal: {periodic: yes}\n", "goal.periodic: found the unknown word 'yes', expected one "
                                       "of false, true"},
      {FROM "goal: begin\n", ":5:7: goal: found 'begin', expected a mapping {q: ..., v: ...}, or "
                             "start"},
      {FROM "goal: {periodic: true, travel: 0.5}\n",
       ":5:32: goal.travel: found '0.5', expected it by coordinate, as in {slider: ...}"},
      {FROM "goal: {periodic: true, travel: {slidr: 0.5}}\n",
       ":5:33: goal.travel: found the unknown coordinate 'slidr', expected one of slider, pole; "
       "did "
       "you mean 'slider'?"},
      {FROM "goal: {periodic: true, travel: {slider: far}}\n",
       ":5:41: goal.travel.slider: found 'far', expected a number"},
      {FROM "goal: {periodic: true, travel: {slider: [1, 0.5]}}\n", ":5:41: goal.travel.slider: "},
      {FROM "goal: {periodic: true, travel: {slider: 5}}\n",
       ":5:41: goal.travel: 'slider' goes by 5, which leads out of its bounds [-2, 2]"},
      {FROM "goal: {periodic: true, turns: {slider: 1}}\n",
       ":5:32: goal.turns.slider: found a coordinate that slides, expected one that turns"},
      {FROM "goal: {periodic: true, turns: {pole: 0.5}}\n",
       ":5:38: goal.turns.pole: found 0.5, expected a whole number"},
      {FROM "goal: {periodic: true, turns: {pole: 1}, travel: {pole: 1}}\n",
       ":5:32: goal.turns.pole: found one beside goal.travel, expected one of them"},

      // a ball joint: from an attitude, and back to it
      {KITE "start: {q: {kite: [0, 0, 0]}}\ngoal: {periodic: true, turns: {kite: 1}}\n",
       ":6:32: goal.turns: found 'kite', a ball joint, expected a coordinate that slides or turns"},
      {KITE "start: {q: {kite: [0, 0, 0]}}\ngoal: {periodic: true, travel: {kite.qx: 1}}\n",
       ":6:33: goal.travel: found 'kite.qx', a ball joint"},
      {KITE "start: {q: free}\ngoal: start\n",
       ":6:7: goal: found a periodic motion from any attitude of the ball joint 'kite'"},

      // what does not do with it
      {FROM "goal: start\ntranscription: third-order\n",
       ":5:7: goal: found a periodic motion beside 'transcription: third-order', expected "
       "second-order"},
      {FROM "goal: start\nfeedback: {Q: second-variation}\n",
       ":6:15: feedback.Q: found second-variation beside a periodic motion, expected weights"},
      {FROM "goal: start\nfeedback: {hold: 1}\n",
       ":6:18: feedback.hold: found one beside a periodic motion, expected none"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

// an end whose energy overflows is refused with its key, wherever an end is read
static void ends_are_of_a_size_that_can_be_computed(void **state) {
  (void)state;
#define BEYOND "expected a value from -1e+100 to 1e+100"
  static const refused rows[] = {
      {RUN "start: {q: 0, v: {slider: 0, pole: -1e308}}\n",
       "p.yaml:4:36: start.v: found -1e+308 for 'pole', " BEYOND},
      {RUN "start: {q: 1e101, v: 0}\n", "p.yaml:4:12: start.q: found 1e+101 for 'slider', " BEYOND},
      {RUN "start: {q: 0, v: 0}\ngoal: {q: 0, v: 1e200}\n",
       "p.yaml:5:17: goal.v: found 1e+200 for 'slider', " BEYOND},
      {"model: {urdf: c.urdf}\nsimulate: {steps: 2, time: 1, start: {v: 1e308}}\n",
       "p.yaml:2:42: simulate.start.v: found 1e+308 for 'slider', " BEYOND},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_end_as_they_began),
      cmocka_unit_test(costs_are_per_time_or_way),
      cmocka_unit_test(what_cannot_be_is_refused_by_place),
      cmocka_unit_test(ends_are_of_a_size_that_can_be_computed),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
