// A pendulum, swung up by a motor too weak to lift it, and gains that keep it on the motion.
//
//   swung up for 7.4869 (N m)^2 s
//   0.1000 rad off at the start, 0.0000 at the end
#include <dmoc/dmoc.h>
#include <math.h>
#include <stdio.h>

enum { N = 100, UNKNOWNS = 2 * N + 3, ROWS = N + 1 }; // of q_k, u_k and the end velocities

int main(void) {
  // 1 kg at 1 m below a hinge, and a motor of 3 N m
  dm_coordinate hinge = dm_coordinate_turn("hinge", 0, 1, 0);
  dm_body bob = dm_body_default("bob");
  dm_input motor = {.name = "motor", .u_min = -3, .u_max = 3};
  bob.mass = 1;
  bob.centre[2] = -1;
  dm_tree tree = {1, 1, 1, &bob, &hinge, &motor, .gravity = {0, 0, -9.8}};
  dm_model *robot;
  if (dm_model_new(&robot, &tree, NULL)) return 1;

  // from hanging to standing in 10 s at the least effort
  double down = 0, up = acos(-1), rest = 0, one = 1;
  oc_task task = {.system = dm_system_of(robot),
                  .N = N,
                  .T = 10,
                  .w_u = &one,
                  .q_start = &down,
                  .v_start = &rest,
                  .q_goal = &up,
                  .v_goal = &rest,
                  .q_min = robot->q_min,
                  .q_max = robot->q_max,
                  .v_max = robot->v_max,
                  .u_min = robot->u_min,
                  .u_max = robot->u_max};

  // solved as a sparse program, from the straight line
  double x[UNKNOWNS], lambda[ROWS], z_l[UNKNOWNS], z_u[UNKNOWNS];
  oc_point point = {x, lambda, z_l, z_u};
  oc_transcription *program;
  dm_trajectory *motion;
  oc_ipopt_settings set = oc_ipopt_default();
  oc_ipopt_info info;
  if (oc_transcription_new(&program, &task, NULL) || dm_trajectory_of(&motion, N, &task.system))
    return 1;
  oc_guess_line(&task, motion);
  oc_transcription_pack(program, motion, x);
  if (oc_ipopt_solve(oc_transcription_nlp(program), &set, &point, NULL, 0, &info)) return 1;
  oc_transcription_unpack(program, x, motion);
  printf("swung up for %.4f (N m)^2 s\n", info.objective);

  // its gains, and the closed loop from 0.1 rad beside the start
  fb_weights weights = {.Q = (double[]){10, 1}, .R = &one};
  fb_tvlqr *gains;
  fb_plant plant;
  fb_closed_loop_result result;
  int failed;
  if (fb_tvlqr_new(&gains, motion, &task.system, &weights, &failed, NULL)) return 1;
  if (fb_plant_discrete(&plant, &task.system)) return 1;
  double start[] = {0.1, 0};
  fb_closed_loop_run(gains, &plant, start, task.u_min, task.u_max, NULL, NULL, NULL, &result);
  printf("%.4f rad off at the start, %.4f at the end\n", start[0], result.final_error);

  fb_plant_free(&plant);
  fb_tvlqr_free(gains);
  dm_trajectory_free(motion);
  oc_transcription_free(program);
  dm_model_free(robot);
}
