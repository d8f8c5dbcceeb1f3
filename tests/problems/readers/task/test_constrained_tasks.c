// tests/problems/readers/task/test_constrained_tasks.c: tasks with constraints and kinematic
// coordinates as they are read.
#include "tests/support/cart_pole.h"

#include <math.h>

// in a task kinematic coordinates have costs, limits and gains as inputs have them, by name; one
// number is for the forces, but for R
static void kinematic_inputs_of_a_task(void **state) {
  (void)state;
  const char *model = "model: {urdf: c.urdf, kinematic: [slider]}\ninputs: [{joint: pole}]\n"
                      "horizon: {steps: 2, time: 1}\nstart: {q: 0, v: {pole: 0}}\n";
  char text[800];
  snprintf(
      text, sizeof text,
      "%sgoal: {q: {slider: 1}}\ncost: {input: 2}\nbounds: {u: [-3, 3], q: {slider: [-1, 1]}}\n"
      "feedback: {R: 5}\n",
      model);
  pb_problem *p = get_problem(text);
  assert_int_equal(p->warnings.n, 0); // the start velocity of the slider is that of a step before
  EXPECT(p->task.cost[OC_U].running, 2, 0);
  EXPECT(p->task.bounds[OC_U].low, -3, -1);
  EXPECT(p->task.bounds[OC_U].high, 3, 1);
  EXPECT(p->feedback.R, 5, 5);
  EXPECT(p->feedback.u_min, -3, -2); // the robot's; of the pole, which has none, the plan's
  EXPECT(p->feedback.u_max, 3, 2);
  assert_string_equal(p->task.input_name[1], "slider");
  dm_trajectory *x;
  assert_int_equal(pb_problem_guess(p, &x), DM_OK);
  EXPECT(x->q, 0, 0, 0.5, 0, 1, 0);
  EXPECT(x->u, 0, 0.5, 0, 1);
  dm_trajectory_free(x);
  pb_problem_free(p);
  snprintf(text, sizeof text,
           "%scost: {input: {slider: 2}}\nbounds: {u: {slider: [-0.5, 3]}}\n"
           "guess: {rollout: {u: 1}}\nfeedback: {R: {slider: 7}}\n",
           model);
  p = get_problem(text);
  EXPECT(p->task.cost[OC_U].running, 0, 2);
  EXPECT(p->task.bounds[OC_U].low, -INFINITY, -0.5);
  EXPECT(p->task.bounds[OC_U].high, INFINITY, 3);
  EXPECT(p->feedback.R, 1, 7);
  EXPECT(p->guess.u, 1);
  pb_problem_free(p);
  snprintf(text, sizeof text, "%sguess: {csv: x.csv}\n", model);
  put_file(folder, "x.csv", "t,q.slider,q.pole,u.pole\n0,0,0,7\n0.5,2,0,8\n1,5,0,9\n");
  p = get_problem(text);
  EXPECT(p->guess.csv->u, 7, 2, 8, 5);
  pb_problem_free(p);
  snprintf(text, sizeof text, "%sguess: {rollout: {u: {slider: 1}}}\n", model);
  dm_message msg = {""};
  assert_int_equal(read_problem(text, &p, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "unknown input 'slider', expected pole"));
}

// a bob on a rod of 1 m, with a slider that it does not touch
#define BOB                                                                                        \
  "model: {bodies: [{name: bob, joints: [tx, tz], mass: 1}, {name: cart, joints: [{name: slider, " \
  "type: tx}], mass: 1}], constraints: [{name: rod, type: distance, bodies: [bob, world], "        \
  "length: 1}]}\nhorizon: {steps: 4, time: 1}\n"

static void ends_are_assembled(void **state) {
  (void)state;
  const double r = sqrt(0.5);
  // by the least change, and the velocity by the least energy: said in a word
  pb_problem *p = get_problem(BOB "start: {q: {bob.tx: 1, bob.tz: 1, slider: 2}, "
                                  "v: {bob.tx: 1, bob.tz: 0, slider: 4}}\n");
  assert_int_equal(p->warnings.n, 3); // and no cost
  assert_non_null(strstr(p->warnings.text[0], "p.yaml:3: start.q: moved onto the constraints: "
                                              "bob.tx by -0.293, bob.tz by -0.293"));
  assert_non_null(
      strstr(p->warnings.text[1], "start.v: moved onto the constraints: bob.tx by -0.5"));
  const double *q = p->task.start.q, *v = p->task.start.v;
  assert_true(fabs(q[0] - r) < 1e-12 && fabs(q[1] - r) < 1e-12 && q[2] == 2);
  assert_true(fabs(v[0] - 0.5) < 1e-12 && fabs(v[1] + 0.5) < 1e-12 && v[2] == 4);
  pb_problem_free(p);
  // near: what is free is found from there, the rest of it stays free, what is given stays given
  p = get_problem(BOB "start: {q: {bob.tx: 0.6, bob.tz: free, slider: free}, near: {bob.tz: -1}, "
                      "v: 0}\ngoal: {q: {bob.tx: 0.6, bob.tz: free, slider: 0}}\n");
  q = p->task.start.q;
  assert_true(q[0] == 0.6 && fabs(q[1] + 0.8) < 1e-12 && isnan(q[2]));
  q = p->task.goal.q;
  assert_true(q[0] == 0.6 && isnan(q[1]) && q[2] == 0);
  pb_problem_free(p);
  // the least energy: hanging; the slider on level ground stays near
  p = get_problem(BOB "start: {near: {bob.tx: 0.3, bob.tz: 1, slider: 3}, v: 0, assemble: energy}\n"
                      "simulate: {}\n");
  q = p->task.start.q;
  assert_true(fabs(q[0]) < 1e-12 && fabs(q[1] + 1) < 1e-12 && fabs(q[2] - 3) < 1e-12);
  EXPECT(p->simulate.q, q[0], q[1], q[2]);
  pb_problem_free(p);
  // impulses have limits by the names of their rows
  p = get_problem(BOB "start: {q: {bob.tx: 0, bob.tz: -1, slider: 2}, v: 0}\n"
                      "bounds: {lambda: {rod: [0, none]}}\n");
  EXPECT(p->task.bounds[OC_LAMBDA].low, 0);
  EXPECT(p->task.bounds[OC_LAMBDA].high, INFINITY);
  pb_problem_free(p);
  // what a free prescribed length may meet stays as it is given
  p = get_problem("model: {bodies: [{name: bob, joints: [tx, tz], mass: 1}, {name: reel, joints: "
                  "[{name: l, type: tx, kinematic: true}]}], constraints: [{name: string, type: "
                  "distance, bodies: [bob, world], length: l}]}\nhorizon: {steps: 4, time: 1}\n"
                  "start: {q: {bob.tx: 0, bob.tz: -1, l: 1}, v: 0}\n"
                  "goal: {q: {bob.tx: 1, bob.tz: 1, l: free}}\n");
  EXPECT(p->task.goal.q, 1, 1, NAN);
  pb_problem_free(p);
  // as it is
  p = get_problem(BOB "start: {q: {bob.tx: 1, bob.tz: 1, slider: 2}, v: 3, assemble: none}\n");
  EXPECT(p->task.start.q, 1, 1, 2);
  EXPECT(p->task.start.v, 3, 3, 3);
  pb_problem_free(p);
}

// one number or range is for all forces: where all inputs are kinematic it reaches nothing, which is said by
// name; what has a name reaches it
static void what_reaches_nothing_is_said(void **state) {
  (void)state;
  static const struct {
    const char *model, *cost, *said;
  } rows[] = {
      {"kinematic: [slider, pole]", "{input: 1, state: {q: 1}}",
       "p.yaml:5: cost.input: 1 reaches nothing: one number is for all forces, and there are none: "
       "the inputs are kinematic (slider, pole); weigh their speeds (cost.state.v)"},
      {"kinematic: [slider, pole]", "{rate: 2, state: {q: 1}}", "cost.rate: 2 reaches nothing"},
      {"kinematic: [slider, pole]", "{input: 0, state: {q: 1}}", NULL},
      {"kinematic: [slider, pole]", "{input: {slider: 1}}", NULL},
      {"kinematic: [slider]", "{input: 1}", NULL},
      {"gravity: [0, 0, 0]", "{input: 1, state: {q: 1}}",
       "cost.input: 1 reaches nothing: there are no inputs"},
      {"kinematic: [slider, pole]", "{state: {q: 1}}\nbounds: {u: [-3, none]}",
       "p.yaml:6: bounds.u: [-3, none] reaches nothing: one range is for all forces, and there are "
       "none: the inputs are kinematic (slider, pole); limit their coordinates (bounds.q), or name "
       "them in bounds.u"},
      {"kinematic: [slider, pole]", "{state: {q: 1}}\nbounds: {rate: 5}",
       "p.yaml:6: bounds.rate: 5 reaches nothing: one number is for all forces, and there are "
       "none: "
       "the inputs are kinematic (slider, pole); limit their speeds (bounds.v)"},
      {"gravity: [0, 0, 0]", "{state: {q: 1}}\nbounds: {u: [-1, 1]}",
       "bounds.u: [-1, 1] reaches nothing: there are no inputs"},
      {"kinematic: [slider, pole]", "{state: {q: 1}}\nbounds: {u: [[-3, 1], none], rate: none}",
       NULL},
      {"kinematic: [slider, pole]", "{state: {q: 1}}\nbounds: {u: {slider: [-3, 1]}}", NULL},
      {"kinematic: [slider]", "{input: 1}\nbounds: {u: [-3, 3], rate: 5}", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[500];
    const char *input = !strcmp(rows[i].model, "kinematic: [slider]") ? "{joint: pole}" : "";
    snprintf(text, sizeof text,
             "model: {urdf: c.urdf, %s}\ninputs: [%s]\nhorizon: {steps: 4, time: 1}\n"
             "start: {q: 0, v: 0}\ncost: %s\n",
             rows[i].model, input, rows[i].cost);
    pb_problem *p = get_problem(text);
    assert_int_equal(p->warnings.n, rows[i].said ? 1 : 0);
    if (rows[i].said && !strstr(p->warnings.text[0], rows[i].said))
      fail_msg("%s", p->warnings.text[0]);
    pb_problem_free(p);
  }

  // and the advice is one that reaches them
  pb_problem *p =
      get_problem("model: {urdf: c.urdf, kinematic: [slider, pole]}\ninputs: []\n"
                  "horizon: {steps: 4, time: 1}\nstart: {q: 0, v: 0}\ncost: {input: 1}\n");
  assert_int_equal(p->warnings.n, 2);
  assert_non_null(strstr(p->warnings.text[1], "state: {v: 1} asks for the least speeds"));
  pb_problem_free(p);
}

#define HELD BOB "start: {q: {bob.tx: 0, bob.tz: -1, slider: 2}, held: true"

// a start that stood still for a step of h before moves with p = D2(q,q): h/2 times its weight; a
// simulation without one of its own starts so, too
static void a_task_starts_as_it_stood_still(void **state) {
  (void)state;
  pb_problem *p = get_problem(HELD "}\ncost: {state: {q: 1}}\nsimulate: {}\n");
  assert_int_equal(p->warnings.n, 0);
  const double *v = p->task.start.v, h = 0.25;
  assert_true(fabs(v[0]) < 1e-14 && fabs(v[1] + 9.81 * h / 2) < 1e-12 && fabs(v[2]) < 1e-14);
  assert_true(p->simulate.at_rest);
  EXPECT(p->simulate.v, 0, 0, 0);
  pb_problem_free(p);

  // a velocity of its own, or a word of its own, goes before
  static const char *const own[] = {"v: {slider: 3}", "held: false"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text, HELD "}\ncost: {state: {q: 1}}\nsimulate: {start: {%s}}\n", own[i]);
    p = get_problem(text);
    assert_true(!p->simulate.at_rest);
    EXPECT(p->simulate.v, 0, 0, i == 0 ? 3 : 0);
    pb_problem_free(p);
  }

  // refused held starts
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {HELD ", v: 0}\n", "p.yaml:3:63: start.v: found one beside 'held: true', expected none"},
      {BOB "start: {q: {bob.tx: 0, bob.tz: -1}, held: true}\n",
       "start.held: found true where 'slider' is free in q, expected all of q"},
      {"model: {bodies: [{name: cart, joints: [{name: slider, type: tx}], mass: 1}]}\n"
       "horizon: {steps: 4, time: {free: [1, 2]}}\nstart: {q: 0, held: true}\n",
       "start.held: found true beside a free final time, expected a fixed one"},
      {"model: {bodies: [{name: cart, joints: [{name: slider, type: tx}], mass: 1}]}\n"
       "inputs: [{joint: slider}]\ntranscription: second-order\nhorizon: {steps: 4, time: 1}\n"
       "start: {q: 0, held: true}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n",
       "start.held: found true beside 'transcription: second-order', expected v"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dm_message msg = {""};
    assert_int_equal(read_problem(wrong[i].text, &p, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[i].says)) fail_msg("%s", msg.text);
  }
}

// q and next are taken as they are, a warning says what for; the multipliers of the first step by
// row
static void two_configurations_start_a_study(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model: {urdf: c.urdf, constraints: [{name: h, type: equal, coordinates: [slider, pole]}]}\n"
      "simulate: {time: 1, steps: 2, start: {q: {pole: 1}, next: {slider: 2}},\n"
      "  constraints: {points: two, first: {h: 3}}}\n");
  assert_true(p->simulate.points.measured && p->simulate.points.two);
  EXPECT(p->simulate.q, 0, 1);
  EXPECT(p->simulate.points.next, 2, 1);
  EXPECT(p->simulate.v, 4, 0);
  EXPECT(p->simulate.points.first, 3);
  assert_int_equal(p->warnings.n, 1);
  assert_non_null(strstr(p->warnings.text[0], "p.yaml:3: simulate.constraints.points: "));
  assert_non_null(strstr(p->warnings.text[0], "not for use"));
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinematic_inputs_of_a_task),
      cmocka_unit_test(ends_are_assembled),
      cmocka_unit_test(what_reaches_nothing_is_said),
      cmocka_unit_test(a_task_starts_as_it_stood_still),
      cmocka_unit_test(two_configurations_start_a_study),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
