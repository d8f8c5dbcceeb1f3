// A pendulum, swung up by a motor too weak to lift it; gains that keep it on the motion; and the
// controller as C, in controller.h and controller.c.
//
//   swung up for 6.2518 (N m)^2 s
//   0.1000 rad off at the start, 0.0000 at the end
#include <dmoc/dmoc.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  // 1 kg at 1 m below a hinge, and a motor of 3 N m
  dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
  dm_input motor = {.name = "motor", .u_min = -3, .u_max = 3};
  dm_body bob = {"bob", -1, dm_identity, 0, 1, .mass = 1, .centre = {0, 0, -1}};
  dm_tree tree = {1, 1, 1, &bob, &hinge, &motor, .gravity = {0, 0, -9.8}};
  dm_model *robot;
  if (dm_model_new(&robot, &tree, NULL)) return 1;

  // from hanging to standing, in 100 steps of 0.1 s, at the least effort
  double down = 0, up = acos(-1), rest = 0, one = 1;
  oc_task task = oc_task_of(robot, 100, 10);
  task.start.q = &down;
  task.start.v = task.goal.v = &rest;
  task.goal.q = &up;
  task.cost[OC_U].running = &one;
  dm_trajectory *motion;
  oc_solve_info info;
  if (oc_solve(&task, NULL, &motion, &info, NULL)) return 1;
  printf("swung up for %.4f (N m)^2 s\n", info.objective);

  // its gains, and the closed loop from 0.1 rad beside the start
  fb_weights weights = {.Q = (double[]){10, 1}, .R = &one};
  double x[] = {0.1, 0};
  fb_tvlqr *gains;
  fb_plant plant;
  fb_closed_loop_result r;
  int failed;
  if (fb_tvlqr_new(&gains, motion, &task.system, &weights, &failed, NULL)) return 1;
  if (fb_plant_discrete(&plant, &task.system)) return 1;
  fb_closed_loop_run(gains, &plant, x, task.bounds[OC_U].low, task.bounds[OC_U].high, NULL, NULL,
                     NULL, &r);
  printf("%.4f rad off at the start, %.4f at the end\n", x[0], r.final_error);

  // the law for the robot, which measures angle and speed
  FILE *h = fopen("controller.h", "w"), *c = fopen("controller.c", "w");
  if (!h || !c) return 1;
  if (fb_controller_write(h, c, gains, &task.system, FB_VELOCITY, NULL, NULL)) return 1;
  if (fclose(h) || fclose(c)) return 1;

  fb_plant_free(&plant);
  fb_tvlqr_free(gains);
  dm_trajectory_free(motion);
  dm_model_free(robot);
}
