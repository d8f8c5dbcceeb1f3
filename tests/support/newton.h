// tests/support/newton.h: boundary value problems for Newton's method: the swing of the arm, and a
// compressed beam.
#ifndef TESTS_SUPPORT_NEWTON_H
#define TESTS_SUPPORT_NEWTON_H
#include "optim/second/newton_bvp.h"
#include "tests/support/arm.h"
#include "tests/support/second.h"

enum { ROWS = 400 };
static oc_newton_row rows[ROWS];
static oc_options set;
static oc_hooks hooks;
static oc_newton_info info;
static dm_message msg;

static inline oc_newton *open_newton(dm_second_order *w, int N, const double *start,
                                     const double *goal) {
  oc_newton *x = NULL;
  dm_status s = oc_newton_new(&x, w, N, start, goal, &msg);
  if (s != DM_OK) fail_msg("%s", msg.text);
  set = oc_options_default();
  hooks = (oc_hooks){.user = NULL};
  return x;
}
static inline dm_status solve(oc_newton *x, double h, double *X) {
  return oc_newton_solve(x, &set, &hooks, h, X, rows, ROWS, &info, &msg);
}
static inline dm_status solve_once(dm_second_order *w, int N, double h, const double *start,
                                   const double *goal, double *X) {
  oc_newton *x = open_newton(w, N, start, goal);
  dm_status s = solve(x, h, X);
  oc_newton_free(x);
  return s;
}

// the d-th derivative at t of the polynomial with coefficients p [degree+1]
static inline double polynomial(int degree, const double *p, int d, double t) {
  double sum = 0;
  for (int i = degree; i >= d; i--) {
    double c = p[i];
    for (int j = 0; j < d; j++) c *= i - j;
    sum = sum * t + c;
  }
  return sum;
}

// the two-link arm from hanging to upright in one second, N <= STEPS
enum { STEPS = 320, SIZE = 4 };
static double motion[(STEPS + 1) * SIZE];

static inline void swing(dm_second_order *w, int N, double bend) {
  double down[SIZE] = {0}, up[SIZE] = {ARM_PI};
  arm_bow(N, bend, motion);
  dm_status s = solve_once(w, N, 1. / N, down, up, motion);
  if (s != DM_OK) fail_msg("N = %d: %s: %s", N, dm_status_text(s), msg.text);
}

// a beam of length 1, clamped at both ends and compressed: C = a^2/2 + b (q^2-1)^2/4
static inline dm_status beam(const dm_second_order_lagrangian *C, int order, const double *x,
                             double *value, double *C_x, double *C_xx) {
  double b = *(const double *)C->self, q = x[0], a = x[2];
  *value = a * a / 2 + b / 4 * (q * q - 1) * (q * q - 1);
  C_x[0] = b * q * (q * q - 1);
  C_x[1] = 0;
  C_x[2] = a;
  if (order < 2) return DM_OK;
  memset(C_xx, 0, 9 * sizeof *C_xx);
  C_xx[0] = b * (3 * q * q - 1);
  C_xx[8] = 1;
  return DM_OK;
}

// C = a^2/2, not defined beyond a wall at q = 0.5
static inline dm_status wall(const dm_second_order_lagrangian *C, int order, const double *x,
                             double *value, double *C_x, double *C_xx) {
  (void)C;
  *value = x[2] * x[2] / 2 - log(0.5 - x[0]);
  C_x[0] = 1 / (0.5 - x[0]);
  C_x[1] = 0;
  C_x[2] = x[2];
  if (order < 2) return isfinite(*value) ? DM_OK : DM_NOT_FINITE;
  memset(C_xx, 0, 9 * sizeof *C_xx);
  C_xx[0] = C_x[0] * C_x[0];
  C_xx[8] = 1;
  return isfinite(*value) ? DM_OK : DM_NOT_FINITE;
}

// a callback that stops a solve
static inline bool three(void *user, const oc_iterate *it) {
  (void)user;
  return it->iteration < 3;
}
#endif
