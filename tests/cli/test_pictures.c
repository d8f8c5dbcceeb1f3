// tests/cli/test_pictures.c: what pictures of motions, tables and sweeps are drawn of, and what is refused.
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

static const row pictures[] = {
    WRITES("plot one --what phase -o x.svg", "script", "rate of x"),
    WRITES("plot one two --what phase --only y -o x.svg", "script", "rate of y"),
    WRITES("plot one --y q.x,q.y,energy,lambda -o x.svg", "script", "lambda.circle"),
    WRITES("plot one --what columns --x q.x --y q.y --xrange -1.5:1.5 --yrange :2 -o x.svg",
           "script", "set yrange [*:2]"),
    WRITES("plot one two --x k --y lambda.circle -o x.svg", "script", "lambda.circle"),
    WRITES("plot dsp em --y form.cloud --log y -o x.svg", "script", "set logscale y"),
    WRITES("plot dsp --y form -o x.svg", "script", "form"),
    WRITES("plot em --y moment -o x.svg", "script", "moment - its start"),
    WRITES("plot dsp --table monitors.csv --y energy.step -o x.svg", "script", "energy.step"),
    SAYS(2, "plot dsp -o x.svg --y q.uper.tx", "did you mean 'q.upper.tx'?"),
    SAYS(2, "plot dsp -o x.svg --table monitors.csv --y enrgy", "did you mean 'energy'?"),
    SAYS(2, "plot dsp -o x.svg --table nothing.csv --y energy", "dsp has no table nothing.csv"),
    SAYS(2, "plot dsp -o x.svg --what columns", "--what columns needs --y"),
    WRITES("plot study.csv --x h --y error -o x.svg", "script", "0.4 0.16"),
    SAYS(2, "plot study.csv -o x.svg --x h --y eror",
         "study.csv has no column 'eror'; did you mean"),
    SAYS(2, "plot torn.csv -o x.svg --y b", "torn.csv:3: found 1 cells, expected 2"),
    SAYS(2, "plot empty.csv -o x.svg --y b", "empty.csv: no rows"),
    SAYS(2, "plot study.csv -o x.svg", "--what all draws result folders, study.csv is a table"),
    WRITES("plot one polar --what path -o x.svg", "script", "set size ratio -1"),
    WRITES("plot dsp --what path --points upper,lower:0:0:0.5 --plane xz -o x.svg", "script",
           "z [m]"),
    WRITES("plot one two --what path --each --xrange -1.4:1.4 --yrange -1.4:1.4 -o x.svg", "script",
           "set xrange [-1.4:1.4]"),
    WRITES("plot dsp em --what path --plane xy -o x.svg", "script", "title 'dsp: upper'"),
    WRITES("plot level --what path -o x.svg", "script", "plot"),
    SAYS(2, "plot dsp -o x.svg --what path --points uper", "did you mean 'upper'?"),
    SAYS(2, "plot dsp -o x.svg --what path --points upper:1:2", "--points takes bodies"),
    SAYS(2, "plot dsp -o x.svg --what path --points upper:1:2:x", "--points takes bodies"),
    SAYS(2, "plot dsp -o x.svg --what path --plane xx", "--plane takes two of the world's axes"),
    WRITES("plot dsp --what frames --times 0,0.5,1 -o x.svg", "script", "title '0.5 s'"),
    WRITES("plot dsp em --what frames --plane xz -o x.svg", "script", "z [m], "),
    WRITES("plot cart --what frames -o x.svg", "script", "plot"),
    SAYS(2, "plot dsp -o x.svg --what frames --times 0,7", "dsp goes from 0 to 5 s, got 7"),
    SAYS(2, "plot dsp -o x.svg --what frames --times 0,late", "found 'late'"),
    {0, "plot dsp em -o x.svg", "they are drawn over the same time", "script", "title 'em'"},
    WRITES("plot dsp em --what energy --names midpoint,keeping -o x.svg", "script",
           "title 'keeping'"),
    SAYS(2, "plot dsp em -o x.svg --names one", "--names has 1 names, expected one for each of 2"),
    SAYS(2, "plot one polar -o x.svg", "path and columns draw them on one axis"),
    SAYS(2, "plot dsp em -o x.svg --what gains", "--what gains draws one folder, got 2"),
    WRITES("plot ./dsp dsp/. em --what energy -o x.svg", "script", "plot"),
    WRITES("plot dsp em --what difference --only upper.tx -o x.svg", "script", "upper.tx"),
    WRITES("plot em --what difference --against dsp --log y -o x.svg", "script", "q of dsp"),
    SAYS(0, "plot uneven --what difference --against dsp -o x.svg", "between its knots by cubics"),
    SAYS(2, "plot dsp -o x.svg --what difference", "--what difference needs two folders"),
    SAYS(2, "plot dsp -o x.svg --what difference --against nowhere", "nowhere"),
    SAYS(2, "plot dsp -o x.svg --what difference --against study.csv",
         "a number or one result folder"),
    WRITES("plot cart -o x.svg", "script", "slider"),
    WRITES("plot cart -o x.pdf", "script", "pdf"),
    {0, "plot cart -o x.png --json", "\"picture\"", "script", "png"},
    WRITES("plot bar --what outputs --only load -o x.svg", "script", "load.x"),
    WRITES("plot bar --what trajectory --only slider -o x.svg", "script", "slider"),
    WRITES("plot eight --what path -o x.svg", "script", "plot"),
    WRITES("plot eight --what path --plane xz -o x.svg", "script", "plot"),
    WRITES("plot eight --what outputs -o x.svg", "script", "plot"),
    WRITES("plot eight --what frames -o x.svg", "script", "plot"),
    WRITES("plot cart --what gains -o x.svg", "script", "plot"),
    WRITES("plot cart --what convergence -o x.svg", "script", "plot"),
    WRITES("plot cart cart --what inputs -o x.svg", "script", "plot"),
    WRITES("plot bar bar --what outputs -o x.svg", "script", "plot"),
    SAYS(2, "plot bar --only loaf -o x.svg", "got 'loaf'"),
    WRITES("plot walker --what contacts -o x.svg", "script", "left foot"),
    SAYS(2, "plot dsp -o x.svg --what gains", "dsp has nothing to draw for --what gains"),
    SAYS(2, "plot none -o x.svg", "none keeps no result folder of its cases"),
    SAYS(2, "plot dsp -o x.gif", "x.gif"),
    SAYS(2, "plot dsp", "-o"),
    SAYS(2, "plot nowhere -o x.svg", "nowhere"),
    SAYS(2, "plot dsp -o x.svg --what energy --x t",
         "--x is for --what columns, order, not for energy"),
    SAYS(2, "plot dsp -o x.svg --what energy --each", "--each is for --what path, not for energy"),
    SAYS(2, "plot dsp -o x.svg --y energy --log z", "--log takes one of x, y, xy, got 'z'"),
    SAYS(2, "plot dsp -o x.svg --y energy --xrange 2:1", "numbers of which the first is less"),
    SAYS(2, "plot dsp -o x.svg --y energy,", "found an empty one"),
    SAYS(2, "plot dsp -o x.svg --what pth", "did you mean 'path'?"),
};

static void pictures_have_what_was_asked_for(void **state) {
  (void)state;
  program_draws("tee script\nexit \"$(cat fails 2>/dev/null || echo 0)\"\n");
  take_motions();
  put_file(".", "study.csv", "h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n");
  put_file(".", "torn.csv", "a,b\n1,2\n1\n");
  put_file(".", "empty.csv", "a,b\n");
  RUN(motions);
  RUN(pictures);

  // the program that draws is not there, or fails
  static const row missing[] = {SAYS(2, "plot dsp --what energy -o x.svg", "gnuplot failed")};
  static const row failing[] = {SAYS(3, "plot dsp --what energy -o x.svg", "gnuplot failed")};
  put_file(".", "fails", "127\n");
  RUN(missing);
  put_file(".", "fails", "1\n");
  RUN(failing);
  unlink("fails");
}

static const row orders[] = {
    SAYS(0, "plot steps --what order -o x.svg --json", "\"order\""),
    DOES("plot steps four --what order --against dsp --times 0.5 -o x.svg"),
    SAYS(0, "plot steps --what order --y energy.drift -o x.svg --json", "\"orders\""),
    WRITES("plot steps --what order --y energy.drift --against finest -o x.svg", "script",
           "that of step 0.025"),
    SAYS(0, "plot study.csv --what order --x h --y error,none -o x.svg --json", "\"constant\""),
    SAYS(0, "plot values.csv --what order --x steps --y value --against 1 -o x.svg --json",
         "\"order\": 1.99999999"),
    SAYS(0, "plot values.csv --what order --x steps --y value --against finest -o x.svg", "order"),
    SAYS(0, "plot rounding.csv --what order --x h --y value -o x.svg --json", "\"order\": null"),
    SAYS(2, "plot dsp -o x.svg --what order",
         "needs two errors above 0 at steps of different length"),
    SAYS(2, "plot steps -o x.svg --what order --y energy.drif", "has no number 'energy.drif'"),
    SAYS(2, "plot study.csv -o x.svg --what order", "--what order of a table needs --x COLUMN"),
    SAYS(2, "plot study.csv -o x.svg --what order --x h --y eror", "eror"),
    SAYS(2, "plot study.csv -o x.svg --what order --x g --y error", "g"),
    SAYS(2, "plot steps -o x.svg --what order --times 9", "9"),
    SAYS(2, "plot steps -o x.svg --what order --times 0,1", "takes one time, got 2"),
    WRITES("plot steps four --what energy -o x.svg", "script", "title 'steps: step 0.1'"),
    WRITES("plot steps --x simulate.step --y steps -o x.svg", "script", "0.1"),
    WRITES("plot starts --what trajectory -o x.svg", "script", "start 1"),
};

static void orders_are_measured(void **state) {
  (void)state;
  put_file(".", "values.csv", "steps,value\n10,1.01\n20,1.0025\n40,1.000625\n");
  put_file(".", "rounding.csv", "h,value\n4,1e-13\n2,3e-15\n1,2e-13\n");
  RUN(orders);
}

static const row moving[] = {
    WRITES("plot cart --what moving -o m.svg", "m.svg", "ghost"),
    WRITES("plot cart --what moving --times 0.5,1 -o m.svg", "m.svg", "animate"),
    WRITES("plot walker --what moving -o m.svg", "m.svg", "floor"),
    WRITES("plot level --what moving -o m.svg", "m.svg", "hull"),
    WRITES("plot level --what moving --plane xz --points flange -o m.svg", "m.svg", "way"),
    WRITES("plot one two --what moving -o m.svg", "m.svg", "visibility"),
    WRITES("plot dsp --what moving -o m.svg", "m.svg", "link"),
    WRITES("plot yard --what moving -o m.svg", "m.svg", "kept"),
    WRITES("plot yard --what moving --plane xy -o m.svg", "m.svg", "kept"),
    WRITES("plot cradle --what moving -o m.svg", "m.svg", "animate"),
    WRITES("plot eight --what moving -o m.svg", "m.svg", "animate"),
    SAYS(2, "plot cart --what moving -o x.png",
         "what moving is drawn as SVG: -o FILE.svg, got 'x.png'"),
    SAYS(2, "plot cart --what moving --times 1 -o x.svg", "takes two times, from and to"),
    SAYS(2, "plot cart --what moving --times 1,1 -o x.svg", "--times"),
    SAYS(2, "plot cart --what moving --times 2,3 -o x.svg", "cart goes from 0 to 2 s, got 2"),
    SAYS(2, "plot cart --what moving --times 0,100 -o x.svg", "shows 60 s at most, got 100 s"),
    SAYS(2, "plot seldom --what moving -o x.svg", "keeps a knot every 6 s alone"),
};

static void robots_move_in_pictures(void **state) {
  (void)state;
  RUN(moving);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_have_what_was_asked_for),
      cmocka_unit_test(orders_are_measured),
      cmocka_unit_test(robots_move_in_pictures),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
