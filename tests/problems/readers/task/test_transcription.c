// tests/problems/readers/task/test_transcription.c: `transcription: second-order`: what becomes of
// what a file says of it, and what it does not take, said by place.
#include "tests/support/cart_pole.h"

#include <math.h>

#define ARM_BODIES                                                                                 \
  "bodies: [{name: a, joints: [{name: s, type: ry}], mass: 1, centre: [0, 0, -1]},\n"              \
  "  {name: b, parent: a, joints: [{name: e, type: ry}], mass: 1, centre: [0, 0, -1]}]}\n"
#define ARM    "model: {" ARM_BODIES
#define BOTH   "inputs: [{joint: s}, {joint: e}]\n"
#define SECOND "transcription: second-order\n"
#define TIMED  "horizon: {steps: 4, time: 2}\n"
#define REST   "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\n"
#define COST   "cost: {input: 2}\n"
#define TASK   ARM BOTH SECOND TIMED REST COST
#define GO     "simulate: {steps: 3, step: 0.1}\n"
#define FLOW   ARM BOTH SECOND "simulate: {steps: 3, step: 0.1, start: {q: 1"

static void second_order_arrives(void **state) {
  (void)state;
  pb_problem *p = get_problem(TASK);
  assert_true(p->transcription.second && p->transcription.action.underactuated &&
              !p->transcription.action.penalty && !p->transcription.action.V.eval);
  assert_ptr_equal(p->transcription.action.m, p->model);
  assert_string_equal(p->transcription.action.rule.name, "hermite-gauss");
  assert_int_equal(p->options.method, OC_SOLVER_AUTO);
  pb_problem_free(p);
  p = get_problem(ARM BOTH
                  "transcription: second-order-underactuated\nrule: {second: taylor}\n"
                  "solver: {method: ipopt}\n" TIMED REST
                  "bounds: {q: {e: [none, 2]}}\ncost: {input: 1, penalty: {s: 0, e: 5}}\n");
  assert_true(p->transcription.second && p->transcription.action.underactuated &&
              p->options.method == OC_SOLVER_IPOPT);
  assert_string_equal(p->transcription.action.rule.name, "taylor");
  EXPECT(p->transcription.action.penalty, 0, 5);
  pb_problem_free(p);
  p = get_problem("model: {springs: [{name: coil, joint: s, stiffness: 20}], " ARM_BODIES BOTH
                      SECOND TIMED REST COST);
  double q[] = {0.5, 0}, V = 0, V_q[2] = {0};
  void *scratch = malloc(p->transcription.action.V.scratch + 1);
  assert_int_equal(
      p->transcription.action.V.eval(p->transcription.action.V.self, scratch, 1, q, &V, V_q, NULL),
      DM_OK);
  free(scratch);
  assert_true(V == 2.5 && V_q[0] == 10 && V_q[1] == 0);
  pb_problem_free(p);
  p = get_problem(TASK "solver: {method: newton}\n");
  assert_int_equal(p->options.method, OC_SOLVER_NEWTON);
  pb_problem_free(p);
  p = get_problem(HEAD);
  assert_false(p->transcription.second);
  pb_problem_free(p);
}

// shares multiply the weights, of two rules and of three
static void averages_of_rules_arrive(void **state) {
  (void)state;
  pb_problem *p = get_problem(TASK "rule: {second: {taylor: 0.25, hermite-gauss: 3/4}}\n");
  const dm_second_order_rule *rule = &p->transcription.action.rule;
  const double two[] = {0.125, 0.125, 0.375, 0.375};
  assert_string_equal(rule->name, "0.25 taylor + 3/4 hermite-gauss");
  assert_int_equal(rule->nodes, 4);
  for (int s = 0; s < 4; s++) assert_true(fabs(rule->node[s].weight - two[s]) < 1e-15);
  pb_problem_free(p);

  p = get_problem(TASK "rule: {second: {taylor: 0.2, taylor-ends: 0.3, hermite-gauss: 0.5}}\n");
  rule = &p->transcription.action.rule;
  const double three[] = {0.1, 0.1, 0.15, 0.15, 0.25, 0.25};
  assert_int_equal(rule->nodes, 6);
  for (int s = 0; s < 6; s++) assert_true(fabs(rule->node[s].weight - three[s]) < 1e-15);
  pb_problem_free(p);
}

static void a_flow_arrives(void **state) {
  (void)state;
  pb_problem *p = get_problem(FLOW ", v: {e: 2}, a: {s: 3}, jerk: 4}}\ncost: {input: {e: 7}}\n");
  EXPECT(p->simulate.q, 1, 1);
  EXPECT(p->simulate.v, 0, 2);
  EXPECT(p->simulate.a, 3, 0);
  EXPECT(p->simulate.jerk, 4, 4);
  EXPECT(p->transcription.w_u, 1, 7);
  assert_null(p->simulate.u);
  pb_problem_free(p);
}

// e'^2 s'' + 3 s + 2.5 e'' of the arm's coordinates s and e
static void a_lagrangian_of_ones_own_arrives(void **state) {
  (void)state;
  pb_problem *p =
      get_problem(ARM BOTH SECOND TIMED REST "cost:\n  lagrangian: e'^2 s'' + 3 s + w e''\n"
                                             "  constants: {w: 2.5}\n");
  const double x[] = {1, 2, 3, 4, 5, 6};
  double value, C_x[6];
  const dm_second_order_lagrangian *own = &p->transcription.action.own;
  assert_int_equal(own->k, 2);
  assert_int_equal(own->eval(own, 1, x, &value, C_x, NULL), DM_OK);
  assert_true(value == 16 * 5 + 3 + 2.5 * 6 && C_x[3] == 2 * 4 * 5 && C_x[5] == 2.5);
  assert_null(p->task.cost[OC_U].running);
  pb_problem_free(p);

  // of third order, with accelerations at the ends
  p = get_problem(ARM BOTH "transcription: third-order\n" TIMED
                           "start: {q: 0, v: 0, a: {s: 1, e: free}}\ngoal: {q: 1, v: 0, a: 0}\n"
                           "cost: {input: 1, lagrangian: s'''^2 + e'''^2}\n");
  assert_true(p->transcription.second && !p->transcription.action.underactuated);
  assert_int_equal(p->transcription.action.rule.k, 3);
  assert_string_equal(pb_transcription_order(&p->transcription), "third-order");
  assert_true(p->transcription.action.a_start[0] == 1);
  assert_true(isnan(p->transcription.action.a_start[1]));
  EXPECT(p->transcription.action.a_goal, 0, 0);
  pb_problem_free(p);
}

static void a_flow_from_two_knots_arrives(void **state) {
  (void)state;
  pb_problem *p = get_problem(FLOW ", v: 2, next: {s: 3, e: 4}, next_v: [5, 6]}}\n");
  const double two[] = {3, 4, 5, 6};
  for (int i = 0; i < 4; i++) assert_true(p->simulate.second[i] == two[i]);
  pb_problem_free(p);
  p = get_problem(ARM BOTH "transcription: third-order\ncost: {lagrangian: s'''^2 + e'''^2}\n"
                           "simulate: {steps: 3, step: 0.1, start: {next: 1, next_v: 2, next_a: "
                           "3}}\n");
  for (int i = 0; i < 6; i++) assert_true(p->simulate.second[i] == 1 + i / 2);
  EXPECT(p->transcription.w_u, 0, 0);
  pb_problem_free(p);
  p = get_problem(ARM BOTH "transcription: third-order\ncost: {lagrangian: s'''^2 + e'''^2}\n"
                           "start: {a: 7}\nsimulate: {steps: 3, step: 0.1}\n");
  EXPECT(p->simulate.a, 7, 7);
  assert_null(p->simulate.second);
  pb_problem_free(p);
}

#define THIRD "transcription: third-order\n"
#define JERK  "cost: {lagrangian: s'''^2 + e'''^2}\n"

static const refused wrong[] = {
    {ARM BOTH "transcription: second\n" TIMED REST,
     "p.yaml:4:16: transcription: found the unknown word 'second', expected one of first-order, "
     "second-order, second-order-underactuated, third-order"},
    {ARM BOTH THIRD TIMED REST JERK, "start: found no a, expected every acceleration, or 'free'"},
    {ARM BOTH THIRD TIMED "start: {q: 0, v: 0, a: 0}\ngoal: {q: 1, v: 0, a: {e: 0}}\n" JERK,
     "goal.a: found nothing of 's', expected an acceleration, or free"},
    {ARM BOTH THIRD TIMED "start: {q: 0, v: 0, a: 0}\n" COST,
     "third-order transcription: found no Lagrangian, expected one with the third derivative"},
    {ARM BOTH THIRD "rule: {second: taylor}\n" TIMED "start: {q: 0, v: 0, a: 0}\n" JERK,
     "the rule 'taylor' is degenerate for Lagrangians of order 3"},
    {ARM BOTH SECOND TIMED "start: {q: 0, v: 0, a: 0}\n" COST,
     "found 'start.a' but no 'transcription: third-order', expected both"},
    {HEAD "cost: {lagrangian: x^2}\n",
     "found 'cost.lagrangian' but no 'transcription: second-order', expected both"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, lagrangian: s^2 + e'''}\n",
     "p.yaml:8:30: cost.lagrangian: found derivative 3 of 'e' at character 7, expected at most 2"},
    {ARM BOTH SECOND TIMED REST "cost: {lagrangian: g s^2}\n",
     "cost.lagrangian: found the unknown name 'g' at character 1, expected one of s, e"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, constants: {g: 1}}\n",
     "cost.constants: found some, expected none without a lagrangian"},
    {ARM BOTH SECOND TIMED REST "cost: {lagrangian: s^2, constants: {s: 1}}\n",
     "cost.constants: found 's', which is a coordinate"},
    {FLOW ", next: 0, next_v: 0, a: 1}}\n",
     "simulate.start.a: found one beside next, expected none: the second knot is given"},
    {FLOW ", next: 0}}\n", "simulate.start: found no next_v beside next, expected the whole of"},
    {FLOW ", next: {s: 0}, next_v: 0}}\n",
     "simulate.start.next: found nothing of 'e', expected a value"},
    // without it
    {HEAD "rule: {second: taylor}\n",
     "p.yaml:4:8: found 'rule.second' but no 'transcription: second-order', expected both"},
    {HEAD "cost: {penalty: 1}\n", "p.yaml:4:8: found 'cost.penalty' but no 'transcription"},
    {HEAD "solver: {method: newton}\n", "p.yaml:4:18: solver.method: found newton but no"},
    {HEAD "simulate: {start: {a: 1}}\n", "p.yaml:4:20: found 'simulate.start.a' but no"},
    {HEAD "simulate: {start: {jerk: 1}}\n", "p.yaml:4:20: found 'simulate.start.jerk' but no"},
    // what it takes
    {TASK "rule: {second: hermit}\n", "p.yaml:9:16: rule.second: found the unknown word 'hermit'"},
    {TASK "rule: {second: {taylor: 0.5, hermit: 0.5}}\n",
     "p.yaml:9:30: rule.second: found the unknown word 'hermit'"},
    {TASK "rule: {second: {taylor: 0.5, hermite-gauss: 0.6}}\n",
     "p.yaml:9:16: rule.second: found shares that come to 1.1, expected 1"},
    {TASK "rule: {second: {taylor: 0}}\n", "p.yaml:9:25: rule.second: found '0', expected"},
    {TASK "rule: {second: {taylor: 1/4, taylor-ends: 1/4, hermite-gauss: 1/4, "
          "hermite-lobatto: 1/4}}\n",
     "p.yaml:9:68: rule.second: found rules of more than 8 nodes together"},
    {TASK "rule: {second: difference-ends}\n",
     "p.yaml:9:16: the rule 'difference-ends' is degenerate for Lagrangians of order 2"},
    {ARM "inputs: [{joint: e}]\n" SECOND "rule: {second: hermite-lobatto}\n" TIMED REST COST,
     "p.yaml:5:16: second-order transcription: found 3 nodes a step, at each of which 's' has an "
     "equation of motion, expected at most the 2"},
    {ARM "inputs: [{joint: s}, {joint: e}, {name: w, body: b, frame: body, force: [1, 0, "
         "0]}]\n" SECOND GO,
     "p.yaml:3:9: second-order transcription: found the input 'w', expected forces on joints"},
    {"model:\n  kinematic: [a.tx]\n  bodies: [{name: a, joints: [tx, ty], mass: 1}]\n"
     "inputs: [{joint: a.ty}]\n" SECOND GO,
     "p.yaml:2:14: a second-order flow cannot have kinematic coordinates ('a.tx')"},
    {"model:\n  bodies: [{name: a, joints: [tx, ty], mass: 1}]\n"
     "  constraints: [{name: c, type: distance, bodies: [a, world], length: 1}]\n"
     "inputs: [{joint: a.tx}, {joint: a.ty}]\n" SECOND GO,
     "p.yaml:3:16: a second-order flow cannot have constraints"},
    {ARM "inputs: [{joint: e}]\n" SECOND TIMED REST COST GO,
     "p.yaml:9:1: simulate: second-order transcription: found no input on 's', expected one on "
     "every coordinate of a flow"},
    {ARM BOTH SECOND "horizon: {steps: 4, time: {free: [1, 2]}}\n" REST COST,
     "p.yaml:5:27: a second-order transcription cannot have a free final time"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, state: {p: 1}}\n",
     "p.yaml:8:29: a second-order transcription cannot have a cost on the momentum of"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, terminal: {p: {e: 1}}}\n",
     "p.yaml:8:32: a second-order transcription cannot have a cost on the momentum of"},
    {ARM BOTH SECOND TIMED REST "cost: {input: {s: 1}}\n",
     "p.yaml:8:15: second-order transcription: found no cost on the input 'e', expected one > 0: "
     "without it the Lagrangian is singular"},
    {ARM BOTH SECOND TIMED REST, "p.yaml:4:16: second-order transcription: found no cost on"},
    {TASK "solver: {method: newton}\nbounds: {u: [-1, 1]}\n",
     "p.yaml:9:18: solver.method: newton minimizes between given ends alone, but the input of 's' "
     "has a limit"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, penalty: -1}\n",
     "p.yaml:8:27: cost.penalty: found '-1', expected a number >= 0"},
    {ARM BOTH SECOND TIMED REST "cost: {input: 1, penalty: {f: 1}}\n",
     "p.yaml:8:28: cost.penalty: found the unknown coordinate 'f'"},
    {ARM BOTH SECOND TIMED REST
     "bounds: {q: {s: [-3, none]}}\ncost: {input: 1, penalty: {s: 2, e: 1}}\n",
     "p.yaml:9:37: cost.penalty: found that 'e' has no limit, expected one in bounds.q"},
    // velocities at the ends
    {ARM BOTH SECOND TIMED "start: {q: 0}\n" COST,
     "p.yaml:6:8: start: found no v, expected every velocity, or 'free'"},
    {ARM BOTH SECOND TIMED "start: {q: 0, v: 0}\ngoal: {q: 0}\n" COST,
     "p.yaml:7:7: goal: found no v, expected every velocity, or 'free'"},
    {ARM BOTH SECOND TIMED "start: {q: 0, v: {s: 0}}\n" COST,
     "p.yaml:6:18: start.v: found nothing of 'e', expected a velocity, or free"},
    // flows
    {FLOW "}, input: 1}\n",
     "p.yaml:5:48: simulate.input: found one beside 'transcription: second-order', expected none"},
    {FLOW ", held: true}}\n", "p.yaml:5:53: simulate.start.held: found true beside"},
    {FLOW "}}\ncost: {state: {q: 1}}\n", "p.yaml:6:8: cost: found 'state' but no 'horizon'"},
    {FLOW "}}\ncost: {input: 0}\n", "p.yaml:6:15: cost.input: found '0', expected a number > 0"},
    {FLOW "}}\nfeedback: {}\n", "p.yaml:6:1: found 'feedback' but no 'horizon', expected both"},
    {ARM SECOND GO, "p.yaml:3:16: second-order transcription: found no input on 's'"},
    {ARM "inputs: [{joint: e}]\ntranscription: second-order-underactuated\n" GO,
     "p.yaml:5:1: found 'simulate' beside 'transcription: second-order-underactuated', which has "
     "no flow"},
};

static void what_is_not_taken_is_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_order_arrives),
      cmocka_unit_test(averages_of_rules_arrive),
      cmocka_unit_test(a_flow_arrives),
      cmocka_unit_test(a_lagrangian_of_ones_own_arrives),
      cmocka_unit_test(a_flow_from_two_knots_arrives),
      cmocka_unit_test(what_is_not_taken_is_refused_by_place),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
