// tests/problems/readers/task/test_formulas.c: outputs by formula in problems: values against C, derivatives of
// programs with them in every transcription, refusals by place.
#include "tests/support/cart_pole.h"

#include "optim/check.h"
#include "optim/solve.h"

#include <math.h>
#include <stdlib.h>

#define MODEL "model: {urdf: c.urdf}\n"
#define FREE  "start: {q: {slider: 0.1, pole: 0.3}, v: 0.2}\nhorizon: {steps: 6, time: 2}\n"
#define GOAL  "goal: {q: 0, v: 0}\n"

// y(q, v) of all rows
static void eval_at(const pb_problem *p, const double *q, const double *v, double *y) {
  const dm_output_map f = pb_robot_outputs(&p->robot);
  void *scratch = aligned_alloc(64, f.scratch + 64);
  assert_int_equal(dm_output_map_eval(&f, scratch, q, v, y, NULL, NULL), DM_OK);
  free(scratch);
}

static void formulas_have_their_values(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      MODEL FREE GOAL "cost: {input: 1}\n"
                      "outputs:\n"
                      "  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"
                      "  - {name: wall, formula: \"softplus(bob.x - 0.2, 0.1)\", unit: m}\n"
                      "  - {name: swing, type: formula, formula: v.pole^2 cos(q.pole) - 2 wall^2}\n"
                      "  - {name: twice, formula: swing + swing bob.z}\n"
                      "  - {name: force, formula: u.slider^2 / 2}\n");
  const double q[] = {0.3, 0.8}, v[] = {-1, 2};
  double y[7];
  assert_int_equal(p->robot.outputs.named, 7);
  eval_at(p, q, v, y);
  const double x = 0.3 - 0.5 * sin(0.8), wall = 0.1 * log1p(exp((x - 0.2) / 0.1));
  const double swing = 4 * cos(0.8) - 2 * wall * wall;
  assert_true(fabs(y[3] - wall) < 1e-15);
  assert_true(fabs(y[4] - swing) < 1e-14);
  assert_true(fabs(y[5] - swing * (1 - 0.5 * cos(0.8))) < 1e-14);
  assert_true(isnan(y[6])); // it is one of inputs
  assert_string_equal(dm_outputs_unit(p->robot.outputs.rows, 3), "m");
  assert_string_equal(dm_outputs_unit(p->robot.outputs.rows, 4), "1");
  pb_problem_free(p);
}

// costs and limits on formulas of positions, velocities and inputs, by the order of differences
static void derivatives_of_programs_hold(void **state) {
  (void)state;
#define TIP "outputs:\n  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"
#define ASKED                                                                                      \
  "cost: {input: 1, outputs: [{output: f, weight: 2, activation: linear}, {output: f, weight: "    \
  "1}]}\n"                                                                                         \
  "bounds: {outputs: {f: [-100, 100]}}\n"
  static const char *const rows[] = {
      TIP "  - {name: f, formula: \"huber(bob.x - 3, 0.5) + sin(q.pole) bob.z\"}\n" ASKED,
      TIP "  - {name: f, formula: \"hypot(v.pole, 1) + v.slider bob.x^2\"}\n" ASKED,
      TIP "  - {name: f, formula: u.slider^2 + u.slider v.slider + bob.x^2 v.pole}\n" ASKED,
      TIP "  - {name: f, formula: (bob.x - 0.3 sin(3 t)) v.pole + T^2 q.pole}\n" ASKED,
      TIP "  - {name: f, formula: u.slider t/T}\n" ASKED,
      TIP "  - {name: f, formula: bob.x^3 - 1}\n" ASKED
          "transcription: second-order-underactuated\n",
      TIP "  - {name: f, formula: bob.x v.pole}\n" ASKED
          "transcription: second-order-underactuated\n"};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[900];
    snprintf(text, sizeof text, MODEL FREE GOAL "%s", rows[i]);
    pb_problem *p = get_problem(text);
    oc_check found = oc_check_default();
    dm_message msg = {""};
    if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    if (found.failed) fail_msg("row %d: %d derivatives differ", (int)i, found.failed);
    pb_problem_free(p);
  }
}

// unlike units give a warning; numbers and unknown units do not
static void unlike_units_are_said(void **state) {
  (void)state;
#define BOB                                                                                        \
  MODEL FREE GOAL "cost: {input: 1}\noutputs:\n  - {name: bob, type: position, bodies: tip, "      \
                  "points: [0, 0, 1]}\n"
  static const struct {
    const char *formula, *warning;
  } rows[] = {{"bob.x + v.slider", "p.yaml:8: the formula 'f' adds m and m/s at character 1"},
              {"q.slider - q.pole", "adds m and 1"},
              {"1 + u.slider v.slider - v.pole^2", "adds W and s^-2"},
              {"sin(bob.x)", "has sin of m at character 1"},
              {"\"hypot(bob.x, v.pole)\"", "has hypot of m and rad/s"},
              {"sqrt(bob.x^2 + bob.z^2) - bob.x/v.slider", "adds m and s"},
              {"bob.x - 0.3 + 0.1 v.slider", NULL},
              {"sin(2 t) + sin(bob.x/bob.z) + q.pole", NULL},
              {"\"softplus(bob.x - 0.6, 0.01) + 2 q.pole^2\"", NULL},
              {"bob.x^q.pole + bob.x + 1*v.slider", NULL},
              {"\"v.slider^2/(2*9.81) + bob.z + atan2(bob.x, bob.z)\"", NULL}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[600];
    snprintf(text, sizeof text, BOB "  - {name: f, formula: %s}\n", rows[i].formula);
    pb_problem *p = get_problem(text);
    const char *found = NULL;
    for (int k = 0; k < p->warnings.n; k++)
      if (strstr(p->warnings.text[k], "the formula 'f'")) found = p->warnings.text[k];
    if (!found != !rows[i].warning || (found && !strstr(found, rows[i].warning)))
      fail_msg("row %d: %s", (int)i, found ? found : "no warning");
    pb_problem_free(p);
  }
}

// A cart that follows t^2, with a weight far above that of its input, is at it within h^2/4, by which the mean of a
// step differs; names of the file come before times.
static void times_are_variables(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model:\n  bodies: [{name: cart, mass: 2, joints: [tx]}]\ninputs: [{joint: cart}]\n"
      "horizon: {steps: 40, time: 2}\nstart: {q: 0, v: 0}\n"
      "cost: {input: 1e-9, outputs: [{formula: q.cart - t^2, weight: 1}]}\n");
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *x;
  dm_message msg = {""};
  if (oc_solve(&p->task, &set, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  for (int k = 0; k <= x->N; k++) assert_true(fabs(x->q[k] - k * x->h * k * x->h) < 1e-3);
  dm_trajectory_free(x);
  pb_problem_free(p);
  p = get_problem(MODEL FREE GOAL "cost: {input: 1}\nlet: {t: 3}\n"
                                  "outputs: [{name: f, formula: q.pole + t}]\n");
  const double q[] = {0.3, 0.8}, v[] = {-1, 2};
  double y[1];
  eval_at(p, q, v, y);
  assert_true(y[0] == 0.8 + 3);
  pb_problem_free(p);
}

// the cost on the output with this name
static const oc_output_cost *find_cost(const pb_problem *p, const char *name) {
  const oc_outputs *o = &p->task.outputs;
  for (int i = 0; i < o->ncosts; i++)
    if (!strcmp(oc_outputs_name(o, o->costs[i].output), name)) return &o->costs[i];
  fail_msg("no cost on %s", name);
  return NULL;
}

// expressions in `cost` are outputs, with costs once at the goal or over a span
static void costs_may_be_formulas(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      MODEL FREE TIP
      "cost:\n  input: 1\n  maximize: bob.z + 0.1 v.pole^2\n  minimize: q.slider^2\n  outputs:\n"
      "    - {output: bob.x, weight: 3}\n"
      "    - {formula: \"huber(bob.x - 0.2, 0.1)\", weight: 2, activation: linear, from: 50 %}\n");
  assert_int_equal(p->robot.outputs.named, 6);
  assert_int_equal(p->task.outputs.ncosts, 4);
  const oc_output_cost *most = find_cost(p, "maximize"), *least = find_cost(p, "minimize");
  const oc_output_cost *own = find_cost(p, "cost-2");
  assert_true(most->weight == -1 && most->once && most->at.from == 1 && most->at.to == 1);
  assert_true(least->weight == 1 && least->once && least->activation.kind == OC_LINEAR);
  assert_true(own->weight == 2 && !own->once && own->at.from == 0.5);
  oc_check found = oc_check_default();
  dm_message msg = {""};
  if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(found.failed, 0);
  pb_problem_free(p);
}

// names of `let` are inserted, and entries of `constraints` are outputs with a limit over their span
static void constraints_are_limits_on_their_formulas(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      MODEL FREE TIP "let: {aim: [0.3, 0, -0.4], near: 0.2, \"off(x, w)\": x - near w}\n"
                     "constraints:\n"
                     "  ring: {formula: norm(bob - aim), within: [near/2, none], from: 50 %}\n"
                     "  end: {formula: \"off(q.slider, 2)\", within: 0.7, at: 100 %}\n"
                     "  force: {formula: u.slider^2, within: [none, 9]}\n"
                     "cost: {input: 1}\n");
  const oc_outputs *o = &p->task.outputs;
  assert_int_equal(o->nlimits, 3);
  assert_string_equal(oc_outputs_name(o, o->limits[0].output), "ring");
  assert_true(o->limits[0].low == 0.1 && o->limits[0].high == INFINITY);
  assert_true(o->limits[0].at.from == 0.5 && o->limits[0].at.to == 1);
  assert_true(o->limits[1].low == 0.7 && o->limits[1].high == 0.7 && o->limits[1].at.from == 1);
  assert_true(oc_outputs_driven(o, o->limits[2].output));
  const double q[] = {0.3, 0.8}, v[] = {-1, 2}, x = 0.3 - 0.5 * sin(0.8), z = -0.5 * cos(0.8);
  double y[6];
  eval_at(p, q, v, y);
  assert_true(fabs(y[3] - hypot(x - 0.3, z + 0.4)) < 1e-15);
  assert_true(fabs(y[4] + 0.1) < 1e-15);
  oc_check found = oc_check_default();
  dm_message msg = {""};
  if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(found.failed, 0);
  pb_problem_free(p);
}

// a formula that has no value at the guess is named with its knot and its operation
static void formulas_without_a_value_are_told(void **state) {
  (void)state;
  pb_problem *p =
      get_problem(MODEL FREE GOAL "outputs: [{name: f, formula: log(q.pole - 0.22)}]\n"
                                  "cost: {input: 1, outputs: [{output: f, weight: 1}]}\n");
  oc_check found = oc_check_default();
  dm_message msg = {""};
  assert_int_equal(oc_check_task(&found, &p->task, NULL, &msg), DM_NOT_FINITE);
  assert_string_equal(msg.text,
                      "the output 'f' is not defined at knot 2: log(-0.02) at character 1");
  pb_problem_free(p);
}

static void what_is_no_formula_is_refused(void **state) {
  (void)state;
#define OF(text) MODEL FREE GOAL "cost: {input: 1}\noutputs:\n  - {name: f, formula: " text "}\n"
#define LATER    "  - {name: g, formula: q.pole}\n"
  const refused rows[] = {
      {OF("v.pol"),
       "p.yaml:7:24: outputs[].formula: found the unknown name 'v.pol' at character 1, "
       "expected one of q.slider, q.pole, v.slider, v.pole, p.slider, p.pole, u.slider, t, T, h, "
       "pi, "},
      {OF("v.pol"), "did you mean 'v.pole'?"},
      {OF("g + 1") LATER, "found the unknown name 'g' at character 1"},
      {OF("f + 1"), "found the unknown name 'f' at character 1"},
      {OF("2 pi"), "found '2 pi', which is constant, expected an expression with a coordinate"},
      {OF("0 * 3"), "which is constant"},
      {OF("\"max(q.pole, 0)\""), "found 'max' at character 1, which has no derivative everywhere, "
                                 "expected a smooth function; try y + softplus(x - y, width)"},
      {OF("q.pole < 3"),
       "found '<' at character 8, expected no comparison: a range is 'within: [low, high]'"},
      {OF("p.pol"), "did you mean 'p.pole'?"},
      {OF("lambda.foot"), "found the unknown name 'lambda.foot' at character 1"},
      {OF("a.pole"), "found 'a.pole' at character 1, an acceleration, which formulas do not have"},
      {MODEL FREE GOAL "constraints: {f: {formula: log(q.pole - 0.5), within: [-9, 1]}}\n",
       "start: the output 'f' has no value there: log(-0.2) at character 1"},
      {"model: {urdf: c.urdf, constraints: [{name: f, type: formula, formula: v.pole, within: [0, "
       "1]}]}\n" FREE GOAL,
       "model.constraints[]: found 'within', but constraints of the model are equations"},
      {"model: {urdf: c.urdf, constraints: [{name: f, type: equal, coordinates: [pole, slider], "
       "min: 0}]}"
       "\n" FREE GOAL,
       "model.constraints[]: found 'min', but constraints of the model are equations"},
      {OF("[q.pole]"),
       "outputs[].formula: found a list of 1, expected an expression of coordinates"},
      {OF("hypot(q.pole"),
       "found the end of 'hypot(q.pole', expected ',' and a second argument; put an "
       "expression with a comma in quotes"},
      {OF("q.pole, bodies: tip"), "found 'bodies', expected none for the type formula"},
      {MODEL FREE GOAL "cost: {input: 1}\noutputs: [{name: f}]\n",
       "outputs[]: found no 'type', expected one, or a 'formula'"},
      {MODEL FREE GOAL "cost: {input: 1}\noutputs: [{name: f, type: formula}]\n",
       "outputs[]: found no 'formula', expected one for the type formula"},
      {MODEL FREE GOAL "cost: {input: 1}\noutputs:\n  - {name: q, type: position, bodies: tip}\n"
                       "  - {name: q.x, type: sum, coordinates: [pole]}\n",
       "expected one without a dot"},
      {MODEL FREE "cost: {maximize: q.pol}\n", "cost.maximize: found the unknown name 'q.pol'"},
      {MODEL FREE "outputs: [{name: maximize, formula: q.pole}]\ncost: {maximize: q.pole}\n",
       "cost.maximize: found a second one named 'maximize', expected every name once"},
      {MODEL FREE "cost: {outputs: [{weight: 1}]}\n",
       "cost.outputs[]: found neither, expected one of output, formula"},
      {MODEL FREE "cost: {outputs: [{weight: 1, output: f, formula: q.pole}]}\n",
       "cost.outputs[]: found both, expected one of output, formula"},
      {MODEL FREE "cost: {outputs: [{weight: 1, formula: 3}]}\n",
       "cost.outputs[].formula: found '3', which is constant"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: {formula: q.pol, within: 1}}\n",
       "constraints[].formula: found the unknown name 'q.pol'"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: {formula: q.pole, within: none}}\n",
       "constraints.f.within: found no limit, expected one or two"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: {formula: q.pole, within: [2, 1]}}\n",
       "constraints.f.within: found [2, 1], expected the lower limit first"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: {formula: q.pole, within: 1/0}}\n",
       "constraints.f.within: found '1/0', which is inf, expected a finite number"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: {formula: q.pole}}\n", "within"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: [f]\n",
       "constraints: found a list of 1, expected sections by name"},
      {MODEL FREE GOAL "cost: {input: 1}\nconstraints: {f: 3}\n",
       "constraints.f: found '3', expected a mapping"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {a b: 3}\n", "let: found 'a b', expected a name"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {\"f(x\": 3}\n",
       "let: found 'f(x', expected a name"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {f: {x: a}}\n", "let.f: found no 'y'"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {f: {x: a, y: b}}\n",
       "let.f.x: found 'a' without 'csv', expected lists of as many numbers as x, 2 or more"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {f: {x: [0, 1], y: [2, 3, 4]}}\n",
       "let.f.y: found a list of 3"},
      {MODEL FREE GOAL "cost: {input: 1}\nlet: {f: {x: [0, 1, 1], y: [2, 3, 4]}}\n",
       "let.f.x: found '1', expected a number above the one before"},
      {OF("far + q.pole") "let: {far: 3 clos}\n",
       "outputs[].formula: in 'far' (line 8): found the unknown name 'clos' at character 3"},
      {OF("u.slider") "transcription: second-order-underactuated\nbounds: {outputs: {f: [0, 1]}}\n",
       "a second-order transcription cannot have limits or costs on inputs, powers, times or "
       "impulses ('f')"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_have_their_values),
      cmocka_unit_test(derivatives_of_programs_hold),
      cmocka_unit_test(unlike_units_are_said),
      cmocka_unit_test(costs_may_be_formulas),
      cmocka_unit_test(constraints_are_limits_on_their_formulas),
      cmocka_unit_test(formulas_without_a_value_are_told),
      cmocka_unit_test(times_are_variables),
      cmocka_unit_test(what_is_no_formula_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
