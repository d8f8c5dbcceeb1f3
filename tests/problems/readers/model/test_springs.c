// Springs and potentials of problem files: their errors, and their energy.
#include "tests/support/cart_pole.h"

#include <math.h>

#define REST "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n"

#define SPRING "model: {urdf: c.urdf, springs: [{name: s"
#define PAIR   "model: {urdf: c.urdf, potentials: [{name: s, "
#define HELD   "]}\nsimulate: {time: 1, steps: 2}\n"

static const refused wrong[] = {
    {SPRING "}" HELD, "p.yaml:1:33: model.springs[]: found none, expected one of joint, bodies"},
    {SPRING ", joint: pole, path: []}" HELD, "model.springs[]: found several, expected one of"},
    {SPRING ", joint: pol, stiffness: 1}" HELD,
     "p.yaml:1:50: model.springs[].joint: found the unknown coordinate 'pol', "
     "expected one of slider, pole; did you mean 'pole'?"},
    {SPRING ", joint: pole, points: []}" HELD,
     "p.yaml:1:56: model.springs[]: found 'points' without 'bodies', expected both"},
    {SPRING ", joint: pole}" HELD, "found neither stiffness nor table, expected either"},
    {SPRING ", joint: pole, stiffness: 1, table: []}" HELD, "found both stiffness and table"},
    {SPRING ", joint: pole, stiffness: -1}" HELD,
     "model.springs[].stiffness: found '-1', expected a number >= 0"},
    {SPRING ", joint: pole, rest: 1, table: [[0, 1], [1, 1]]}" HELD,
     "p.yaml:1:56: model.springs[]: found 'rest' beside 'table', expected none"},
    {SPRING ", bodies: [cart, world], stiffness: 1}" HELD,
     "p.yaml:1:33: model.springs[]: found no 'rest', expected the length without force"},
    {SPRING ", bodies: [rail, world], stiffness: 1, rest: 1}" HELD,
     "p.yaml:1:33: model.springs[]: 's': no coordinate changes its length"},
    {SPRING ", bodies: [tip], stiffness: 1, rest: 1}" HELD,
     "model.springs[].bodies: found a list of 1, expected a list of 2 names"},
    {SPRING ", bodies: [tip, world, cart], stiffness: 1, rest: 1}" HELD,
     "model.springs[].bodies: found a list of 3, expected a list of 2 names"},
    {SPRING ", path: [{body: tip}], stiffness: 1, rest: 1}" HELD,
     "model.springs[].path: found a list of 1, expected a list of 2 or more points"},
    {SPRING ", path: [{body: tpi}, {body: cart}], stiffness: 1, rest: 1}" HELD,
     "p.yaml:1:57: model.springs[].path[].body: found the unknown body 'tpi', "
     "expected one of world, rail, cart, tip; did you mean 'tip'?"},
    {SPRING ", path: [{point: [0, 0, 0]}, {body: cart}], stiffness: 1, rest: 1}" HELD,
     "model.springs[].path[]: found no 'body', expected one"},
    {SPRING ", joint: pole, table: 3}" HELD,
     "p.yaml:1:63: model.springs[].table: found '3', expected a list of points [s, force]"},
    {SPRING ", joint: pole, table: [[0, 1]]}" HELD,
     "p.yaml:1:63: model.springs[].table: found 1 points, expected at least 2"},
    {SPRING ", joint: pole, table: [[0, 1], [0, 2]]}" HELD,
     "model.springs[].table: found 0 after 0, expected points in ascending order"},
    {SPRING ", joint: pole, table: [[0, 1], [1, 2, 3]]}" HELD,
     "p.yaml:1:72: model.springs[].table: found a list of 3, expected a list of 2 numbers"},
    {SPRING
     ", joint: pole, stiffness: 1}], potentials: [{name: s, bodies: [tip, world], law: power, "
     "coefficient: 1, exponent: 2}" HELD,
     "model.potentials[]: found a second one named 's', expected every name once"},
    {SPRING ", bodies: [cart, world], stiffness: 1, rest: 1}" HELD,
     "p.yaml:2:11: simulate.start: the energy of 's' is not defined there: do points meet?"},
    {PAIR "bodies: [tip, world]}" HELD,
     "model.potentials[]: found no 'law', expected 'bodies' and 'law'"},
    {PAIR "bodies: [tip, world], law: coulomb}" HELD,
     "model.potentials[].law: found the unknown word 'coulomb', "
     "expected one of power, lennard-jones"},
    {PAIR "bodies: [tip, world], law: power, depth: 1}" HELD,
     "model.potentials[]: found no 'coefficient', expected one for the law power"},
    {PAIR "bodies: [tip, world], law: lennard-jones, depth: 1, size: 1, exponent: 2}" HELD,
     "p.yaml:1:107: model.potentials[]: found 'exponent', expected none for the law lennard-jones"},
    {PAIR "bodies: [tip, rail, world], law: power, coefficient: 1, exponent: 2}" HELD,
     "model.potentials[]: 's': no coordinate changes its length"},
    {PAIR "bodies: [tip, cart], points: [[0, 0, 1]], law: power, coefficient: 1, exponent: 2}" HELD,
     "model.potentials[].points: found a list of 1, expected a list of 2 points"},
};

static void wrong_springs_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

// V at a configuration in the file's units, compared with the text
static void springs_store_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double q[2], V;
    int count;
  } rows[] = {
      {"springs: [{name: a, joint: pole, stiffness: 4}]", {0, 0.5}, 0.5, 1},
      {"springs: [{name: a, joint: slider, stiffness: 4, rest: 1}]", {0.5, 0}, 0.5, 1},
      {"springs: [{name: a, bodies: [cart, world], points: [[0, 0, 0], [0, 2, 0]], stiffness: 6, "
       "rest: 0.5}]",
       {1.5, 0},
       12,
       1},
      {"springs: [{name: a, path: [{body: world, point: [-1, 0, 0]}, {body: cart}, {body: world, "
       "point: [0, 4, 0]}], stiffness: 2, rest: 8}]",
       {3, 0},
       1,
       1},
      {"springs: [{name: a, joint: slider, table: [[-1, -2], [0, 0], [3, 6]]}]", {2, 0}, 3, 1},
      {"potentials: [{name: a, bodies: [cart, world], law: power, coefficient: 3, exponent: -2}]",
       {2, 0},
       0.75,
       1},
      {"potentials: [{name: a, bodies: [cart, world], law: lennard-jones, depth: 0.5, size: 2}]",
       {2, 0},
       0,
       1},
      {"potentials: [{name: a, bodies: [cart, tip, world], points: [[0, 0, 0], [0, 0, -2], [0, 0, "
       "0]], law: power, coefficient: 1, exponent: 2}]",
       {1, 0},
       4 + 1 + 5,
       3},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[400];
    snprintf(text, sizeof text, "model: {urdf: c.urdf, %s}\n" REST, rows[i].text);
    pb_problem *p = get_problem(text);
    const dm_springs *c = p->robot.mechanism.springs;
    assert_int_equal(dm_springs_count(c), rows[i].count);
    assert_string_equal(dm_springs_name(c, 0), "a");
    assert_true(p->task.system.L.self == dm_springs_lagrangian(c).self);
    dm_potential V = dm_springs_potential(c);
    void *scratch = aligned_alloc(64, V.scratch);
    double got = 0, V_q[2] = {0};
    assert_int_equal(V.eval(V.self, scratch, 1, rows[i].q, &got, V_q, NULL), DM_OK);
    free(scratch);
    if (fabs(got - rows[i].V) > 1e-12) fail_msg("%s: %.17g", rows[i].text, got);
    pb_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_springs_are_refused_by_place),
      cmocka_unit_test(springs_store_what_they_say),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
