// Boundary value problems on finer and finer grids: each from the one before, all with their order,
// and as well conditioned as coarse ones.
#include "tests/support/newton.h"

// Knots on polynomials through a coarse grid's own are exact for splines; what a coarse grid leaves
// of the arm's swing is then a guess from which whole steps alone are taken, none of them on an
// indefinite Hessian, and the end is that of the given grid by itself.
static void finer_grids_start_from_coarser_ones(void **state) {
  (void)state;
  static const double p[] = {0.3, -0.2, 0.5, 0.7, -0.4, 0.6};
  for (int k = 1; k <= 3; k++) {
    double Y[3][3], h = 0.7;
    for (int j = 0; j < 2; j++)
      for (int d = 0; d < k; d++) Y[j][d] = polynomial(2 * k - 1, p, d, h * j);
    dm_second_order_between(1, k, Y[0], Y[1], h, 0.3, Y[2]);
    for (int d = 0; d < k; d++) assert_close(Y[2][d], polynomial(2 * k - 1, p, d, 0.3 * h), 1e-13);
    for (int j = 0; j < 2; j++) {
      dm_second_order_between(1, k, Y[0], Y[1], h, j, Y[2]);
      for (int d = 0; d < k; d++) assert_true(Y[2][d] == Y[j][d]);
    }
  }
  static const struct { int N, grid[3]; } row[] = {{320, {20, 80, 320}}, {117, {29, 117}}};
  arm a = arm_new();
  dm_second_order *w = second_of(&a.C, "hermite-gauss");
  for (int r = 0; r < COUNT(row); r++) {
    int N = row[r].N, grid = 0, finest = 0;
    swing(w, N, 1.5);
    double J = info.action;
    for (int k = 0; k < info.rows; k++) {
      grid += rows[k].steps != row[r].grid[grid];
      assert_int_equal(rows[k].steps, row[r].grid[grid]);
      if (rows[k].steps < N) continue;
      assert_true(rows[k].shift == 0 && rows[k].negative == 0);
      assert_true(k == info.rows - 1 || rows[k].step == 1);
      finest++;
    }
    assert_true(grid > 0 && finest > 1 && finest <= 5);
    // by itself
    oc_newton *x = open_newton(w, N, (double[]){0, 0, 0, 0}, (double[]){ARM_PI, 0, 0, 0});
    set.newton.coarse = 0;
    arm_bow(N, 1.5, motion);
    assert_int_equal(solve(x, 1. / N, motion), DM_OK);
    for (int k = 0; k < info.rows; k++) assert_int_equal(rows[k].steps, N);
    assert_close(info.action, J, 1e-11 * J);
    assert_true(info.iterations > finest);
    oc_newton_free(x);
  }
  dm_second_order_free(w), arm_free(&a);
}

// halving h divides the errors of the cost and of the knot at half time by 2^order: shown by the
// differences between one h and the next
static void knots_converge_with_the_order(void **state) {
  (void)state;
  static const struct { int rule, order; } rule[] = {{0, 2}, {1, 2}, {4, 4}, {5, 4}};
  arm a = arm_new();
  for (int r = 0; r < COUNT(rule); r++) {
    dm_second_order *w = second_of(&a.C, names[rule[r].rule]);
    double mid[3][SIZE], J[3], change[2] = {0};
    for (int k = 0; k < 3; k++) {
      int N = 80 << k;
      swing(w, N, 1.5);
      memcpy(mid[k], motion + SIZE * N / 2, sizeof mid[k]);
      J[k] = info.action;
      for (int i = 0; k > 0 && i < SIZE; i++)
        change[k - 1] = fmax(change[k - 1], fabs(mid[k][i] - mid[k - 1][i]));
    }
    double fall = ldexp(1, rule[r].order);
    assert_close((J[1] - J[0]) / (J[2] - J[1]) / fall, 1, 0.03);
    assert_close(change[0] / change[1] / fall, 1, 0.03);
    dm_second_order_free(w);
  }
  arm_free(&a);
}

// However fine the grid: a hundred thousandth beside a mode it still is counted as it should be,
// which is some 2e-20 of what H's diagonal holds.
static void modes_are_told_apart_on_fine_grids(void **state) {
  (void)state;
  static const double mode[] = {500.563901740, 3803.53708, 14617.6301};
  enum { N = 10000 };
  double rest[] = {0, 0}, *q = calloc((N + 1) * 2, sizeof *q);
  for (int k = 0; k < COUNT(mode); k++)
    for (int above = 0; above < 2; above++) {
      double b = mode[k] * (above ? 1 + 1e-5 : 1 - 1e-5);
      dm_second_order *w = second_of(
          &(dm_second_order_lagrangian){.n = 1, .k = 2, .self = &b, .eval = beam}, "hermite-gauss");
      oc_newton *x = open_newton(w, N, rest, rest);
      set.newton.coarse = 0;
      memset(q, 0, (N + 1) * 2 * sizeof *q);
      assert_int_equal(solve(x, 1. / N, q), k + above ? DM_SADDLE : DM_OK);
      assert_int_equal(info.negative, k + above);
      oc_newton_free(x), dm_second_order_free(w);
    }
  free(q);
}

// Forty times as many steps take no more iterations. There, too, what an iteration leaves is as the
// square of what was wrong: halved, it leaves a quarter, and after another one a sixteenth.
static void many_steps_are_as_good_as_few(void **state) {
  (void)state;
  enum { n = ARM_SEVEN, N = 4000 };
  double start[2 * n] = {0}, goal[2 * n], J[2], left[2][3];
  arm a = arm_seven();
  dm_second_order *w = second_of(&a.C, "hermite-gauss");
  size_t all = (size_t)(N + 1) * 2 * n;
  double *Y = calloc(2 * all, sizeof *Y), *Z = Y + all;
  int iterations[2];
  for (int r = 0, steps = N / 40; r < 2; r++, steps = N) {
    arm_reach(steps, goal, Y);
    assert_int_equal(solve_once(w, steps, 1. / steps, start, goal, Y), DM_OK);
    J[r] = info.action, iterations[r] = info.iterations;
  }
  assert_close(J[0], J[1], 1e-8 * J[1]);
  assert_true(iterations[1] <= iterations[0] + 4);
  oc_newton *x = open_newton(w, N, start, goal);
  set.newton.coarse = 0, set.max_iter = 3, set.newton.decrement = 0;
  for (int r = 0; r < 2; r++) {
    double size = 0.005 / (1 + r);
    memcpy(Z, Y, all * sizeof *Y);
    for (int k = 1; k < N; k++)
      for (int i = 0; i < n; i++) {
        Z[2 * n * k + i] += size * sin(ARM_PI * k / N);
        Z[2 * n * k + n + i] += size * ARM_PI * cos(ARM_PI * k / N);
      }
    solve(x, 1. / N, Z);
    for (int k = 0; k < 3; k++) {
      assert_true(rows[k].step == 1 && rows[k].shift == 0);
      left[r][k] = rows[k].length;
    }
  }
  assert_close(left[0][0] / left[1][0], 2, 0.1);
  assert_close(left[0][1] / left[1][1], 4, 0.1);
  assert_close(left[0][2] / left[1][2], 16, 0.5);
  oc_newton_free(x), free(Y), dm_second_order_free(w), arm_free(&a);
}

// From a guess that stays where it is and jumps in the last step, the same motion.
static void jumps_are_smoothed_on_coarse_grids(void **state) {
  (void)state;
  enum { n = ARM_SEVEN, N = 160 };
  double start[2 * n] = {0}, goal[2 * n], J[2];
  static double Y[(N + 1) * 2 * n];
  arm a = arm_seven();
  dm_second_order *w = second_of(&a.C, "hermite-gauss");
  for (int jump = 0; jump < 2; jump++) {
    arm_reach(N, goal, Y);
    if (jump) memset(Y, 0, sizeof Y);
    assert_int_equal(solve_once(w, N, 1. / N, start, goal, Y), DM_OK);
    J[jump] = info.action;
    assert_true(rows[0].steps == 40 && rows[info.rows - 1].steps == N);
  }
  assert_close(J[1], J[0], 1e-10 * J[0]);
  dm_second_order_free(w), arm_free(&a);
}

// Jerk splines of 40 s on 10,000 steps: rounding of the knots costs more than the search asks for,
// and ends it. From rest to q = 1 at any rates: at a cost of 10/T^5.
static void rounding_of_knots_ends_the_search(void **state) {
  (void)state;
  enum { N = 10000 };
  double T = 40, rest[3] = {0}, goal[] = {1, NAN, NAN}, *q = calloc((N + 1) * 3, sizeof *q);
  dm_second_order_lagrangian C = dm_second_order_spline(1, 3);
  dm_second_order *w = second_of(&C, "hermite-gauss");
  assert_int_equal(solve_once(w, N, T / N, rest, goal, q), DM_OK);
  assert_close(info.action * pow(T, 5), 10, 1e-6);
  assert_true(info.iterations < 20 && info.negative == 0);
  assert_true(info.decrement > 1e-12 * info.action);
  free(q), dm_second_order_free(w);
}

// Stopped on a coarse grid there is a motion on the given one, better than the guess; where a
// coarse grid runs into a wall, the guess serves the given one.
static void coarse_grids_are_no_risk(void **state) {
  (void)state;
  enum { N = 80 };
  double down[SIZE] = {0}, up[SIZE] = {ARM_PI};
  arm a = arm_new();
  dm_second_order *w = second_of(&a.C, "hermite-gauss");
  oc_newton *x = open_newton(w, N, down, up);
  arm_bow(N, 1.5, motion);
  hooks.watch = three;
  assert_int_equal(solve(x, 1. / N, motion), DM_INTERRUPTED);
  assert_int_equal(rows[info.rows - 1].steps, 20);
  double before = rows[0].action;
  assert_true(memcmp(motion, down, sizeof down) == 0);
  assert_true(memcmp(motion + N * SIZE, up, sizeof up) == 0);
  set.newton.coarse = 0;
  assert_int_equal(solve(x, 1. / N, motion), DM_INTERRUPTED);
  assert_true(rows[0].action < 0.9 * before);
  oc_newton_free(x), dm_second_order_free(w), arm_free(&a);

  // speeds that carry over the wall in a coarse step, but not in a fine one
  double q[(N + 1) * 2], near[] = {0.45, 3}, back[] = {0.45, -3};
  for (int k = 0; k <= N; k++) q[2 * k] = 0.45, q[2 * k + 1] = 20;
  w = second_of(&(dm_second_order_lagrangian){.n = 1, .k = 2, .self = NULL, .eval = wall},
                "hermite-gauss");
  assert_int_equal(solve_once(w, N, 1. / N, near, back, q), DM_OK);
  for (int k = 0; k < info.rows; k++) assert_int_equal(rows[k].steps, N);
  for (int k = 0; k <= N; k++) assert_close(q[2 * k], q[2 * (N - k)], 1e-9);
  dm_second_order_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finer_grids_start_from_coarser_ones),
      cmocka_unit_test(knots_converge_with_the_order),
      cmocka_unit_test(modes_are_told_apart_on_fine_grids),
      cmocka_unit_test(many_steps_are_as_good_as_few),
      cmocka_unit_test(jumps_are_smoothed_on_coarse_grids),
      cmocka_unit_test(rounding_of_knots_ends_the_search),
      cmocka_unit_test(coarse_grids_are_no_risk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
