// tests/cli/test_phase_folders.c: motions in phases: a folder for each, samples that go from one to
// the next, finer grids of what is too coarse, and what is refused.
#include "tests/support/command_rows.h"

#define PASSED                                                                                     \
  "model:   {gravity: [0, 0, 0], bodies: [{name: block, joints: [{name: x, type: tx, effort: "     \
  "1}], "                                                                                          \
  "mass: 1}]}\n"                                                                                   \
  "outputs: [{name: block, type: position, bodies: block}]\n"                                      \
  "start:   {q: 0, v: 0}\ngoal:    {q: 3, v: 0}\ncost:    {time: 1}\n"                             \
  "phases:\n"                                                                                      \
  "  - {name: before, horizon: {steps: 10, time: {free: [0.5, 9]}}, goal: {outputs: {block.x: "    \
  "1}}}\n"                                                                                         \
  "  - {name: after, horizon: {steps: 10, time: {free: [0.5, 9]}}}\n"

static const char passed[] = PASSED;
static const char held[] = PASSED "feedback: {Q: {q: 1, p: 1}, R: 1}\nverify: {samples: 3, "
                                  "required: 0, spread: {q: 1e-3, v: 1e-3}}\n";

static const row rows[] = {
    WRITES("run throw.yaml -o throw --threads 1", "throw/flight/flight_controller.c", "throw"),
    SAYS(0, "export throw", "one per phase: phase 'swing' has 2 coordinates, phase 'flight' has 4"),
    SAYS(0, "gains throw/swing", "gains"),
    SAYS(0, "verify throw/flight --threads 1", "succeeded on the discrete plant"),
    SAYS(0, "check throw.yaml", "blocks agree with differences"),
    SAYS(0, "check catch.yaml --json", "\"blocks\""),
    SAYS(0, "info throw.yaml", "output hand, position"),
    WRITES("report throw -o throw.html", "throw.html", "</html>"),
    DOES("convert throw --to mcap"),
    SAYS(2, "convert throw --to mujoco", "take the folder of a phase, such as throw/swing"),
    WRITES("plot throw/swing throw/flight --what moving -o throw.svg", "throw.svg", "visibility"),
    SAYS(1, "run lost.yaml -o lost --threads 1", "most are lost in phase 'flight', 20 of 20"),
    SAYS(1, "run lost.yaml -o lost --threads 1 --json", "\"exit\": 1"),
    SAYS(0, "optimize coarse.yaml -o coarse", "swing: with 30 steps the plant moves"),
    SAYS(1, "optimize coarser.yaml -o coarser", "swing: coarse: the plant moves"),
    SAYS(1, "optimize far.yaml -o far", "infeasible"),
    SAYS(0, "run added.yaml -o added --threads 1", "added"),
    SAYS(0, "run passed.yaml -o passed", "solved"),
    SAYS(0, "optimize passed.yaml --solver stage -o passed", "solved"),
    SAYS(2, "gains throw", "throw has phases, and gains is of one motion"),
    SAYS(2, "verify throw", "throw has phases, and verify is of one motion"),
    WRITES("run held.yaml -o held --threads 1", "held/controller.c", "start_next"),
    WRITES("export held --prefix mass -o held-2", "held-2/mass.c", "start_next"),
    SAYS(2, "export held --prefix 1", "--prefix: found '1'"),
    SAYS(2, "linearize throw", "throw has phases, and linearize is of one motion"),
    SAYS(2, "simulate throw.yaml", "throw.yaml has phases, and simulate is of one motion"),
    SAYS(2, "descend throw.yaml", "throw.yaml has phases, and descend is of one motion"),
    SAYS(2, "sweep throw.yaml --vary cost.input=1,2 --run -o sweep", "has phases"),
    SAYS(2, "sweep throw.yaml --vary cost.input=1,2 -o sweep", "sweep is of one motion"),
    SAYS(2, "tune throw.yaml", "has phases"),
    SAYS(2, "optimize throw.yaml --from throw", "found --from, expected none"),
    SAYS(2, "optimize throw.yaml --starts 4", "found --starts, expected none"),
    SAYS(2, "run fewer.yaml -o fewer", "expected the same"),
    SAYS(2, "run nothing.yaml -o nothing", "has no weights in feedback.Qf to add to"),
};

static void each_phase_has_a_folder(void **state) {
  (void)state;
  static const char verify[] = "verify: {samples: 100, seed: 1, spread: {q: 0.01, v: 0.02}}";
  take_problem("throw.yaml", "throw/throw.yaml", "samples: 100", "samples: 5");
  take_problem("catch.yaml", "throw/catch.yaml", NULL, NULL);
  take_problem("lost.yaml", "throw/throw.yaml", verify,
               "verify: {samples: 20, seed: 1, spread: {q: 0.01, v: 0.02}, tolerance: 1e-9}");
  take_problem("coarse.yaml", "throw/throw.yaml", "horizon: {steps: 120, time: 0.6}",
               "horizon: {steps: 30, time: 0.6, gap: 0.015}");
  take_problem("coarser.yaml", "throw/throw.yaml", "horizon: {steps: 120, time: 0.6}",
               "horizon: {steps: 30, time: 0.6, gap: 0.015, refine: 0}");
  take_problem("far.yaml", "throw/throw.yaml", "ball.tx: 1.5", "ball.tx: 50");
  take_problem("added.yaml", "throw/throw.yaml", "hand.z}}", "hand.z}, gains: added}");
  take_problem("fewer.yaml", "throw/throw.yaml",
               "    join: ", "    verify: {samples: 5}\n    join: ");
  take_problem("bare.yaml", "throw/throw.yaml", ", Qf: {q: 100, p: 1}", "");
  char *text = get_file("bare.yaml"), *at = strstr(text, "hand.z}}");
  assert_non_null(at);
  FILE *f = fopen("nothing.yaml", "w");
  fprintf(f, "%.*shand.z}, gains: added}%s", (int)(at - text), text, at + 8);
  fclose(f);
  free(text);
  put_file(".", "passed.yaml", passed);
  put_file(".", "held.yaml", held);
  RUN_KNOWN(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_phase_has_a_folder),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
