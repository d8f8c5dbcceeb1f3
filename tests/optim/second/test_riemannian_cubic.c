// Riemannian cubics on S^3 [noakes-heinzinger-paden-1989] by tasks of second order, against shooting.
#include "lib/base/dense.h"
#include "optim/grid_error.h"
#include "optim/solution.h"
#include "tests/support/cart_pole.h"

#include <math.h>
#include <string.h>

// A body with moments of inertia 1 and no forces: its torques are the derivatives A of its angular velocity
// W, and least squares of them are Riemannian cubics on the unit quaternions S^3, with A'' = A' x W. The
// cubic from rest to given q and W is found by shooting.
enum { ALL = 13 }; // q [4], W, A, A' [3 each]

static const double cubic_end[] = {0.4, 0.9, -0.5}, cubic_W[] = {0, 1.5, 0.3};

static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k] - a[k] * b[j];
  }
}

// the derivative of y by t
static void move_cubic(const double *y, double *y_t) {
  const double *W = y + 4;
  double turned[3];
  cross(y + 1, W, turned);
  y_t[0] = -(y[1] * W[0] + y[2] * W[1] + y[3] * W[2]) / 2;
  for (int i = 0; i < 3; i++) y_t[1 + i] = (y[0] * W[i] + turned[i]) / 2;
  memcpy(y_t + 4, y + 7, 6 * sizeof *y);
  cross(y + 10, W, y_t + 10);
}

// the end of the cubic from rest with A(0), A'(0) in s, by 400 steps of Runge and Kutta's method; returns
// the integral of |A|^2/2 by Simpson's rule
static double shoot_cubic(const double *s, double *y) {
  static const double part[] = {0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  const int N = 400;
  const double h = 1. / N;
  double cost = 0;
  memset(y, 0, ALL * sizeof *y);
  y[0] = 1;
  memcpy(y + 7, s, 6 * sizeof *s);
  for (int k = 0; k <= N; k++) {
    const double share = k == 0 || k == N ? 1 : 2 + 2 * (k % 2);
    cost += h / 6 * share * (y[7] * y[7] + y[8] * y[8] + y[9] * y[9]);
    double slope[4][ALL], at[ALL];
    for (int r = 0; r < 4; r++) {
      for (int i = 0; i < ALL; i++) at[i] = y[i] + (r ? h * part[r - 1] * slope[r - 1][i] : 0);
      move_cubic(at, slope[r]);
    }
    for (int r = 0; k < N && r < 4; r++)
      for (int i = 0; i < ALL; i++) y[i] += h / 6 * weight[r] * slope[r][i];
  }
  return cost;
}

// the misses of q (vector part of its quotient by the end) and of W
static void miss_cubic(const double *s, double *miss) {
  double y[ALL], end[3], turned[3];
  const double *e = cubic_end, size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  shoot_cubic(s, y);
  for (int i = 0; i < 3; i++) end[i] = sin(size / 2) / size * e[i];
  cross(end, y + 1, turned);
  for (int i = 0; i < 3; i++) {
    miss[i] = cos(size / 2) * y[1 + i] - y[0] * end[i] - turned[i];
    miss[3 + i] = y[4 + i] - cubic_W[i];
  }
}

// Newton's method with differences
static double find_cubic(void) {
  double s[6] = {0}, miss[6], J[36], y[ALL];
  int piv[6];
  for (int iteration = 0; iteration < 20; iteration++) {
    for (int j = 0; j < 6; j++) {
      const double d = 1e-5, at = s[j];
      double up[6];
      s[j] = at - d, miss_cubic(s, miss);
      s[j] = at + d, miss_cubic(s, up);
      s[j] = at;
      for (int i = 0; i < 6; i++) J[i * 6 + j] = (up[i] - miss[i]) / (2 * d);
    }
    miss_cubic(s, miss);
    assert_int_equal(dm_lu_factor(6, J, piv), DM_OK);
    dm_lu_solve(6, J, piv, 1, miss);
    for (int j = 0; j < 6; j++) s[j] -= miss[j];
  }
  miss_cubic(s, miss);
  assert_true(dm_largest(6, miss) < 1e-12);
  return shoot_cubic(s, y);
}

// the cost has order 4, as in flat space, and the errors that three grids state are those of the cost; those of
// 40 steps are below the least error that they state
static void riemannian_cubics_are_those_of_shooting(void **state) {
  (void)state;
  const double exact = find_cubic();
  double error[3];
  for (int i = 0; i < 3; i++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "model: {gravity: [0, 0, 0], bodies: [{name: b, joints: [{name: b, type: ball}], mass: "
        "1, inertia: [1, 1, 1]}]}\ninputs: [{joint: b.rx}, {joint: b.ry}, {joint: b.rz}]\n"
        "transcription: second-order\nhorizon: {steps: %d, time: 1}\nstart: {q: 0, v: 0}\n"
        "goal: {q: {b: [0.4, 0.9, -0.5]}, v: {b: [0, 1.5, 0.3]}}\ncost: {input: 1}\n",
        10 << i);
    pb_problem *p = get_problem(text);
    oc_setup set = oc_setup_default();
    oc_solution *w = NULL;
    dm_message why = {""};
    set.second = &p->transcription.action;
    if (oc_solution_new(&w, &p->task, &set, &why) != DM_OK) fail_msg("%s", why.text);
    assert_int_equal(oc_solution_start(w, NULL), DM_OK);
    assert_int_equal(oc_solution_find(w, &why), DM_OK);
    assert_int_equal(w->info.status, DM_OK);
    error[i] = w->info.objective - exact;

    // the stated error
    oc_grid_error said;
    assert_int_equal(oc_grid_error_measure(&said, w, w->motion, 0), DM_OK);
    assert_int_equal(said.source, OC_ERROR_GRIDS);
    if (i < 2) assert_true(fabs(said.objective - exact) < 0.2 * fabs(error[i]));
    oc_solution_free(w);
    pb_problem_free(p);
  }
  for (int i = 0; i < 2; i++) {
    const double order = log2(fabs(error[i] / error[i + 1]));
    if (!(order > 3.5 && order < 4.5)) fail_msg("order %.2f", order);
  }
  assert_true(fabs(error[2]) < 1e-6 * exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(riemannian_cubics_are_those_of_shooting)};
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
