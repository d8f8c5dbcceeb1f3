// Dampers, wrenches and cables of a problem file.
#include "tests/support/cart_pole.h"

#include <math.h>

#define MODEL "model: {urdf: c.urdf, "
#define DAMP  MODEL "dampers: [{name: d, "
#define PUSH  "inputs: [{name: push, "
#define HELD  "]}\nsimulate: {time: 1, steps: 2}\n"

static const refused wrong[] = {
    {HEAD "inputs: [{joint: pole, body: tip}]\n",
     "p.yaml:4:10: inputs[]: found several, expected one of joint, actuator, body, path, across"},
    {HEAD "inputs: [{joint: pole, force: [1, 0, 0]}]\n",
     "p.yaml:4:24: inputs[]: found 'force', expected none for the input on a joint"},
    {HEAD PUSH "body: tip, force: [1, 0, 0]}]\n",
     "found no 'frame', expected one for the input on a body"},
    {HEAD PUSH "body: tpi, frame: body, force: [1, 0, 0]}]\n",
     "p.yaml:4:29: inputs[].body: found the unknown body 'tpi', expected one of rail, cart, tip; "
     "did you mean 'tip'?"},
    {HEAD PUSH "body: rail, frame: body, force: [1, 0, 0]}]\n",
     "inputs[].body: found 'rail', which nothing moves, expected a body that joints move"},
    {HEAD PUSH "body: tip, frame: body}]\n",
     "p.yaml:4:10: inputs[]: found neither 'force' nor 'torque', expected one of them"},
    {HEAD PUSH "body: tip, frame: world, point: [0, 0, 0], force: [1, 0, 0]}]\n",
     "p.yaml:4:48: inputs[]: found 'point', expected none in the frame world"},
    {HEAD PUSH "path: [{body: world}, {body: tip}], point: [0, 0, 1]}]\n",
     "p.yaml:4:59: inputs[]: found 'point', expected none for the input on a path"},
    {HEAD PUSH "across: slider}]\n",
     "inputs[].across: found 'slider', expected two coordinates, and perhaps a factor behind"},
    {HEAD PUSH "across: [slider, pol]}]\n", "did you mean 'pole'"},
    {HEAD PUSH "across: [slider, slider]}]\n",
     "inputs[].across: found 'slider' twice, expected two coordinates"},
    {HEAD PUSH "across: [[slider, pole, much]]}]\n", "inputs[].across"},
    {HEAD PUSH "across: [[slider, pole, 0.3], [pole, slider, 0.2], [pole, slider, 0.1]]}]\n",
     "p.yaml:4:31: inputs[].across: found planes of 'slider' and 'pole' whose factors cancel"},
    {HEAD PUSH "across: [slider, pole], point: [0, 0, 1]}]\n",
     "inputs[]: found 'point', expected none for the input across"},
    {HEAD PUSH "path: [{body: tip}]}]\n",
     "p.yaml:4:29: inputs[].path: found a list of 1, expected a list of 2 or more points"},
    {HEAD PUSH "path: [{body: world}, {body: rail}]}]\n",
     "p.yaml:4:17: 'push': no coordinate changes its length"},
    {HEAD PUSH "path: [{body: world}, {body: tip}], max: -1}]\n",
     "p.yaml:4:10: inputs[]: found min 0 above max -1"},
    {HEAD "inputs: [{joint: pole}, {name: pole, path: [{body: world}, {body: tip}]}]\n",
     "p.yaml:4:32: inputs[]: found a second one named 'pole', expected every name once"},
    // dampers and wrenches
    {DAMP "bodies: [cart, tip]}" HELD, "model.dampers[]: found no 'damping', expected one"},
    {DAMP "damping: 1}" HELD,
     "p.yaml:1:33: model.dampers[]: found none, expected one of joint, bodies, path"},
    {DAMP "joint: polo, damping: 1}" HELD, "model.dampers[].joint: found the unknown coordinate"},
    {DAMP "joint: pole, damping: -1}" HELD, "found '-1', expected a number >= 0"},
    {DAMP "joint: pole, damping: 1}, {name: d, joint: slider, damping: 1}" HELD,
     "p.yaml:1:76: found a second load named 'd', expected every name once"},
    {MODEL "wrenches: [{name: w, body: tip, frame: tip, force: [1, 0, 0]}" HELD,
     "model.wrenches[].frame: found the unknown word 'tip', expected one of world, body, mixed"},
    {MODEL "wrenches: [{name: w, body: tip, frame: body}" HELD,
     "p.yaml:1:34: model.wrenches[]: found neither 'force' nor 'torque'"},
    {DAMP "bodies: [cart, world], damping: 1}" HELD,
     "p.yaml:2:11: simulate.start: 'd' has no direction of pull where points of its path meet"},
};

static void wrong_loads_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

// one force on a stick that lies along x: as its axes have it, as the world's, and at the world's
// origin
static void frames_are_what_they_say(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model: {bodies: [{name: stick, joints: [tx, ry], mass: 1, inertia: [1, 1, 1]}]}\n"
      "inputs:\n"
      "  - {name: a, body: stick, frame: body, point: [0, 0, 1], force: [1, 0, 2]}\n"
      "  - {name: b, body: stick, frame: mixed, point: [0, 0, 1], force: [1, 0, 2]}\n"
      "  - {name: c, body: stick, frame: world, force: [1, 0, 2]}\n"
      "simulate: {time: 1, steps: 2}\n");
  static const double expected[] = {2, 1, 1, 1, -2, 1}; // tx, ry by the three
  const double q[] = {0.5, acos(0)}, v[2] = {0}, u[] = {1, 1, 1};
  double f[2] = {0}, f_q[4] = {0}, f_v[4] = {0}, f_u[6] = {0};
  dm_force_jet jet = {.f = f, .f_q = f_q, .f_v = f_v, .f_u = f_u};
  dm_force force = dm_loads_force(p->robot.mechanism.loads);
  void *scratch = aligned_alloc(64, force.scratch + 64);
  assert_int_equal(force.eval(force.self, scratch, 2, q, v, u, &jet), DM_OK);
  for (int i = 0; i < 6; i++) assert_true(fabs(f_u[i] - expected[i]) < 1e-15);
  free(scratch);
  pb_problem_free(p);
}

// on joints first, then wrenches and cables, each under its own name everywhere
static void loads_are_inputs_by_name(void **state) {
  (void)state;
  pb_problem *p =
      get_problem("model: {urdf: c.urdf, dampers: [{name: d, joint: pole, damping: 2}],\n"
                  "        wrenches: [{name: w, body: tip, frame: mixed, force: [3, 0, 0]}]}\n"
                  "inputs:\n"
                  "  - {name: push, body: tip, frame: body, force: [0, 0, 2], effort: 5}\n"
                  "  - {joint: slider}\n"
                  "  - {name: rope, path: [{body: world, point: [0, 0, 3]}, {body: tip}], max: 7}\n"
                  "  - {name: twist, body: tip, frame: mixed, torque: [0, 1, 0], min: -1}\n"
                  "  - {name: steer, across: [[slider, pole, 2], [pole, slider]], effort: 9}\n"
                  "horizon: {steps: 4, time: 2}\n"
                  "start: {q: 0, v: 0}\n"
                  "bounds: {u: {twist: [-2, 2]}}\n"
                  "cost: {input: {rope: 3}}\n"
                  "simulate: {input: {push: 4}}\n");
  const dm_system *s = &p->task.system;
  assert_true(s->nu == 5 && s->force.nu == 4 && p->model->nload == 4);
  static const char *const names[] = {"slider", "push", "rope", "twist", "steer"};
  static const char *const units[] = {"N", "1", "N", "N m", "1"};
  for (int i = 0; i < 5; i++) {
    assert_string_equal(p->names.input[i], names[i]);
    assert_string_equal(pb_robot_unit(&p->robot, i), units[i]);
  }
  EXPECT(p->task.bounds[OC_U].low, -20, -5, 0, -2, -9);
  EXPECT(p->task.bounds[OC_U].high, 20, 5, 7, 2, 9);
  EXPECT(p->task.cost[OC_U].running, 0, 0, 3, 0, 0);
  EXPECT(p->simulate.u, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0);
  // at q = 0: the wrench pushes the slider, the pole has its twist and its damper
  void *scratch = aligned_alloc(64, s->force.row[0].scratch);
  double f[2] = {0}, q[] = {0, 0}, v[] = {0, 1}, u[] = {4, 0, 5, 0};
  dm_force_jet jet = {.f = f};
  assert_int_equal(s->force.row[0].eval(s->force.row[0].self, scratch, 1, q, v, u, &jet), DM_OK);
  EXPECT(f, 3, 5 - 2);

  // steering, by 2 - 1 from the slider towards the pole
  u[3] = 7;
  f[0] = f[1] = 0;
  assert_int_equal(s->force.row[0].eval(s->force.row[0].self, scratch, 1, q, v, u, &jet), DM_OK);
  EXPECT(f, 3 - 7, 5 - 2);
  free(scratch);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_loads_are_refused_by_place),
      cmocka_unit_test(frames_are_what_they_say),
      cmocka_unit_test(loads_are_inputs_by_name),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
