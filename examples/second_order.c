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
#include <stdlib.h>

// the objective of a program from the point x, which becomes its optimum
static double minimize(const oc_nlp *nlp, double *x) {
  double *dual = calloc((size_t)(nlp->m + 2 * nlp->n), sizeof *dual);
  oc_point point = {x, dual, dual + nlp->m, dual + nlp->m + nlp->n};
  oc_ipopt_settings set = oc_ipopt_default();
  oc_ipopt_info info;
  dm_status status = oc_ipopt_solve(nlp, &set, &point, NULL, 0, &info);
  free(dual);
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
  double down = 0, up = acos(-1), rest = 0, one = 1, x[400];
  oc_task task = {.system = dm_system_of(m),
                  .T = 2,
                  .w_u = &one,
                  .q_start = &down,
                  .v_start = &rest,
                  .q_goal = &up,
                  .v_goal = &rest,
                  .q_min = m->q_min,
                  .q_max = m->q_max,
                  .v_max = m->v_max,
                  .u_min = m->u_min,
                  .u_max = m->u_max};
  oc_torque_transcription_settings set = {.m = m};
  if (dm_second_order_rule_set(&set.rule, "hermite-gauss", 2, NULL)) return 1;

  for (task.N = 10; task.N <= 80; task.N *= 2) {
    oc_transcription *first;
    oc_torque_transcription *second;
    dm_trajectory *line;
    if (oc_transcription_new(&first, &task, NULL) ||
        dm_trajectory_of(&line, task.N, &task.system) ||
        oc_torque_transcription_new(&second, &task, &set, NULL))
      return 1;
    oc_guess_line(&task, line);
    oc_transcription_pack(first, line, x);
    printf("%d steps: %.3f and ", task.N, minimize(oc_transcription_nlp(first), x));
    oc_torque_transcription_cubic(second, x);
    printf("%.5f (N m)^2 s\n", minimize(oc_torque_transcription_nlp(second), x));
    oc_transcription_free(first);
    oc_torque_transcription_free(second);
    dm_trajectory_free(line);
  }
  dm_model_free(m);
}
