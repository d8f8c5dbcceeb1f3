// Outputs as feedback and verification name them, and what is said of names, numbers and places that
// are wrong.
#include "tests/support/cart_pole.h"

#include <math.h>

#define OUTPUTS                                                                                    \
  "outputs:\n"                                                                                     \
  "  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"                           \
  "  - {name: tilt, type: alignment, bodies: tip, axes: [0, 0, 3]}\n"                              \
  "  - {name: turn, type: rotation, bodies: tip}\n"
#define ASKED HEAD OUTPUTS "goal: {q: 0, v: 0}\ncost: {input: 1}\n"

static void weights_are_read_by_row(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      ASKED "feedback: {Q: {q: 3, outputs: {bob: 7, tilt: 2}}, Qf: {p: 2, outputs: {bob.z: 5}}}\n");
  const pb_feedback *f = &p->feedback;
  EXPECT(f->Q, 3, 3, 1, 1);
  EXPECT(f->Qf, 1, 1, 2, 2);
  assert_int_equal(f->Q_outputs->rows, 7);
  EXPECT(f->Q_outputs->weight, 7, 7, 7, 2, 0, 0, 0);
  EXPECT(f->Qf_outputs->weight, 0, 0, 5, 0, 0, 0, 0);
  pb_problem_free(p);

  // a list has one for each row; without any there are none
  p = get_problem(ASKED "feedback: {Q: {outputs: {bob: [1, 0, 3]}}}\n");
  EXPECT(p->feedback.Q_outputs->weight, 1, 0, 3, 0, 0, 0, 0);
  assert_null(p->feedback.Qf_outputs);
  pb_problem_free(p);
  p = get_problem(ASKED "feedback: {}\n");
  assert_null(p->feedback.Q_outputs);
  pb_problem_free(p);
}

static const refused wrong_weights[] = {
    {ASKED "feedback: {Q: {outputs: {bobb.z: 1}}}\n",
     "p.yaml:10:26: feedback.Q.outputs: found the unknown output 'bobb.z', expected one of bob.x, "
     "bob.y, bob.z, tilt, turn.x, turn.y, turn.z; did you mean 'bob.z'?"},
    {ASKED "feedback: {Q: {outputs: {bob: [1, 2]}}}\n",
     "p.yaml:10:31: feedback.Q.outputs.bob: found a list of 2, expected one number, or 3 of them"},
    {ASKED "feedback: {Q: {outputs: {tilt: [1, 2]}}}\n",
     "p.yaml:10:32: feedback.Q.outputs.tilt: found a list of 2, expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: -1}}}\n",
     "p.yaml:10:31: feedback.Q.outputs.bob: found '-1', expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: [1, -2, 3]}}}\n",
     "p.yaml:10:35: feedback.Q.outputs.bob: found '-2', expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: 1, bob.x: 2}}}\n",
     "p.yaml:10:34: feedback.Q.outputs.bob.x: found it named twice, expected a row once"},
    {ASKED "feedback: {Q: {outputs: {}}}\n",
     "p.yaml:10:25: feedback.Q.outputs: found a mapping of 0, expected a number by output"},
    {ASKED "feedback: {Qf: {outputs: 4}}\n",
     "p.yaml:10:26: feedback.Qf.outputs: found '4', expected a number by output"},
    {HEAD "feedback: {Q: {outputs: {bob: 1}}}\n",
     "p.yaml:4:16: feedback.Q.outputs: found one, but the file has no 'outputs'"},
    {ASKED "feedback: {Q: {outputs: {tool: 1}, v: 2}}\n",
     "p.yaml:10:36: feedback.Q: found the unknown key 'v', expected one of q, p, outputs"},
    {ASKED "feedback: {Q: second-variation, Qf: {outputs: {bob: 1}}}\n",
     "p.yaml:10:38: feedback.Qf.outputs: found weights beside 'Q: second-variation', expected"},
};

static void wrong_weights_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong_weights, COUNT_OF(wrong_weights));
}

static void expect_bound(const pb_verification *v, int i, const char *column, int first, int rows,
                         double within, double last) {
  const fb_output_bound *b = &v->outputs.bound[i];
  assert_string_equal(v->columns[i], column);
  assert_int_equal(b->first, first);
  assert_int_equal(b->rows, rows);
  assert_true(b->within == within && b->last == last);
}

static void tolerances_are_read_by_output(void **state) {
  (void)state;
  pb_problem *p = get_problem(ASKED "feedback: {hold: 0.7}\n"
                                    "verify:\n"
                                    "  tolerance:\n"
                                    "    state: 0.2\n"
                                    "    outputs: {bob: 0.001, tilt: 0.01, turn: 0.1}\n"
                                    "    along: {bob.z: 0.1}\n"
                                    "    hold: {bob: [0.1, 0.2, 0.3]}\n");
  const pb_verification *v = &p->verify;
  assert_true(v->tolerance == 0.2);
  assert_int_equal(v->outputs.count, 7);
  expect_bound(v, 0, "end.bob", 0, 3, 0.001, 0);
  expect_bound(v, 1, "end.tilt", 3, 1, 0.01, 0);
  expect_bound(v, 2, "end.turn", 4, 3, 0.1, 0);
  expect_bound(v, 3, "along.bob.z", 2, 1, 0.1, INFINITY);
  expect_bound(v, 4, "hold.bob.x", 0, 1, 0.1, 0.7);
  expect_bound(v, 6, "hold.bob.z", 2, 1, 0.3, 0.7);
  for (int i = 0; i < 7; i++) assert_true(v->outputs.bound[i].turns == (i == 2));
  assert_int_equal(v->named[3].at[0], 15);
  pb_problem_free(p);

  // a number is of the state alone; a section says what it changes
  p = get_problem(ASKED "feedback: {}\nverify: {tolerance: 0.3}\n");
  assert_true(p->verify.tolerance == 0.3);
  assert_int_equal(p->verify.outputs.count, 0);
  pb_problem_free(p);
  p = get_problem(ASKED "feedback: {}\nverify: {tolerance: {along: {bob: 1}}}\n");
  assert_true(p->verify.tolerance == 0.1);
  pb_problem_free(p);
  p = get_problem(ASKED "feedback: {}\nverify: {tolerance: {state: none, outputs: {bob: 1}}}\n");
  assert_true(isinf(p->verify.tolerance));
  pb_problem_free(p);
  p = get_problem(ASKED "feedback: {}\nverify: {}\n");
  assert_true(p->verify.tolerance == 0.1);
  pb_problem_free(p);
}

#define VERIFY ASKED "feedback: {}\nverify: "

static const refused wrong_tolerances[] = {
    {VERIFY "{tolerance: 0}\n", "p.yaml:11:21: verify.tolerance: found '0', expected a number > 0"},
    {VERIFY "{tolerance: {outputs: {tilts: 1}}}\n",
     "p.yaml:11:32: verify.tolerance.outputs: found the unknown output 'tilts', expected one of "
     "bob.x, bob.y, bob.z, tilt, turn.x, turn.y, turn.z; did you mean 'tilt'?"},
    {VERIFY "{tolerance: {outputs: {bob: 0}}}\n",
     "p.yaml:11:37: verify.tolerance.outputs.bob: found '0', expected a number > 0"},
    {VERIFY "{tolerance: {along: {bob: [1, 2]}}}\n",
     "p.yaml:11:35: verify.tolerance.along.bob: found a list of 2, expected one number, or 3"},
    {VERIFY "{tolerance: {along: {bob: 1, bob.y: 1}}}\n",
     "p.yaml:11:38: verify.tolerance.along.bob.y: found it named twice, expected a row once"},
    {VERIFY "{tolerance: {along: {}}}\n",
     "p.yaml:11:29: verify.tolerance.along: found a mapping of 0, expected a number by output"},
    {VERIFY "{tolerance: {state: none}}\n",
     "p.yaml:11:21: verify.tolerance: found none of the state and none of outputs, expected one"},
    {VERIFY "{tolerance: {hold: {bob: 1}}}\n",
     "p.yaml:11:22: verify.tolerance.hold: found one without feedback.hold, expected both"},
    {VERIFY "{tolerance: {output: {bob: 1}}}\n",
     "p.yaml:11:22: verify.tolerance: found the unknown key 'output', expected one of state, "
     "outputs, along, hold; did you mean 'outputs'?"},
    {HEAD "feedback: {}\nverify: {tolerance: {outputs: {bob: 1}}}\n",
     "p.yaml:5:22: verify.tolerance.outputs: found one, but the file has no 'outputs'"},
};

static void wrong_tolerances_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong_tolerances, COUNT_OF(wrong_tolerances));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_read_by_row),
      cmocka_unit_test(wrong_weights_are_refused_by_place),
      cmocka_unit_test(tolerances_are_read_by_output),
      cmocka_unit_test(wrong_tolerances_are_refused_by_place),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
