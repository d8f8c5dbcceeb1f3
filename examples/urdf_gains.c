// Gains at 1 kHz that hold the robot of a URDF file where all of its joints are at 0.5 rad: of
// problems/six-axis-arm/arm.urdf
//
//   pan: u = 0.00 - 313.1 (q - 0.5) - ...
//   lift: u = -40.59 - 364.4 (q - 0.5) - ...
//   elbow: u = -19.94 - 317.2 (q - 0.5) - ...
//   wrist_1: u = -4.57 - 287.3 (q - 0.5) - ...
//   wrist_2: u = 1.14 - 273.6 (q - 0.5) - ...
//   wrist_3: u = -0.76 - 268.0 (q - 0.5) - ...
#include <dmoc/dmoc.h>
#include <stdio.h>

enum { MOST = 32 }; // joints

int main(int argc, char **argv) {
  dm_message msg = {"urdf_gains FILE.urdf"};
  pb_robot robot;
  if (argc < 2 || pb_model_read(&robot, argv[1], false, NULL, &msg)) return puts(msg.text), 1;
  dm_system s = dm_robot_system(&robot.mechanism);
  int n = s.L.nq;
  if (n > MOST || s.nu < 1) return puts("a robot of too many joints, or of no motor"), 1;

  // the torques u that hold it at q, as a motion of one step of 1 ms
  double q[MOST], u[MOST] = {0}, Q[2 * MOST], R[MOST];
  bool held[MOST];
  for (int i = 0; i < n; i++) {
    q[i] = 0.5;
    held[i] = true;
  }
  dm_trajectory *rest;
  if (dm_trajectory_of(&rest, 1, &s)) return 1;
  rest->h = 1e-3;
  if (dm_equilibrium_find(&s, held, NULL, rest->h, q, u, NULL, robot.mechanism.model->name, &msg))
    return puts(msg.text), 1;
  dm_trajectory_rest(rest, &s, q, u, NULL);

  // the steady gains of u = u_d - K (x - x_d), x = (q,p)
  for (int i = 0; i < n; i++) {
    Q[i] = 1000;
    Q[n + i] = 1;
    R[i] = 0.01;
  }
  fb_weights weights = {.Q = Q, .R = R, .rest = 1};
  fb_tvlqr *gains;
  int failed;
  if (fb_tvlqr_new(&gains, rest, &s, &weights, &failed, &msg)) return puts(msg.text), 1;
  for (int i = 0; i < s.nu; i++)
    printf("%s: u = %.2f - %.1f (q - 0.5) - ...\n", robot.mechanism.model->input_name[i],
           gains->u[i], gains->K[i * gains->nx + robot.mechanism.model->input_coord[i]]);

  fb_tvlqr_free(gains);
  dm_trajectory_free(rest);
  pb_robot_free(&robot);
}
