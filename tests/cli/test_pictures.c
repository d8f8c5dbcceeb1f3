// tests/cli/test_pictures.c: the facts that pictures of motions, tables and sweeps are drawn from, and refusals.
#include "tests/support/command_rows.h"

// -- pictures

// shapes of every kind that stand about, and two coordinates of a kind of their own
static const char yard[] =
    "model: {bodies: [{name: cart, joints: [{name: x, type: tx}], mass: 1}, {name: pole, parent: "
    "cart, joints: [{name: p, type: ry}], mass: 1, centre: [0, 0, -0.5]}]}\n"
    "keep_out:\n  shapes:\n"
    "    - {name: floor, type: half-space, point: [0, 0, -1], axis: [0, 0, 1]}\n"
    "    - {name: step, type: box, point: [2, 0, -0.9], size: [0.4, 1, 0.2]}\n"
    "    - {name: ball, type: sphere, point: [3, 0, 0], radius: 0.1}\n"
    "    - {name: rod, type: capsule, body: pole, points: [[0, 0, 0], [0, 0, -0.5]], radius: "
    "0.05}\n"
    "    - {name: bar, type: capsule, points: [[4, -1, 0], [4, 1, 0]], radius: 0.05}\n"
    "    - {name: post, type: cylinder, point: [-2, 0, -0.5], axis: [0, 0, 1], radius: 0.1, "
    "length: "
    "1}\n"
    "simulate: {steps: 20, step: 0.02, start: {q: {p: 1}}}\n";

static const row motions[] = {
    DOES("simulate one.yaml -o one"),
    DOES("simulate two.yaml -o two"),
    DOES("simulate polar.yaml -o polar"),
    DOES("simulate dsp.yaml -o dsp"),
    DOES("simulate em.yaml -o em"),
    DOES("simulate walker.yaml -o walker"),
    DOES("simulate uneven.yaml -o uneven"),
    DOES("run cart.yaml -o cart --threads 1"),
    DOES("optimize bar.yaml -o bar"),
    DOES("optimize level.yaml -o level"),
    DOES("simulate seldom.yaml -o seldom"),
    DOES("optimize eight.yaml -o eight"),
    DOES("simulate cradle.yaml -o cradle"),
    DOES("simulate yard.yaml -o yard"),
    DOES("sweep steps.yaml --vary simulate.step=0.1,0.05,0.025 --run --keep -o steps --threads 1"),
    DOES("sweep four.yaml --vary simulate.step=0.1,0.05,0.025 --run --keep -o four --threads 1"),
    DOES("sweep four.yaml --vary simulate.step=0.1,0.05 --run -o none --threads 1"),
    DOES("sweep cart.yaml --starts 2 --wander 0.01 --keep -o starts --threads 1"),
};

static void take_motions(void) {
  take_problem("one.yaml", "two-point/circle-xy-one.yaml", NULL, NULL);
  take_problem("two.yaml", "two-point/circle-xy-two.yaml", NULL, NULL);
  take_problem("polar.yaml", "two-point/circle-polar-one.yaml", NULL, NULL);
  take_problem("dsp.yaml", "double-spherical-pendulum/dsp.yaml", NULL, NULL);
  take_problem("em.yaml", "double-spherical-pendulum/energy-momentum.yaml", NULL, NULL);
  take_problem("uneven.yaml", "double-spherical-pendulum/dsp.yaml", "step: 0.05", "step: 0.04");
  take_problem("steps.yaml", "double-spherical-pendulum/dsp.yaml", "time: 5", "time: 0.5");
  take_problem("four.yaml", "double-spherical-pendulum/dsp.yaml", "time: 5",
               "order: 4\n  time: 0.5");
  take_problem("walker.yaml", "contact/walker.yaml", "steps: 2000", "steps: 300");
  take_problem("seldom.yaml", "contact/ball.yaml", "step: 0.1", "step: 0.1, every: 60");
  take_problem("eight.yaml", "six-axis-arm/eight.yaml", NULL, NULL);
  take_problem("cradle.yaml", "contact/cradle.yaml", NULL, NULL);
  put_file(".", "yard.yaml", yard);
  take_problem("cart.yaml", "cart-pole/swing-up.yaml", NULL, NULL);
  take_problem("cart-pole.urdf", "cart-pole/cart-pole.urdf", NULL, NULL);
  take_problem("bar.yaml", "cart-pole/under-bar.yaml", NULL, NULL);
  take_problem("level.yaml", "six-axis-arm/level.yaml", NULL, NULL);
  take_problem("arm.urdf", "six-axis-arm/arm.urdf", NULL, NULL);
}

// what is drawn is what python/dmoc/pictures makes of the facts: tests/python/pictures.py
static const row pictures[] = {
    WRITES("plot one --what phase -o x.svg", "facts", "\"draw\":[\"phase\"]"),
    WRITES("plot one two --what phase --only y -o x.svg", "facts", "\"only\":\"y\""),
    WRITES("plot one --y q.x,q.y,energy -o x.svg", "facts", "\"y\":[\"q.x\",\"q.y\",\"energy\"]"),
    WRITES("plot one --x q.x --y q.y --xrange -1.5:1.5 --yrange :2 -o x.svg", "facts",
           "\"range\":[[-1.5,1.5],[null,2]]"),
    WRITES("plot dsp em --y form.cloud --log y -o x.svg", "facts", "\"logy\":true"),
    WRITES("plot dsp --table monitors.csv --y energy.step -o x.svg", "facts",
           "\"table\":\"monitors.csv\""),
    WRITES("plot study.csv --x h --y error -o x.svg", "facts", "\"folder\":false"),
    SAYS(2, "plot torn.csv -o x.svg --y b", "torn.csv:3: found 1 cells, expected 2"),
    SAYS(2, "plot empty.csv -o x.svg --y b", "empty.csv: no rows"),
    SAYS(2, "plot study.csv -o x.svg", "--what all draws result folders, study.csv is a table"),
    WRITES("plot one polar --what path -o x.svg", "facts", "\"name\":\"theta\""),
    WRITES("plot dsp --what path --points upper,lower:0:0:0.5 --plane xz -o x.svg", "facts",
           "\"plane\":[0,2]"),
    WRITES("plot one two --what path --each -o x.svg", "facts", "\"each\":true"),
    WRITES("plot level --what path -o x.svg", "facts", "\"cylinder\""),
    SAYS(2, "plot dsp -o x.svg --what path --plane xx", "--plane takes two of the world's axes"),
    WRITES("plot dsp --what frames --times 0,0.5,1 -o x.svg", "facts", "\"times\":[0,0.5,1]"),
    WRITES("plot cart --what frames -o x.svg", "facts", "\"slides\":true"),
    SAYS(2, "plot dsp -o x.svg --what frames --times 0,late", "found 'late'"),
    {0, "plot dsp em -o x.svg", "they are drawn over the same time", "facts", "\"shown\":2"},
    WRITES("plot dsp em --what energy --names midpoint,keeping -o x.svg", "facts",
           "\"name\":\"keeping\""),
    SAYS(2, "plot dsp em -o x.svg --names one", "--names has 1 names, expected one for each of 2"),
    SAYS(2, "plot one polar -o x.svg", "path and columns draw them on one axis"),
    SAYS(2, "plot dsp em -o x.svg --what gains", "--what gains draws one folder, got 2"),
    WRITES("plot ./dsp dsp/. em --what energy -o x.svg", "facts", "\"shown\":3"),
    WRITES("plot em --what difference --against dsp --log y -o x.svg", "facts", "\"reference\":1"),
    SAYS(2, "plot dsp -o x.svg --what difference --against nowhere", "nowhere"),
    SAYS(2, "plot dsp -o x.svg --what difference --against study.csv",
         "a number or one result folder"),
    WRITES("plot cart -o x.svg", "facts", "\"gains\",\"loop\""),
    WRITES("plot cart -o x.pdf", "facts", "\"suffix\":\"pdf\""),
    {0, "plot cart -o x.png --json", "\"picture\"", "facts", "\"suffix\":\"png\""},
    WRITES("plot bar --what outputs --only load -o x.svg", "facts", "\"column\":\"y.load.z\""),
    WRITES("plot bar --what trajectory --only slider -o x.svg", "facts", "\"q_min\":[-"),
    WRITES("plot eight --what path -o x.svg", "facts", "\"y.tool.x\",\"shift\":"),
    WRITES("plot cart --what loop -o x.svg", "facts", "\"plant\":\"continuous\""),
    WRITES("plot yard --what moving -o x.svg", "facts", "\"half-space\""),
    WRITES("plot walker --what moving -o x.svg", "facts", "\"kind\":\"above\""),
    WRITES("plot cradle --what moving -o x.svg", "facts", "\"kind\":\"at-least\""),
    WRITES("plot cart --what moving --times 0.5,1 -o x.svg", "facts", "\"t\":[0.5,0.51,"),
    WRITES("plot steps --what order -o x.svg", "facts", "\"method\":\"midpoint\""),
    WRITES("plot steps four --what order -o x.svg", "facts", "\"method\":\"midpoint, order 4\""),
    WRITES("plot steps four --what energy -o x.svg", "facts", "\"name\":\"steps: step 0.1\""),
    WRITES("plot steps --x simulate.step --y steps -o x.svg", "facts", "\"x\":\"simulate.step\""),
    WRITES("plot starts --what trajectory -o x.svg", "facts", "\"name\":\"start 1\""),
    SAYS(2, "plot bar --only loaf -o x.svg", "got 'loaf'"),
    SAYS(2, "plot none -o x.svg", "none keeps no result folder of its cases"),
    SAYS(2, "plot dsp -o x.gif", "x.gif"),
    SAYS(2, "plot dsp", "-o"),
    SAYS(2, "plot nowhere -o x.svg", "nowhere"),
    SAYS(2, "plot cart --what moving -o x.png",
         "what moving is drawn as SVG: -o FILE.svg, got 'x.png'"),
    SAYS(2, "plot dsp -o x.svg --what energy --x t",
         "--x is for --what columns, order, not for energy"),
    SAYS(2, "plot dsp -o x.svg --what energy --each", "--each is for --what path, not for energy"),
    SAYS(2, "plot dsp -o x.svg --y energy --log z", "--log takes one of x, y, xy, got 'z'"),
    SAYS(2, "plot dsp -o x.svg --y energy --xrange 2:1", "numbers of which the first is less"),
    SAYS(2, "plot dsp -o x.svg --y energy,", "found an empty one"),
    SAYS(2, "plot dsp -o x.svg --what pth", "did you mean 'path'?"),
};

// replies of the drawing process, and the command's reaction
static const struct {
  const char *reply;
  int status;
  const char *says;
} replies[] = {
    {"{}", 0, "picture"},
    {"{\"notes\": [\"knots elsewhere\"]}", 0, "dmoc: knots elsewhere"},
    {"{\"lines\": [[\"order\", \"2.0 of midpoint\"]]}", 0, "order         2.0 of midpoint"},
    {"{\"error\": \"dsp has nothing to draw\"}", 2, "dmoc: dsp has nothing to draw"},
    {"{\"error\": \"\\u001b[31m\"}", 2, "dmoc: ?[31m"},
    {"[1, 2]", 3, "Python failed"},
    {"", 3, "Python failed"},
};

static void pictures_have_what_was_asked_for(void **state) {
  (void)state;
  program_draws("cat >facts\necho x\ncat reply >&3 2>/dev/null\n"
                "exit \"$(cat fails 2>/dev/null || echo 0)\"\n");
  put_file(".", "reply", "{}\n");
  take_motions();
  put_file(".", "study.csv", "h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n");
  put_file(".", "torn.csv", "a,b\n1,2\n1\n");
  put_file(".", "empty.csv", "a,b\n");
  RUN(motions);
  RUN(pictures);
}

static void replies_are_told(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
    put_file(".", "reply", replies[i].reply);
    assert_false(program_errs(replies[i].status, "plot dsp -o x.svg", replies[i].says));
  }

  // members of the answer
  put_file(".", "reply", "{\"found\": {\"orders\": [2.5]}}\n");
  assert_false(program_errs(0, "plot dsp -o x.svg --json", "2.5"));

  // the program that draws is not there, or fails
  static const row missing[] = {SAYS(2, "plot dsp -o x.svg", "apt-get install python3-matplotlib")};
  static const row failing[] = {SAYS(3, "plot dsp -o x.svg", "Python failed")};
  put_file(".", "fails", "127\n");
  RUN(missing);
  put_file(".", "fails", "1\n");
  RUN(failing);
  unlink("fails");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_have_what_was_asked_for),
      cmocka_unit_test(replies_are_told),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
