// tests/problems/readers/task/test_outputs.c: outputs, and what tasks ask of them, as they are read.
#include "tests/support/cart_pole.h"

#include "lib/base/difference.h"

#include <math.h>
#include <stdlib.h>

#define OUTPUTS                                                                                    \
  "outputs:\n"                                                                                     \
  "  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"                           \
  "  - {name: reach, type: distance, bodies: [tip, cart], points: [[0, 0, -0.5], [0.1, 0, 0]]}\n"  \
  "  - {name: rise, type: height, bodies: tip, axis: [0, 0, 2]}\n"                                 \
  "  - {name: tilt, type: alignment, bodies: tip, axes: [0, 0, 3]}\n"                              \
  "  - {name: turn, type: rotation, bodies: tip}\n"                                                \
  "  - {name: center, type: center-of-mass}\n"                                                     \
  "  - {name: lead, type: sum, coordinates: {slider: 2, pole: -1}, shift: 0.5}\n"                  \
  "  - {name: both, type: sum, coordinates: [slider, pole]}\n"

enum { BOB_Z = 2, REACH = 3, RISE, TILT, TURN_X, CENTER_X = 9, LEAD = 12, BOTH, SLIDER, POLE };

// y of a problem's robot at q
static void eval_at(const pb_problem *p, const double *q, double *y) {
  const dm_output_map f = pb_robot_outputs(&p->robot);
  void *scratch = aligned_alloc(64, f.scratch + 64);
  assert_int_equal(dm_output_map_eval(&f, scratch, q, NULL, y, NULL, NULL), DM_OK);
  free(scratch);
}

static void values_are_those_of_the_robot(void **state) {
  (void)state;
  pb_problem *p = get_problem(HEAD OUTPUTS "goal: {q: 0, v: 0}\ncost: {input: 1}\n");
  assert_int_equal(p->robot.outputs.n, 8);
  assert_int_equal(p->robot.outputs.named, 14);
  assert_int_equal(p->robot.outputs.all, 14); // coordinates are none unless `via` speaks of them
  const double q[] = {0.3, 0.8};
  double y[14];
  eval_at(p, q, y);
  assert_true(fabs(y[BOB_Z] + 0.5 * cos(0.8)) < 1e-14);
  assert_true(fabs(y[0] - (0.3 - 0.5 * sin(0.8))) < 1e-14);
  assert_true(fabs(y[REACH] - hypot(0.5 * sin(0.8) + 0.1, 0.5 * cos(0.8))) < 1e-14);
  assert_true(fabs(y[RISE]) < 1e-14);
  assert_true(fabs(y[TILT] - cos(0.8)) < 1e-14);
  assert_true(fabs(y[TURN_X + 1] - 0.8) < 1e-14);
  assert_true(fabs(y[LEAD] - (0.6 - 0.8 + 0.5)) < 1e-14);
  assert_true(fabs(y[BOTH] - 1.1) < 1e-14);
  pb_problem_free(p);
}

// the limit on a row, of those that a task has
static const oc_output_limit *find_limit(const pb_problem *p, int row, double from) {
  const oc_outputs *o = &p->task.outputs;
  for (int i = 0; i < o->nlimits; i++)
    if (o->limits[i].output == row && fabs(o->limits[i].at.from - from) < 1e-12)
      return &o->limits[i];
  fail_msg("row %d has no limit from %g", row, from);
  return NULL;
}

static void tasks_ask_for_outputs(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\n" OUTPUTS
      "start: {q: 0, v: 0, outputs: {rise: [none, 3]}}\n"
      "goal: {v: 0, outputs: {bob: [1, [-1, 1], none], tilt: -1}}\n"
      "bounds: {outputs: {bob.z: [-2, none]}}\n"
      "via:\n  - {at: 1, outputs: {reach: 0.52}, q: {slider: [0.2, 0.3]}}\n"
      "  - {from: 25 %, to: knot 3, outputs: {tilt: [0, 1]}, q: {pole: [-0.5, 0.5]}}\n"
      "cost:\n  input: 1\n  outputs:\n    - {output: center, weight: 2, reference: [1, 2, 3]}\n"
      "    - {output: bob.x, weight: 3, at: 1.5, reference: 0.7}\n");
  const oc_outputs *o = &p->task.outputs;
  assert_int_equal(o->nlimits, 1 + 3 + 1 + 2 + 2);
  assert_int_equal(p->robot.outputs.all, 16);

  // each where it was asked
  assert_true(find_limit(p, RISE, 0)->high == 3 && find_limit(p, RISE, 0)->at.to == 0);
  assert_true(find_limit(p, 0, 1)->low == 1 && find_limit(p, 0, 1)->high == 1);
  assert_true(find_limit(p, 1, 1)->low == -1 && find_limit(p, 1, 1)->high == 1);
  assert_true(find_limit(p, TILT, 1)->low == -1);
  assert_true(find_limit(p, BOB_Z, 0)->low == -2 && find_limit(p, BOB_Z, 0)->at.to == 1);
  assert_true(find_limit(p, REACH, 0.5)->low == 0.52 && find_limit(p, REACH, 0.5)->at.to == 0.5);
  assert_true(find_limit(p, SLIDER, 0.5)->low == 0.2);
  assert_true(find_limit(p, TILT, 0.25)->at.to == 0.75);
  assert_true(find_limit(p, POLE, 0.25)->high == 0.5);

  // outputs that are not requested are not evaluated
  double asked[16];
  const double place[] = {0.1, 0.2};
  void *scratch = aligned_alloc(64, o->y.scratch + 64);
  assert_int_equal(dm_output_map_eval(&o->y, scratch, place, place, asked, NULL, NULL), DM_OK);
  assert_true(isnan(asked[LEAD]) && isnan(asked[TURN_X]) && isfinite(asked[TILT]));
  free(scratch);

  // costs: a row each
  assert_int_equal(o->ncosts, 4);
  assert_true(o->costs[1].output == CENTER_X + 1 && o->costs[1].reference == 2 &&
              !o->costs[1].once);
  assert_true(o->costs[3].output == 0 && o->costs[3].once && o->costs[3].at.from == 0.75);
  assert_int_equal(p->warnings.n, 1); // no motor on the pole

  // the guess meets the requested values
  dm_trajectory *x;
  double y[16];
  assert_int_equal(pb_problem_guess(p, &x), DM_OK);
  eval_at(p, x->q + x->N * x->n, y);
  assert_true(fabs(y[0] - 1) < 1e-9 && fabs(y[TILT] + 1) < 1e-9);
  dm_trajectory_free(x);
  pb_problem_free(p);

  // values that no posture reaches are reported before the search
  p = get_problem(HEAD OUTPUTS "goal: {v: 0, outputs: {bob.z: 3}}\ncost: {input: 1}\n");
  assert_int_equal(p->warnings.n, 2); // and no motor on the pole
  assert_non_null(strstr(p->warnings.text[0], "no posture was found"));
  assert_non_null(strstr(p->warnings.text[0], "'bob.z'"));
  pb_problem_free(p);

  // a time between knots is taken by the nearest, and said
  p = get_problem(HEAD OUTPUTS "goal: {q: 0, v: 0}\ncost: {input: 1}\n"
                               "via: [{at: 0.6, outputs: {tilt: 1}}]\n");
  assert_int_equal(p->warnings.n, 2);
  pb_problem_free(p);
}

// speeds of coordinates and limits of inputs for a while; references that move, by tables and steps
static void what_is_asked_may_change_with_time(void **state) {
  (void)state;
  put_file(folder, "x.csv",
           "t,y.bob.x,y.bob.y,y.bob.z,q.slider\n0,0,0,-0.5,0\n1,1,0,-0.5,2\n2,1,0,0.5,4\n");
  pb_problem *p = get_problem(
      "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\n" OUTPUTS "start: {q: 0, v: 0}\n"
      "via:\n  - {at: 50 %, v: {pole: 3}, u: {slider: 0}}\n"
      "  - {from: 0.5, to: 2, u: {slider: [-1, none]}, q: {slider: {csv: x.csv, within: 0.1}}}\n"
      "cost:\n  input: 1\n  outputs:\n    - {output: bob, weight: 2, reference: {csv: x.csv}}\n"
      "    - {output: bob.x, weight: 3, reference: {step: {fraction: 0.5, before: 1, after: "
      "2}}}\n"
      "    - {output: bob.x, weight: 1, activation: absolute, width: 0.1}\n"
      "    - {output: bob.x, weight: 1, activation: one-sided}\n");
  const oc_outputs *o = &p->task.outputs;
  assert_int_equal(o->nlimits, 2);
  const pb_outputs *rows = &p->robot.outputs;
  assert_true(rows->speeds == rows->named + 2 && rows->all == rows->named + 4);
  assert_true(o->limits[0].output == rows->speeds + 1 && o->limits[0].low == 3);
  assert_true(dm_output_map_is_rated(&o->y, o->limits[0].output));
  assert_string_equal(dm_outputs_unit(rows->rows, rows->speeds), "m/s");
  assert_true(o->limits[1].output == rows->named && o->limits[1].high == 0.1);
  assert_true(o->limits[1].references[3] == 3 && o->limits[1].low == -0.1);
  assert_true(oc_output_limit_excess(&o->limits[1], 1.5, 1.65) > 0.049);

  // inputs, at a time and from one on
  assert_int_equal(p->task.inputs.n, 2);
  assert_true(p->task.inputs.limit[0].low == 0 && p->task.inputs.limit[0].high == 0);
  assert_true(p->task.inputs.limit[1].low == -1 && p->task.inputs.limit[1].high == INFINITY);
  int first, last;
  oc_span_steps(p->task.inputs.limit[0].at, 4, &first, &last);
  assert_true(first == 2 && last == 2);
  oc_span_steps(p->task.inputs.limit[1].at, 4, &first, &last);
  assert_true(first == 1 && last == 3);

  // references
  assert_int_equal(o->ncosts, 6);
  assert_int_equal(o->costs[3].activation.kind, OC_QUADRATIC);
  assert_int_equal(o->costs[4].activation.kind, OC_SMOOTH_ABSOLUTE);
  assert_true(o->costs[4].activation.width == 0.1);
  assert_int_equal(o->costs[5].activation.kind, OC_ONE_SIDED);
  assert_true(o->costs[0].references[1] == 0.5 && o->costs[2].references[4] == 0.5);
  assert_true(o->costs[3].references[1] == 1 && o->costs[3].references[2] == 2);
  pb_problem_free(p);
}

// inputs and their power: by names and weights, one or several, in steps
static void inputs_and_their_power_are_asked(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\n"
      "outputs:\n  - {name: drive, type: power, inputs: slider}\n"
      "  - {name: pull, type: input, inputs: {slider: -2}}\n"
      "  - {name: bob, type: position, bodies: tip}\n"
      "start: {q: 0, v: 0, outputs: {drive: 0}}\ngoal: {q: 0, v: 0, outputs: {pull: 1}}\n"
      "bounds: {outputs: {drive: [-3, 4]}}\n"
      "via:\n  - {at: 1, outputs: {drive: 1, bob.x: 0}}\n  - {from: 0.5, to: 1.5, outputs: {pull: "
      "[0, 2]}}\n"
      "cost:\n  outputs:\n    - {output: drive, weight: 2, reference: 3}\n");
  const oc_outputs *o = &p->task.outputs;
  const int where[][2] = {{0, 0}, {3, 3}, {0, 3}, {2, 2}, {2, 2}, {1, 2}};
  assert_int_equal(o->nlimits, 6);
  int rows = 0;
  for (int i = 0; i < o->nlimits; i++) {
    int first, last;
    oc_outputs_span(o, o->limits[i].output, o->limits[i].at, 4, &first, &last);
    assert_true(first == where[i][0] && last == where[i][1]);
    rows += last - first + 1;
  }
  assert_int_equal(rows, 1 + 1 + 4 + 1 + 1 + 2);
  assert_string_equal(dm_outputs_unit(p->robot.outputs.rows, 0), "W");
  assert_string_equal(dm_outputs_unit(p->robot.outputs.rows, 1), "N");

  // of a step from q0 to q1 under u
  const double q0[] = {1, 0}, q1[] = {1.5, 0.3}, u[] = {6};
  const dm_step x = {.q0 = q0, .q1 = q1, .u = u, .h = 0.25};
  double y[5];
  void *scratch = aligned_alloc(64, dm_driven_outputs_scratch(&o->y, 1));
  assert_int_equal(dm_driven_outputs_eval(&o->y, 1, scratch, &x, y, NULL), DM_OK);
  assert_true(fabs(y[0] - 12) < 1e-14);
  assert_true(y[1] == -12);
  free(scratch);
  pb_problem_free(p);
}

static void what_is_wrong_is_refused_by_place(void **state) {
  (void)state;
#define GOAL  "goal: {q: 0, v: 0}\ncost: {input: 1}\n"
#define LAST  HEAD OUTPUTS GOAL
#define FIRST HEAD GOAL "outputs: [{name: y, "
  const refused rows[] = {
      {HEAD OUTPUTS "goal: {v: 0}\ncost: {outputs: [{output: bob.x, weight: 1, activation: "
                    "absolute}]}\n",
       "cost.outputs[]: found no 'width', expected it with 'activation: absolute'"},
      {HEAD OUTPUTS "goal: {v: 0}\ncost: {outputs: [{output: bob.x, weight: 1, width: 1}]}\n",
       "cost.outputs[]: found a 'width', expected it with 'activation: absolute'"},
      {HEAD OUTPUTS
       "goal: {v: 0}\ncost: {outputs: [{output: bob.x, weight: 1, activation: huber}]}\n",
       "found the unknown word 'huber'"},
      {FIRST "type: place, bodies: tip}]\n",
       ":6:27: outputs[].type: found the unknown word 'place'"},
      {FIRST "type: position}]\n",
       "outputs[]: found no 'bodies', expected one for the type position"},
      {FIRST "type: distance, bodies: [tip, tip]}]\n", "found 'tip' and 'tip', expected different"},
      {FIRST "type: position, bodies: world}]\n", "found 'world' and 'world', expected different"},
      {FIRST "type: position, bodies: tap}]\n", "unknown body 'tap'"},
      {FIRST "type: position, bodies: tip, axis: [0, 0, 1]}]\n",
       "found 'axis', expected none for the type position"},
      {FIRST "type: height, bodies: tip, axis: [0, 0, 0]}]\n", "found 0 0 0, expected a direction"},
      {FIRST "type: sum, coordinates: [pole, pole]}]\n", "found 'pole' twice"},
      {FIRST "type: power, inputs: slidr}]\n",
       "outputs[].inputs: found the unknown input 'slidr', expected slider; did you mean"},
      {FIRST "type: power, inputs: [slider, slider]}]\n", "outputs[].inputs: found 'slider' twice"},
      {FIRST "type: power, inputs: {slider: much}}]\n", "outputs[].inputs"},
      {FIRST "type: power}]\n", "found no 'inputs', expected one for the type power"},
      {FIRST "type: power, inputs: []}]\n",
       "outputs[].inputs: found a list of 0, expected a list of names, or weights by name"},
      {FIRST "type: power, inputs: pull}]\ninputs: [{name: pull, body: tip, frame: mixed, force: "
             "[1, 0, 0]}]\n",
       "outputs: output 'y': the input 'pull' is on no joint, expected inputs at joints"},
      {FIRST "type: power, inputs: slider}]\nbounds: {outputs: {y: [3, 1]}}\n", "bounds.outputs.y"},
      {FIRST "type: power, inputs: slider}]\nfeedback: {Q: {outputs: {y: 1}}, R: 1}\n",
       "feedback.Q.outputs.y: found an output of inputs or contacts, expected one of a state"},
      {FIRST
       "type: input, inputs: slider}]\nfeedback: {Q: {q: 1, p: 1}, R: 1}\nverify: {samples: 1, "
       "seed: 1, spread: "
       "{q: 0.1}, tolerance: {outputs: {y: 1}}}\n",
       "verify.tolerance.outputs.y: found an output of inputs or contacts, expected one of a "
       "state"},
      {FIRST "type: sum, coordinates: 3}]\n", "expected a list of names, or weights by name"},
      {HEAD GOAL "outputs: [{name: a.b, type: center-of-mass}]\n", "expected one without a dot"},
      {HEAD OUTPUTS "goal: {outputs: {bob: [0, 0, 0], bob.z: 0}, v: 0}\ncost: {input: 1}\n",
       "goal.outputs.bob.z: found it asked twice"},
      {HEAD OUTPUTS "goal: {outputs: {bob.z: 0, bob: [0, 0, 0]}, v: 0}\ncost: {input: 1}\n",
       "goal.outputs.bob: found it asked twice"},
      {LAST "via: [{outputs: {tilt: 1}}]\n", "via[]: found no time"},
      {LAST "via: [{at: 1}]\n", "via[]: found nothing asked, expected 'outputs', 'q', 'v' or 'u'"},
      {LAST "via: [{at: 1, u: {slidr: 1}}]\n", "did you mean 'slider'"},
      {LAST "via: [{at: 1, u: {slider: [7, 9]}}]\nbounds: {u: [-1, 1]}\n",
       "via[].u.slider: found [7, 9], expected some of its bounds [-1, 1]"},
      {LAST "via: [{at: 1, v: {pole: 3}}]\nbounds: {v: {pole: 2}}\n",
       "via[].v.pole: found [3, 3], expected some of its bounds [-2, 2]"},
      {LAST "via: [{at: 1, q: {slider: [1, 3]}}]\nbounds: {q: {slider: [-0.5, 0.5]}}\n",
       "via[].q.slider: found [1, 3], expected some of its bounds [-0.5, 0.5]"},
      {LAST "via: [{from: 0.5, to: 1.5, v: {pole: [1, 2]}}, {at: 1, v: {pole: 3}}]\n",
       "via[].v.pole: found [3, 3], where at the same time it is asked to be in [1, 2]"},
      {LAST "via: [{from: 0.5, to: 1.5, outputs: {rise: [0.1, 0.2]}}]\n"
            "bounds: {outputs: {rise: [none, 0]}}\n",
       "via[].outputs.rise: found [0.1, 0.2], where at the same time it is asked to be in [-inf, "
       "0]"},
      {LAST "via: [{from: 0, to: 1, u: {slider: [1, 2]}}, {at: 0.5, u: {slider: 3}}]\n",
       "via[].u.slider: found [3, 3], where at the same time it is asked to be in [1, 2]"},
      {LAST "via: [{at: 1, v: {pol: 1}}]\n", "did you mean 'pole'"},
      {LAST "via: [{at: 0, v: {pole: 1}}]\n",
       "start: the speed of 'pole' is 0 there, expected it within [1, 1]"},
      {LAST "via: [{at: 1, outputs: {bob: {within: 1}}}]\n", "found no 'csv', expected a file"},
      {LAST "via: [{at: 1, outputs: {bob: {csv: none.csv}}}]\n", "none.csv"},
      {LAST "via: [{at: 1, outputs: {reach: {csv: x.csv}}}]\n",
       "found no column 'y.reach', expected one"},
      {LAST "via: [{at: 1, outputs: {bob: {csv: x.csv, within: -1}}}]\n", "expected a number >= 0"},
      {FIRST "type: speed, bodies: tip}]\nvia: [{at: 1, outputs: {y: 0}}]\n",
       "via[].outputs.y: found 0, expected more than 0: a speed has no derivative at rest"},
      {FIRST "type: angular-momentum, points: [[0, 0, 0], [1, 0, 0]]}]\n",
       "expected one point of the world"},
      {FIRST "type: rate, coordinates: [pole], shift: 1}]\n",
       "found 'shift', expected none for the type rate"},
      {LAST "via: [{at: 1, outputs: {tilt: 1.01}}]\n",
       "via[].outputs.tilt: found [1.01, 1.01], expected some of what it can be, [-1, 1]"},
      {LAST "via: [{at: 1, outputs: {reach: [-0.2, -0.1]}}]\n",
       "via[].outputs.reach: found [-0.2, -0.1], expected some of what it can be, [0, inf]"},
      {HEAD OUTPUTS "goal: {outputs: {turn: [0, 90, 0]}, v: 0}\ncost: {input: 1}\n",
       "goal.outputs.turn: found [90, 90], expected some of what it can be, [-3.14159, 3.14159]"},
      {LAST "via: [{at: 1, from: 0, outputs: {tilt: 1}}]\n", "found 'at' beside 'from'"},
      {LAST "via: [{at: 2.5, outputs: {tilt: 1}}]\n",
       "via[].at: found 2.5 s, expected a time from 0"},
      {LAST "via: [{at: knot 9, outputs: {tilt: 1}}]\n", "expected a knot from 0 to 4"},
      {LAST "via: [{at: 120 %, outputs: {tilt: 1}}]\n", "expected a share from 0 % to 100 %"},
      {LAST "via: [{at: soon, outputs: {tilt: 1}}]\n", "found 'soon', expected a time in s"},
      {LAST "via: [{from: 1, to: 0.5, outputs: {tilt: 1}}]\n", "found 'from' behind 'to'"},
      {LAST "via: [{at: 1, outputs: {tlit: 1}}]\n",
       "expected one of bob.x, bob.y, bob.z, reach, rise, tilt, turn.x, turn.y, turn.z, center.x, "
       "center.y, "
       "center.z, lead, both; did you mean 'tilt'?"},
      {LAST "via: [{at: 1, q: {pol: 1}}]\n",
       "unknown coordinate 'pol', expected one of slider, pole; did you mean 'pole'?"},
      {LAST "via: [{at: 1, outputs: {bob: 1}}]\n",
       "expected a list of 3 values, or one of them as bob.x"},
      {LAST "via: [{at: 1, outputs: {tilt: [2, 1]}}]\n", "via[].outputs.tilt"},
      {HEAD GOAL "bounds: {outputs: {tilt: 1}}\n", "but the file has no 'outputs'"},
      {HEAD OUTPUTS "goal: {q: 0, v: 0}\ncost: {outputs: [{output: bob}]}\n", "found no 'weight'"},
      {HEAD OUTPUTS
       "goal: {q: 0, v: 0}\ncost: {outputs: [{output: bob, weight: 1, reference: 2}]}\n",
       "cost.outputs[].reference"},
      {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {free: [1, 2]}}\nstart: {q: 0, v: "
       "0}\n" OUTPUTS GOAL "via: [{at: 1, outputs: {tilt: 1}}]\n",
       "found a time where the final time is free"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

#define SHAPES                                                                                     \
  "keep_out:\n  clearance: 0.02\n  shapes:\n"                                                      \
  "    - {name: post, type: cylinder, point: [1, 0, 0], axis: [0, 1, 0], radius: 0.1}\n"           \
  "    - {name: floor, type: half-space, point: [0, 0, -2], axis: [0, 0, 2]}\n"                    \
  "    - {name: crate, type: box, point: [0, 3, 0], size: [0.2, 0.4, 0.6], rpy: [0, 0, 0.3]}\n"    \
  "    - {name: bob, type: sphere, body: tip, point: [0, 0, -0.5], radius: 0.05}\n"                \
  "    - {name: rod, type: capsule, body: tip, points: [[0, 0, 0], [0, 0, -0.4]], radius: 0.02}\n" \
  "    - {name: hull, type: sphere, body: cart, radius: 0.1}\n"

// pairs are outputs behind those of the list, and stay apart
static void shapes_stay_apart(void **state) {
  (void)state;
  pb_problem *p =
      get_problem(HEAD SHAPES "  except: [[rod, crate], [hull, floor]]\n"
                              "outputs: [{name: near, type: clearance, between: [hull, rod]}]\n"
                              "goal: {v: 0}\ncost: {input: 1}\n");
  const pb_outputs *o = &p->robot.outputs;
  static const char *const name[] = {"near",        "bob-post",  "rod-post",
                                     "hull-post",   "bob-floor", "rod-floor.1",
                                     "rod-floor.2", "bob-crate", "hull-crate"};
  const dm_output_map y = pb_robot_outputs(&p->robot);
  assert_int_equal(o->named, 9);
  assert_int_equal(o->kept, 8);
  for (int i = 0; i < o->named; i++) assert_string_equal(dm_output_map_name(&y, i), name[i]);
  assert_int_equal(p->task.outputs.nlimits, 8);
  assert_true(find_limit(p, 1, 0)->low == 0.02 && find_limit(p, 1, 0)->at.to == 1);

  // numbers of geometry, hanging at 0.3
  const double q[] = {0.3, 0};
  double at[9];
  eval_at(p, q, at);
  assert_true(fabs(at[0] + 0.12) < 1e-14);                     // the rod begins in the hull
  assert_true(fabs(at[1] - (hypot(0.7, 0.5) - 0.15)) < 1e-14); // bob-post
  assert_true(fabs(at[2] - (0.7 - 0.12)) < 1e-14);             // rod-post
  assert_true(fabs(at[4] - 1.45) < 1e-14);                     // bob-floor
  assert_true(fabs(at[5] - 1.98) < 1e-14 && fabs(at[6] - 1.58) < 1e-14);
  pb_problem_free(p);

  // a box of a body stays out of spheres and capsules alone
  p = get_problem(HEAD SHAPES "    - {name: lid, type: box, body: tip, size: [0.1, 0.1, 0.1]}\n"
                              "goal: {v: 0}\ncost: {input: 1}\n");
  assert_int_equal(p->warnings.n, 2); // and no motor on the pole
  assert_non_null(strstr(p->warnings.text[0], "p.yaml:13: keep_out: 'lid' and 'crate' are not"));
  pb_problem_free(p);

  // by pairs alone, and of bodies against each other
  p = get_problem(HEAD SHAPES "  pairs: [[floor, bob]]\ngoal: {v: 0}\ncost: {input: 1}\n");
  assert_int_equal(p->robot.outputs.kept, 1);
  pb_problem_free(p);
}

// a root link that is called so, as exporters write one, is the world
static void a_link_named_world_is_listed_once(void **state) {
  (void)state;
  put_file(folder, "w.urdf",
           "<robot name='w'><link name='world'/><link name='arm'><inertial><mass value='1'/>"
           "<origin xyz='0 0 -1'/></inertial></link><joint name='turn' type='continuous'><parent "
           "link='world'/><child link='arm'/><axis xyz='0 1 0'/></joint></robot>\n");
#define ARM                                                                                        \
  "model: {urdf: w.urdf}\ninputs: []\nhorizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n" GOAL    \
  "outputs: [{name: y, type: position, bodies: "
  expect_refused(&(refused){ARM "arn}]\n", "expected one of world, arm; did you mean 'arm'?"}, 1);
  expect_refused(&(refused){ARM "world}]\n", "found 'world' and 'world', expected different"}, 1);
  pb_problem *p = get_problem(ARM "[arm, world]}]\n");
  assert_int_equal(p->robot.outputs.named, 3);
  pb_problem_free(p);
  unlink(put_file(folder, "w.urdf", ""));
}

static void shapes_that_cannot_stay_apart_are_refused(void **state) {
  (void)state;
#define END "goal: {q: 0, v: 0}\ncost: {input: 1}\n"
  const refused rows[] = {
      {HEAD SHAPES "  self: true\n" END,
       "p.yaml:3:8: start: the clearance 'rod-hull' is -0.12 m there"},
      {HEAD SHAPES "  pairs: [[floor, crate]]\n" END, "keep_out.pairs: found 'floor' and 'crate'"},
      {HEAD SHAPES "  pairs: [[floor, bop]]\n" END, "unknown shape 'bop'"},
      {HEAD SHAPES "  pairs: []\n" END, "found no pair that can meet"},
      {HEAD SHAPES "  pairs: [[floor, bob], [bob, floor]]\n" END,
       "keep_out.pairs: found 'bob' and 'floor' twice"},
      {HEAD SHAPES "outputs: [{name: bob-post, type: center-of-mass}]\n" END,
       "keep_out: found two outputs named 'bob-post'"},
      {HEAD SHAPES "outputs: [{name: y, type: clearance, between: [bob, bob]}]\n" END,
       "outputs[].between: found 'bob' twice"},
      {HEAD "keep_out: {shapes: [{name: a.b, type: sphere, radius: 1}]}\n" END,
       "keep_out.shapes[].name: found 'a.b', expected one without a dot"},
      {HEAD SHAPES "  pairs: [[floor, bob]]\n  self: true\n" END, "found 'pairs' beside 'self'"},
      {HEAD SHAPES "  except: 3\n" END, "keep_out.except: found '3', expected a list of pairs"},
      {HEAD SHAPES "goal: {q: {slider: 1, pole: 0}, v: 0}\ncost: {input: 1}\n",
       "p.yaml:13:7: goal: the clearance 'rod-post' is -0.12 m there, expected at least 0.02"},
      {HEAD "keep_out: {clearance: 1}\n" END, "keep_out: found no 'shapes'"},
      {HEAD "keep_out: {shapes: [{name: a, type: sphere, radius: 1}]}\n" END, "found no pair"},
      {HEAD "keep_out: {shapes: [{name: a, type: sphere}]}\n" END,
       "found no 'radius', expected one for the type sphere"},
      {HEAD "keep_out: {shapes: [{name: a, type: sphere, radius: 1, size: [1, 1, 1]}]}\n" END,
       "found 'size', expected none for the type sphere"},
      {HEAD "keep_out: {shapes: [{name: a, type: box, size: [1, 0, 1]}]}\n" END,
       "expected sizes > 0"},
      {HEAD "keep_out: {shapes: [{name: a, type: capsule, radius: 1, points: [[0, 0, 0], [0, 0, "
            "0]]}]}\n" END,
       "found the same point twice"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

// y of a robot that floats by a quaternion, along one direction
typedef struct floating {
  dm_output_map y;
  void *scratch;
} floating;

static dm_status eval_floating(void *self, const double *z, double *y) {
  const floating *f = self;
  return dm_output_map_eval(&f->y, f->scratch, z, z + f->y.n, y, NULL, NULL);
}

// lambda.y by z = (q,v), lambda = 1, 2, ..
static dm_status slope_floating(void *self, const double *z, double *slope) {
  const floating *f = self;
  const int n = f->y.n;
  double y[16], D[2][16 * 9];
  const dm_status s = dm_output_map_eval(&f->y, f->scratch, z, z + n, y, D[0], D[1]);
  for (int j = 0; j < 2 * n; j++) {
    slope[j] = 0;
    for (int i = 0; i < f->y.ny; i++) slope[j] += (i + 1) * D[j / n][i * n + j % n];
  }
  return s;
}

static void quaternions_are_seen_through(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model: {bodies: [{name: kite, joints: [tx, ty, tz, ball], mass: 1, inertia: [1, 2, 3]},\n"
      "  {name: tail, parent: kite, joints: [ry], mass: 1, centre: [0, 0, -1]}]}\n"
      "simulate: {time: 1, steps: 4}\nstart: {q: 0, v: 0}\n"
      "outputs: [{name: end, type: position, bodies: tail, points: [0.1, 0.2, -0.5]},\n"
      "          {name: turn, type: rotation, bodies: tail},\n"
      "          {name: speed, type: speed, bodies: tail, points: [0.1, 0.2, -0.5]},\n"
      "          {name: spin, type: angular-velocity, bodies: tail},\n"
      "          {name: moment, type: angular-momentum}]\n");
  floating f = {.y = pb_robot_outputs(&p->robot)};
  f.scratch = aligned_alloc(64, f.y.scratch + 64);
  const int n = p->model->nq, m = f.y.ny;
  assert_true(p->robot.outputs.named == 13 && m == 13 && n == 8);
  double z[18] = {0.1, 0.2, 0.3}, d[18], y[16], D[2][16 * 9], Dd[18] = {0}, room[18 + 32 + 40];
  double H[3][81] = {{0}}, lambda[16];
  for (int i = 0; i < 2 * n; i++) d[i] = cos(3 * i);
  for (int i = 3; i < 2 * n; i++) z[i] = 0.5 + 0.1 * i;
  for (int i = 0; i < m; i++) lambda[i] = i + 1;

  // at a quaternion of any length
  assert_int_equal(dm_output_map_eval(&f.y, f.scratch, z, z + n, y, D[0], D[1]), DM_OK);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) Dd[i] += D[0][i * n + j] * d[j] + D[1][i * n + j] * d[n + j];
  const dm_difference claim = {2 * n, m, z, d, Dd, eval_floating, &f, NULL, 1e-15};
  assert_true(dm_difference_judge(&claim, room).holds);

  // and the second derivatives
  assert_int_equal(dm_output_map_contract(&f.y, f.scratch, z, z + n, lambda, H[0], H[1], H[2]),
                   DM_OK);
  for (int i = 0; i < n; i++) {
    Dd[i] = Dd[n + i] = 0;
    for (int j = 0; j < n; j++) {
      Dd[i] += H[0][i * n + j] * d[j] + H[1][i * n + j] * d[n + j];
      Dd[n + i] += H[1][j * n + i] * d[j] + H[2][i * n + j] * d[n + j];
    }
  }
  const dm_difference second = {2 * n, 2 * n, z, d, Dd, slope_floating, &f, NULL, 1e-13};
  assert_true(dm_difference_judge(&second, room).holds);
  free(f.scratch);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_robot),
      cmocka_unit_test(tasks_ask_for_outputs),
      cmocka_unit_test(what_is_asked_may_change_with_time),
      cmocka_unit_test(inputs_and_their_power_are_asked),
      cmocka_unit_test(what_is_wrong_is_refused_by_place),
      cmocka_unit_test(shapes_stay_apart),
      cmocka_unit_test(a_link_named_world_is_listed_once),
      cmocka_unit_test(shapes_that_cannot_stay_apart_are_refused),
      cmocka_unit_test(quaternions_are_seen_through),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
