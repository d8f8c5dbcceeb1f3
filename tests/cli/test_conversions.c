// tests/cli/test_conversions.c: results as files for other programs, and as pages: what stands in
// them of robots of every kind, and what is refused.
#include "tests/support/command_rows.h"

static const char cube[] = "v 0 0 0\nv 0.1 0 0\nv 0.1 0.2 0\nv 0 0.2 0\nv 0 0 0.5\nv 0.1 0 0.5\n"
                           "v 0.1 0.2 0.5\nv 0 0.2 0.5\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\n"
                           "f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
static const char flat[] = "v 0 0 0\nv 0.1 0 0\nv 0.1 0.2 0\nf 1 2 3\n";

// an arm with looks of every kind
static const char looks[] =
    "<robot name=\"arm\"><link name=\"base\"/>\n"
    "<link name=\"arm &amp; hand\"><inertial><origin xyz=\"0.05 0.1 0.25\" rpy=\"1 2 3\"/><mass "
    "value=\"1\"/><inertia ixx=\"0.02\" iyy=\"0.03\" izz=\"0.015\" ixy=\"0.001\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>\n"
    "<visual><origin xyz=\"0 0.1 0\" rpy=\"0 0.3 0\"/><geometry><mesh filename=\"cube.obj\"/>"
    "</geometry></visual>\n"
    "<visual><geometry><mesh filename=\"flat.obj\"/></geometry></visual>\n"
    "<visual><geometry><mesh filename=\"nowhere.obj\"/></geometry></visual>\n"
    "<visual><geometry><box size=\"0.1 0.2 0.3\"/></geometry></visual>\n"
    "<visual><geometry><sphere radius=\"0.1\"/></geometry></visual>\n"
    "<visual><geometry><cylinder radius=\"0.1\" length=\"0.4\"/></geometry></visual>\n"
    "<visual><geometry><capsule radius=\"0.1\" length=\"0.4\"/></geometry>\n"
    "<material name=\"r\"><color rgba=\"1 0 0 0.5\"/></material></visual></link>\n"
    "<joint name=\"turn\" type=\"revolute\"><origin xyz=\"0.1 0.2 0.3\" rpy=\"0.4 0.5 0.6\"/>"
    "<parent link=\"base\"/><child link=\"arm &amp; hand\"/><axis xyz=\"1 1 0\"/>"
    "<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"10\"/></joint></robot>\n";
static const char arm[] = "model: {urdf: looks.urdf}\nhorizon: {steps: 6, time: 1}\n"
                          "start: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n";

// loops, ropes, springs, dampers, forces
static const char closed[] =
    "model:\n"
    "  bodies:\n"
    "    - {name: left, joints: [{name: a, type: ry, damping: 0.1}], mass: 1, centre: [0, 0.1, "
    "-0.5], inertia: [0.1, 0.2, 0.1]}\n"
    "    - {name: right, offset: {xyz: [1, 0, 0]}, joints: [{name: b, type: ry}], mass: 2, centre: "
    "[0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\n"
    "    - {name: bar, parent: left, offset: {xyz: [0, 0, -1], rpy: [0, 0.3, 0]}, joints: [{name: "
    "c, type: ry}], mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "    - {name: load, joints: [tx, ty, tz], mass: 0.5}\n"
    "    - {name: hoist, offset: {xyz: [0, 2, 1]}, joints: [{name: h, type: tz}], mass: 1}\n"
    "    - {name: turn, offset: {xyz: [0, -2, 0]}, joints: [{name: yaw, type: rz, damping: 0.1}], "
    "inertia: [0.1, 0.1, 0.1]}\n"
    "    - {name: bob, joints: [tx, ty, tz], mass: 1}\n"
    "    - {name: twin, offset: {xyz: [0, 3, 1]}, joints: [{name: t, type: tz}], mass: 2}\n"
    "  constraints:\n"
    "    - {name: pin, type: line, bodies: [bar, right], points: [[1, 0, 0], [0, 0, -1]], axis: "
    "[0, 1, 0]}\n"
    "    - {name: held, type: point, bodies: [bob, turn], points: [[0, 0, 0.1], [0.2, 0, 0]]}\n"
    "    - {name: cable, type: distance, bodies: [load, hoist], points: [[0, 0, 0], [0.1, 0, 0]], "
    "length: 1}\n"
    "    - {name: gear, type: equal, coordinates: [t, h], ratio: -2, shift: 0.1}\n"
    "  springs:\n"
    "    - {name: hinge, joint: a, stiffness: 3, rest: 0.2}\n"
    "    - {name: hinge 2, joint: a, stiffness: 1, rest: -0.4}\n"
    "    - {name: lift, joint: h, stiffness: 60, rest: 0.3}\n"
    "    - {name: over, path: [{body: load}, {body: bar, point: [0.5, 0, 0.1]}, {body: world, "
    "point: [2, 0, 0]}], stiffness: 20, rest: 1}\n"
    "    - {name: hard, joint: yaw, table: [[-1, -3], [0, 0], [1, 4]]}\n"
    "  dampers: [{name: oil, bodies: [load, right], damping: 0.3}, {name: brake, joint: h, "
    "damping: "
    "0.2}]\n"
    "  wrenches: [{name: wind, body: load, frame: mixed, force: [1, 2, 3]}, {name: gas, body: "
    "load, "
    "frame: world, force: [0, 0, 1]}]\n"
    "inputs: [{joint: h, effort: 100}, {name: pull, path: [{body: load}, {body: world, point: [0, "
    "2, 3]}], max: 9}, {name: jet, body: bob, frame: body, point: [0, 0, 0.1], force: [0, 0, 1], "
    "min: -1, max: 1}]\n"
    "horizon: {steps: 8, time: 0.1}\n"
    "start: {q: {a: 0.2, b: free, c: free, load.tx: 0.1, load.ty: 2, load.tz: free, h: 0.2, t: "
    "-0.3, yaw: 0.3, bob.tx: free, bob.ty: free, bob.tz: free}, near: {b: 0.2, c: -0.5, load.tz: "
    "0.2}, v: 0}\n"
    "goal: {q: {h: 0.21}}\ncost: {input: 1}\n";

// keep_out shapes, and a rope whose length a winch prescribes
static const char fenced[] =
    "model:\n"
    "  bodies:\n"
    "    - {name: cart, joints: [{name: x, type: tx, effort: 5}, {name: z, type: tz, effort: 30}], "
    "mass: 1}\n"
    "    - {name: pole, parent: cart, joints: [{name: p, type: ry}], mass: 1, centre: [0, 0, "
    "-0.5]}\n"
    "    - {name: winch, joints: [{name: rope, type: tx, kinematic: true}]}\n"
    "    - {name: bob, joints: [{name: bx, type: tx}, {name: bz, type: tz}], mass: 1}\n"
    "  constraints: [{name: string, type: distance, bodies: [bob, world], length: rope}]\n"
    "keep_out:\n  shapes:\n"
    "    - {name: floor, type: half-space, point: [0, 0, -5], axis: [0, 0, 1]}\n"
    "    - {name: ball, type: sphere, body: cart, radius: 0.1}\n"
    "    - {name: rod, type: capsule, body: pole, points: [[0, 0, 0], [0, 0, -0.5]], radius: "
    "0.05}\n"
    "    - {name: post, type: cylinder, point: [9, 0, 0], axis: [0, 0, 1], radius: 0.1, length: "
    "1}\n"
    "    - {name: crate, type: box, point: [-9, 0, 0], size: [1, 2, 3]}\n"
    "simulate: {steps: 8, step: 0.01, start: {q: {bz: -1, rope: 1}}}\n";

// bodies that are held as they stand, in a plane and in space, and on a sheet
static const char posed[] =
    "model:\n  bodies:\n"
    "    - {name: a, joints: [tx, ty, tz, rz, ry, rx], mass: 1, inertia: [1, 1, 1]}\n"
    "    - {name: b, joints: [{name: bx, type: tx}, {name: bz, type: tz}, {name: bt, type: ry}], "
    "mass: "
    "1, inertia: [1, 1, 1]}\n"
    "    - {name: c, joints: [{name: cx, type: tx}, {name: cz, type: tz}, {name: ct, type: ry}], "
    "mass: "
    "1, inertia: [1, 1, 1]}\n"
    "    - {name: d, joints: [{name: dx, type: tx}, {name: dy, type: ty}, {name: dz, type: tz}], "
    "mass: "
    "1}\n"
    "  constraints:\n"
    "    - {name: weld, type: pose, bodies: [a, world]}\n"
    "    - {name: flat, type: planar-pose, bodies: [b, c], axis: [0, 1, 0]}\n"
    "    - {name: sheet, type: plane, bodies: [d, world], axis: [0, 0, 1]}\n"
    "simulate: {steps: 4, step: 0.01, start: {q: 0}}\n";

static const row made[] = {
    DOES("optimize looks.yaml -o looks"),
    DOES("optimize closed.yaml -o closed"),
    DOES("simulate fenced.yaml -o fenced"),
    DOES("simulate hopper.yaml -o hopper"),
    DOES("run cart.yaml -o cart --threads 1"),
    DOES("optimize satellite.yaml -o satellite"),
    DOES("simulate marionette.yaml -o marionette"),
    DOES("optimize servo.yaml -o servo"),
    DOES("optimize eight.yaml -o eight"),
    DOES("simulate cradle.yaml -o cradle"),
    DOES("simulate posed.yaml -o posed"),
    DOES("optimize lift.yaml -o lift"),
    DOES("run second.yaml -o second --threads 1"),
    DOES("sweep cart.yaml --vary cost.input=1,2 --keep -o swept --threads 1"),
};

static const row for_mujoco[] = {
    SAYS(0, "convert looks --to mujoco", "a mesh on 'turn' is flat"),
    SAYS(0, "convert looks --to mujoco", "nowhere.obj"),
    WRITES("convert looks --to mujoco", "looks/mujoco.xml", "type=\"capsule\""),
    WRITES("convert looks --to mujoco", "looks/mujoco.xml", "arm &amp; hand"),
    SAYS(0, "convert closed --to mujoco", "kept softly"),
    SAYS(0, "convert closed --to mujoco", "the spring 'hard' is not in it"),
    SAYS(0, "convert closed --to mujoco", "the load 'gas' is not in it"),
    WRITES("convert closed --to mujoco", "closed/mujoco.xml", "torquescale=\"0\""),
    WRITES("convert closed --to mujoco", "closed/mujoco.xml", "tendon=\"cable pull\""),
    WRITES("convert closed --to mujoco", "closed/mujoco.xml", "name=\"wind\""),
    WRITES("convert closed --to mujoco", "closed/mujoco.xml", "joint1=\"t\" joint2=\"h\""),
    WRITES("convert fenced --to mujoco", "fenced/mujoco.xml", "length of string"),
    WRITES("convert fenced --to mujoco", "fenced/mujoco.xml", "type=\"cylinder\""),
    SAYS(0, "convert hopper --to mujoco", "contacts are soft there"),
    WRITES("convert hopper --to mujoco", "hopper/mujoco.xml", "<pair name="),
    WRITES("convert satellite --to mujoco", "satellite/mujoco.xml", "type=\"ball\""),
    WRITES("convert marionette --to mujoco", "marionette/mujoco.xml", "spatial"),
    WRITES("convert servo --to mujoco", "servo/mujoco.xml", "<tendon"),
    SAYS(0, "convert lift --to mujoco --json", "the spring 'shaft1' is not in it"),
    WRITES("convert cart --to mujoco", "cart/mujoco.xml", "<motor"),
    WRITES("convert posed --to mujoco", "posed/mujoco.xml", "<weld"),
    SAYS(0, "convert posed --to mujoco", "the constraint 'sheet' is not in it"),
    DOES("convert eight --to mujoco"),
    DOES("convert cradle --to mujoco"),
};

static const row other_formats[] = {
    WRITES("convert looks --to mcap", "looks/motion.mcap", "\x89MCAP0"),
    SAYS(0, "convert looks --to mcap", "nowhere.obj"),
    DOES("convert closed --to mcap"),
    DOES("convert fenced --to mcap"),
    DOES("convert hopper --to mcap"),
    DOES("convert satellite --to mcap"),
    DOES("convert servo --to npz"),
    DOES("convert marionette --to npz"),
    DOES("convert second --to mcap"),
    DOES("convert eight --to mcap"),
    DOES("convert cradle --to mcap"),
    DOES("convert posed --to mcap"),
    DOES("convert second --to npz --json"),
    DOES("convert cart -o here.npz"),
    SAYS(2, "convert cart", "say which format: --to one of mcap, npz, mujoco"),
    SAYS(2, "convert cart -o here.txt", "-o takes a file that ends in one of .mcap, .npz, .xml"),
    SAYS(2, "convert cart --to npz -o here.xml", "-o takes FILE.npz for --to npz, got 'here.xml'"),
    SAYS(2, "convert cart --to npy", "did you mean 'npz'"),
    SAYS(2, "convert cart.yaml --to npz", "convert takes a result folder"),
    SAYS(2, "convert empty --to npz", "without result.json"),
    SAYS(2, "convert nowhere --to npz", "there is no 'nowhere'"),
    SAYS(2, "convert study.csv --to npz", "study.csv"),
};

static const row pages[] = {
    WRITES("report looks -o page.html", "page.html", "</html>"),
    WRITES("report closed -o page.html", "page.html", "</html>"),
    WRITES("report fenced -o page.html", "page.html", "</html>"),
    WRITES("report hopper -o page.html", "page.html", "</html>"),
    WRITES("report cart satellite -o page.html", "page.html", "</html>"),
    WRITES("report marionette -o page.html", "page.html", "</html>"),
    WRITES("report servo -o page.html", "page.html", "</html>"),
    WRITES("report eight cradle posed -o page.html", "page.html", "</html>"),
    WRITES("report second -o page.html", "page.html", "</html>"),
    WRITES("report swept -o page.html", "page.html", "</html>"),
    WRITES("report swept/sweep.csv -o page.html --json", "page.html", "</html>"),
    WRITES("report study.csv -o page.html", "page.html", "study.csv"),
    SAYS(2, "report nowhere -o page.html", "nowhere"),
    SAYS(2, "report empty -o page.html", "empty"),
    WRITES("report cart satellite", "cart/report.html", "satellite"),
    SAYS(2, "report cart.yaml -o page.html", "cart.yaml"),
};

static int make_results(void **state) {
  if (program_open(state) != 0) return -1;
  mkdir("empty", 0700);
  put_file(".", "cube.obj", cube);
  put_file(".", "flat.obj", flat);
  put_file(".", "looks.urdf", looks);
  put_file(".", "looks.yaml", arm);
  put_file(".", "closed.yaml", closed);
  put_file(".", "fenced.yaml", fenced);
  put_file(".", "posed.yaml", posed);
  take_problem("eight.yaml", "six-axis-arm/eight.yaml", NULL, NULL);
  take_problem("arm.urdf", "six-axis-arm/arm.urdf", NULL, NULL);
  take_problem("cradle.yaml", "contact/cradle.yaml", NULL, NULL);
  put_file(".", "study.csv", "h,error\n0.4,0.16\n");
  take_problem("hopper.yaml", "contact/hopper.yaml", NULL, NULL);
  take_problem("cart.yaml", "cart-pole/swing-up.yaml", "samples: 200", "samples: 5");
  take_problem("cart-pole.urdf", "cart-pole/cart-pole.urdf", NULL, NULL);
  take_problem("satellite.yaml", "satellite/reorient.yaml", "steps: 80", "steps: 20");
  take_problem("marionette.yaml", "marionette/reference.yaml", NULL, NULL);
  take_problem("input.csv", "marionette/input.csv", NULL, NULL);
  take_problem("servo.yaml", "two-string-load/servo.yaml", NULL, NULL);
  take_problem("lift.yaml", "series-elastic/lift.yaml", NULL, NULL);
  take_problem("second.yaml", "splines/jerk.yaml", NULL, NULL);
  return 0;
}

static void results_are_made(void **state) {
  (void)state;
  RUN(made);
}

static void robots_are_written_for_mujoco(void **state) {
  (void)state;
  RUN(for_mujoco);
}

static void recordings_and_arrays_are_written(void **state) {
  (void)state;
  RUN(other_formats);
}

static void pages_are_written(void **state) {
  (void)state;
  RUN(pages);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_made),
      cmocka_unit_test(robots_are_written_for_mujoco),
      cmocka_unit_test(recordings_and_arrays_are_written),
      cmocka_unit_test(pages_are_written),
  };
  return cmocka_run_group_tests(tests, make_results, program_close);
}
