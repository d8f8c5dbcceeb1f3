// Springs and potentials of problem files: the energy that the text says.
#include "tests/cart_pole.h"

#include <math.h>

#define REST "horizon: {steps: 4, time: 2}\nstart: {q: 0, v: 0}\n"

// V at a configuration of the file's own, against what the text says
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
    const dm_springs *c = p->robot.springs;
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
      cmocka_unit_test(springs_store_what_they_say),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
