// M and f of a robot file at states, for comparison with another program's:
//   equations_of FILE <STATES
// STATES has lines of nq + nv numbers, MuJoCo's qpos and qvel. First "nq nv" is printed, then for each state a
// line of nv x nv numbers M and nv numbers f (M a + f = 0).
#include "problems/readers/task/problem.h"
#include "tests/support/equations.h"

#include <stdio.h>

static bool read_numbers(int n, double *x) {
  for (int i = 0; i < n; i++)
    if (scanf("%lf", &x[i]) != 1) return false;
  return true;
}

int main(int argc, char **argv) {
  pb_robot robot;
  dm_message msg = {""};
  struct pb_warnings warnings = {0};
  if (argc != 2) return 64;
  if (pb_model_draft(&robot, argv[1], false, &warnings, &msg, &msg) != DM_OK || msg.text[0]) {
    printf("refused %s\n", msg.text);
    return 2;
  }
  equations e = equations_open(&robot);
  const int n = e.n, nq = robot.mechanism.model->nq;
  double *x = calloc((size_t)(nq + n * n + 2 * n), sizeof *x), *M = x + nq + n, *f = M + n * n;
  printf("%d %d\n", nq, n);
  while (read_numbers(nq + n, x)) {
    if (equations_at(&e, x, x + nq, M, f) != DM_OK) printf("undefined");
    for (int i = 0; i < n * n + n; i++) printf("%.17g ", M[i]);
    printf("\n");
  }
  free(x);
  equations_close(&e);
  pb_robot_free(&robot);
  pb_warnings_free(&warnings);
  return 0;
}
