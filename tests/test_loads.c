// Dampers, wrenches and cables of a problem file.
#include "tests/cart_pole.h"

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
                  "horizon: {steps: 4, time: 2}\n"
                  "start: {q: 0, v: 0}\n"
                  "bounds: {u: {twist: [-2, 2]}}\n"
                  "cost: {input: {rope: 3}}\n"
                  "simulate: {input: {push: 4}}\n");
  const dm_system *s = &p->task.system;
  assert_true(s->nu == 4 && s->force.nu == 3 && p->model->nload == 3);
  static const char *const names[] = {"slider", "push", "rope", "twist"};
  static const char *const units[] = {"N", "1", "N", "N m"};
  for (int i = 0; i < 4; i++) {
    assert_string_equal(p->input_name[i], names[i]);
    assert_string_equal(pb_robot_unit(&p->robot, i), units[i]);
  }
  EXPECT(p->task.u_min, -20, -5, 0, -2);
  EXPECT(p->task.u_max, 20, 5, 7, 2);
  EXPECT(p->task.w_u, 0, 0, 3, 0);
  EXPECT(p->sim_u, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0);
  // at q = 0: the wrench pushes the slider, the pole has its twist and its damper
  void *scratch = aligned_alloc(64, s->force.scratch);
  double f[2] = {0}, q[] = {0, 0}, v[] = {0, 1}, u[] = {4, 0, 5};
  dm_force_jet jet = {.f = f};
  assert_int_equal(s->force.eval(s->force.self, scratch, 1, q, v, u, &jet), DM_OK);
  EXPECT(f, 3, 5 - 2);
  free(scratch);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_inputs_by_name),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
