// A pendulum swung up in 2 s, transcribed to first and to second order: of twice as many steps the
// error of the one is a fourth, that of the other a sixteenth.
//
//   10 steps: 35.709 and 34.02131 (N m)^2 s
//   20 steps: 34.454 and 34.01665 (N m)^2 s
//   40 steps: 34.127 and 34.01635 (N m)^2 s
//   80 steps: 34.044 and 34.01633 (N m)^2 s
#include <dmoc/dmoc.h>
#include <math.h>
#include <stdio.h>

// the least effort of a task, by a program of first order or, with settings for it, of second
static double minimize(const oc_task *task, const oc_torque_transcription_settings *second) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *motion;
  set.second = second;
  dm_status status = oc_solve(task, &set, &motion, &info, NULL);
  dm_trajectory_free(motion);
  return status == DM_OK ? info.objective : NAN;
}

int main(void) {
  dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
  dm_body bob = dm_body_default("bob");
  dm_input motor = dm_input_default("motor");
  bob.mass = 1;
  bob.centre[2] = -1;
  dm_tree tree = {1, 1, 1, &bob, &hinge, &motor, .gravity = {0, 0, -9.8}};
  dm_model *m;
  if (dm_model_new(&m, &tree, NULL)) return 1;

  double down = 0, up = acos(-1), rest = 0, one = 1;
  oc_task task = oc_task_of(m, 10, 2);
  task.start.q = &down;
  task.start.v = task.goal.v = &rest;
  task.goal.q = &up;
  task.cost[OC_U].running = &one;
  oc_torque_transcription_settings set = {.m = m};
  if (dm_second_order_rule_set(&set.rule, "hermite-gauss", 2, NULL)) return 1;
  for (; task.N <= 80; task.N *= 2)
    printf("%d steps: %.3f and %.5f (N m)^2 s\n", task.N, minimize(&task, NULL),
           minimize(&task, &set));
  dm_model_free(m);
}
