// Outputs as feedback and verification name them, and what is said of names, numbers and places that
// are wrong.
#include "tests/support/cart_pole.h"

#define OUTPUTS                                                                                    \
  "outputs:\n"                                                                                     \
  "  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"                           \
  "  - {name: tilt, type: alignment, bodies: tip, axes: [0, 0, 3]}\n"
#define ASKED HEAD OUTPUTS "goal: {q: 0, v: 0}\ncost: {input: 1}\n"

static void weights_are_read_by_row(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      ASKED "feedback: {Q: {q: 3, outputs: {bob: 7, tilt: 2}}, Qf: {p: 2, outputs: {bob.z: 5}}}\n");
  const pb_feedback *f = &p->feedback;
  EXPECT(f->Q, 3, 3, 1, 1);
  EXPECT(f->Qf, 1, 1, 2, 2);
  assert_int_equal(f->Q_outputs->rows, 4);
  EXPECT(f->Q_outputs->weight, 7, 7, 7, 2);
  EXPECT(f->Qf_outputs->weight, 0, 0, 5, 0);
  pb_problem_free(p);

  // a list has one for each row; without any there are none
  p = get_problem(ASKED "feedback: {Q: {outputs: {bob: [1, 0, 3]}}}\n");
  EXPECT(p->feedback.Q_outputs->weight, 1, 0, 3, 0);
  assert_null(p->feedback.Qf_outputs);
  pb_problem_free(p);
  p = get_problem(ASKED "feedback: {}\n");
  assert_null(p->feedback.Q_outputs);
  pb_problem_free(p);
}

static const refused wrong_weights[] = {
    {ASKED "feedback: {Q: {outputs: {bobb.z: 1}}}\n",
     "p.yaml:9:26: feedback.Q.outputs: found the unknown output 'bobb.z', expected one of bob.x, "
     "bob.y, bob.z, tilt; did you mean 'bob.z'?"},
    {ASKED "feedback: {Q: {outputs: {bob: [1, 2]}}}\n",
     "p.yaml:9:31: feedback.Q.outputs.bob: found a list of 2, expected one number, or 3 of them"},
    {ASKED "feedback: {Q: {outputs: {tilt: [1, 2]}}}\n",
     "p.yaml:9:32: feedback.Q.outputs.tilt: found a list of 2, expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: -1}}}\n",
     "p.yaml:9:31: feedback.Q.outputs.bob: found '-1', expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: [1, -2, 3]}}}\n",
     "p.yaml:9:35: feedback.Q.outputs.bob: found '-2', expected a number >= 0"},
    {ASKED "feedback: {Q: {outputs: {bob: 1, bob.x: 2}}}\n",
     "p.yaml:9:34: feedback.Q.outputs.bob.x: found it named twice, expected a row once"},
    {ASKED "feedback: {Q: {outputs: {}}}\n",
     "p.yaml:9:25: feedback.Q.outputs: found a mapping of 0, expected a number by output"},
    {ASKED "feedback: {Qf: {outputs: 4}}\n",
     "p.yaml:9:26: feedback.Qf.outputs: found '4', expected a number by output"},
    {HEAD "feedback: {Q: {outputs: {bob: 1}}}\n",
     "p.yaml:4:16: feedback.Q.outputs: found one, but the file has no 'outputs'"},
    {ASKED "feedback: {Q: {outputs: {tool: 1}, v: 2}}\n",
     "p.yaml:9:36: feedback.Q: found the unknown key 'v', expected one of q, p, outputs"},
    {ASKED "feedback: {Q: second-variation, Qf: {outputs: {bob: 1}}}\n",
     "p.yaml:9:38: feedback.Qf.outputs: found weights beside 'Q: second-variation', expected"},
};

static void wrong_weights_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong_weights, COUNT_OF(wrong_weights));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_read_by_row),
      cmocka_unit_test(wrong_weights_are_refused_by_place),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
