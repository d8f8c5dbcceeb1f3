// The boundary value problem of discrete Lagrangians: splines, the two-link arm from hanging to
// upright, a buckling beam whose Hessian is known, free ends, and what is said where it fails.
#include "tests/support/newton.h"

// -- splines

// the polynomial of degree 2k-1 through the ends, by one step from anywhere
static void splines_take_one_iteration(void **state) {
  (void)state;
  enum { N = 12, n = 2, MOST = 6 };
  static const double p[n][MOST] = {{0.3, -0.2, 0.5, 0.7, -0.4, 0.6}, {-1, 2, 0.3, -0.5, 0.2, 0.1}};
  for (int k = 2; k <= 3; k++)
    for (int rule = 4; rule < 6; rule++) {
      dm_second_order_lagrangian C = dm_second_order_spline(n, k);
      dm_second_order *w = second_of(&C, names[rule]);
      double h = 0.1, exact[(N + 1) * MOST], X[(N + 1) * MOST];
      uint64_t seed = 3;
      int size = k * n;
      for (int j = 0; j <= N; j++)
        for (int i = 0; i < size; i++) {
          exact[j * size + i] = polynomial(2 * k - 1, p[i % n], i / n, h * j);
          X[j * size + i] = models_random(&seed);
        }
      assert_int_equal(solve_once(w, N, h, exact, exact + N * size, X), DM_OK);
      assert_int_equal(info.iterations, 1);
      assert_int_equal(info.shifted, 0);
      for (int i = 0; i < (N + 1) * size; i++) assert_close(X[i], exact[i], 1e-10);
      dm_second_order_free(w);
    }
  // by the paper's rule the same q, with velocities off by h^2/6 of the third derivative
  dm_second_order_lagrangian C = dm_second_order_spline(1, 2);
  dm_second_order *w = second_of(&C, "taylor");
  double h = 0.1, X[(N + 1) * 2] = {0}, end[2][2];
  for (int e = 0; e < 2; e++) {
    end[e][0] = polynomial(3, p[0], 0, h * N * e);
    end[e][1] = polynomial(3, p[0], 1, h * N * e) + h * h * p[0][3];
  }
  assert_int_equal(solve_once(w, N, h, end[0], end[1], X), DM_OK);
  assert_int_equal(info.iterations, 1);
  for (int j = 0; j <= N; j++) {
    assert_close(X[2 * j], polynomial(3, p[0], 0, h * j), 1e-12);
    assert_close(X[2 * j + 1], polynomial(3, p[0], 1, h * j) + h * h * p[0][3], 1e-12);
  }
  dm_second_order_free(w);
}

// what is free at an end has no momentum there
static void free_ends_are_natural(void **state) {
  (void)state;
  enum { N = 10 };
  double X[(N + 1) * 2] = {0}, h = 1. / N;
  dm_second_order_lagrangian C = dm_second_order_spline(1, 2);
  dm_second_order *w = second_of(&C, "hermite-gauss");
  // from rest to 1 at any velocity: (3 t^2 - t^3)/2, at a cost of 3/2; and the same backwards
  for (int back = 0; back < 2; back++) {
    double rest[] = {back, 0}, any[] = {!back, NAN};
    memset(X, 0, sizeof X);
    assert_int_equal(solve_once(w, N, h, back ? any : rest, back ? rest : any, X), DM_OK);
    assert_int_equal(info.iterations, 1);
    assert_close(info.action, 1.5, 1e-12);
    for (int k = 0; k <= N; k++) {
      double t = back ? 1 - k * h : k * h, q = (3 * t * t - t * t * t) / 2;
      assert_close(X[2 * k], back ? 1 - q : q, 1e-12);
    }
    const double *end = back ? X : X + 2 * (N - 1);
    assert_int_equal(dm_second_order_eval(w, 1, end, end + 2, h), DM_OK);
    assert_close(back ? w->D0[1] : w->D1[1], 0, 1e-11);
  }
  // between two places at any velocities: straight, at no cost; in one step as well
  for (int steps = 1; steps <= N; steps += N - 1) {
    assert_int_equal(solve_once(w, steps, 1. / steps, (double[]){1, NAN}, (double[]){3, NAN}, X),
                     DM_OK);
    assert_close(info.action, 0, 1e-20);
    for (int k = 0; k <= steps; k++) assert_close(X[2 * k + 1], 2, 1e-12);
  }
  // a goal that is not given at all: stay as you go
  memset(X, 0, sizeof X);
  assert_int_equal(solve_once(w, N, h, (double[]){1, 2}, NULL, X), DM_OK);
  assert_close(X[2 * N], 3, 1e-12);
  // from one velocity to another anywhere: a minimum, though H is singular along the places
  for (int k = 0; k <= N; k++) X[2 * k] = 5 * sin(k), X[2 * k + 1] = cos(3 * k);
  assert_int_equal(solve_once(w, N, h, (double[]){NAN, 1}, (double[]){NAN, 2}, X), DM_OK);
  assert_close(info.action, 0.5, 1e-12);
  for (int k = 0; k <= N; k++) assert_close(X[2 * k + 1], 1 + h * k, 1e-9);
  dm_second_order_free(w);
}

// -- the two-link arm from hanging to upright in a second

static void the_arm_swings_up_at_the_recorded_cost(void **state) {
  (void)state;
  static const struct {
    int N;
    double J;
  } recorded[] = {{20, 77.30431}, {40, 79.57581}};
  arm a = arm_new();
  dm_second_order *w = second_of(&a.C, "taylor");
  for (int r = 0; r < COUNT(recorded); r++) {
    swing(w, recorded[r].N, 1.5);
    assert_close(info.action, recorded[r].J, 6e-6);
    for (int k = 0; k <= recorded[r].N; k++)
      assert_true(motion[SIZE * k + 1] > -1e-9 && motion[SIZE * k + 1] < 170 * ARM_PI / 180);
    // the bow is no place to be convex: that is told, and the end is a minimum
    assert_true(rows[0].negative > 0 && rows[0].shift > 0 && info.max_shift >= rows[0].shift);
    int shifted = 0;
    for (int k = 0; k < info.rows; k++) {
      assert_int_equal(rows[k].negative > 0, rows[k].shift > 0);
      assert_true(rows[k].decrement > 0);
      // J falls on every grid
      bool first = k == 0 || rows[k - 1].steps != rows[k].steps;
      assert_true(first || rows[k].action <= rows[k - 1].action * (1 + 1e-12));
      shifted += rows[k].shift > 0;
    }
    assert_int_equal(info.shifted, shifted);
    assert_int_equal(info.negative, 0);
  }
  // each knot stepped once by the flow lands on the next, with its momenta
  double h = 1. / 40;
  for (int k = 0; k < 40; k++) {
    double Y[SIZE], P[SIZE], *X0 = motion + SIZE * k;
    dm_second_order_info step;
    assert_int_equal(dm_second_order_eval(w, 1, X0, X0 + SIZE, h), DM_OK);
    for (int i = 0; i < SIZE; i++) P[i] = -w->D0[i];
    memcpy(Y, X0, sizeof Y);
    for (int i = 0; i < 2; i++) Y[i] += h * Y[2 + i];
    assert_int_equal(dm_second_order_step(w, X0, P, h, Y, P, &step), DM_OK);
    assert_true(step.iterations <= 8);
    for (int i = 0; i < SIZE; i++) assert_close(Y[i], X0[SIZE + i], 1e-11);
    if (k + 1 == 40) break;
    assert_int_equal(dm_second_order_eval(w, 1, X0 + SIZE, X0 + 2 * SIZE, h), DM_OK);
    for (int i = 0; i < SIZE; i++) assert_close(P[i], -w->D0[i], 1e-8);
  }
  // bent to the other side there is another minimum, some 11 % dearer
  double J = info.action;
  swing(w, 40, -1.5);
  assert_close(info.action / J, 1.11, 0.01);
  for (int k = 0; k <= 40; k++) assert_true(motion[SIZE * k + 1] < 1e-9);
  dm_second_order_free(w), arm_free(&a);
}

// near a minimum each step's length is as the square of the one before: from one to the next the
// logarithms of their ratios double
static void convergence_is_quadratic(void **state) {
  (void)state;
  arm a = arm_new();
  dm_second_order *w = second_of(&a.C, "hermite-gauss");
  oc_newton *x = open_newton(w, 100, (double[]){0, 0, 0, 0}, (double[]){ARM_PI, 0, 0, 0});
  arm_bow(100, 1.5, motion);
  assert_int_equal(solve(x, 0.01, motion), DM_OK);
  // from near by, with the same workspace
  set.newton.coarse = 0;
  for (int k = 1; k < 100; k++) motion[SIZE * k] += 0.03 * sin(ARM_PI * k / 100);
  for (int k = 1; k < 100; k++) motion[SIZE * k + 2] += 0.03 * ARM_PI * cos(ARM_PI * k / 100);
  set.newton.decrement = 0;
  assert_int_equal(solve(x, 0.01, motion), DM_OK);
  double fall[2];
  for (int k = 0; k < 2; k++) {
    assert_true(rows[k].step == 1 && rows[k].shift == 0);
    fall[k] = log(rows[k + 1].length / rows[k].length);
  }
  assert_true(info.rows <= 5 && fall[0] < -3);
  assert_close(fall[1] / fall[0], 2, 0.1);
  oc_newton_free(x), dm_second_order_free(w), arm_free(&a);
}

// -- the pressed beam

// Straight it is stationary, with as many negative eigenvalues as it has modes below b; the shift,
// by the squares of a, v and q, lifts the lowest mode, whose are 500.56, 12.30 and 1, by b - 500.56
// and at most four times that. Off straight it falls into a minimum.
static void indefinite_starts_are_told_and_left(void **state) {
  (void)state;
  static const double mode[] = {500.564, 3803.537, 14617.63, 39943.8};
  enum { N = 40 };
  for (int negative = 0; negative < 4; negative++) {
    double b = negative ? mode[negative - 1] * 1.2 : 400, J = b / 4;
    dm_second_order *w = second_of(
        &(dm_second_order_lagrangian){.n = 1, .k = 2, .self = &b, .eval = beam}, "hermite-gauss");
    double rest[] = {0, 0}, q[(N + 1) * 2] = {0};
    dm_status s = solve_once(w, N, 1. / N, rest, rest, q);
    assert_int_equal(s, negative ? DM_SADDLE : DM_OK);
    assert_int_equal(info.negative, negative);
    assert_int_equal(info.iterations, 0);
    double lift = (mode[0] + 12.30 + 1) * info.max_shift;
    if (!negative) assert_true(info.max_shift == 0);
    if (negative) {
      assert_non_null(strstr(msg.text, "no minimum"));
      assert_true(lift > 0.98 * (b - mode[0]) && lift < 4 * 1.02 * (b - mode[0]));
    }
    for (int k = 1; k < N; k++) q[2 * k] = 1e-3 * sin(ARM_PI * k / N);
    assert_int_equal(solve_once(w, N, 1. / N, rest, rest, q), DM_OK);
    assert_int_equal(info.negative, 0);
    assert_true(negative ? info.action < J : fabs(info.action - J) < 1e-12 * J);
    dm_second_order_free(w);
  }
}

// -- what is said where it fails

// C = a^2/2 - q: no lowest value where an end is free
static dm_status slope(const dm_second_order_lagrangian *C, int order, const double *x,
                       double *value, double *C_x, double *C_xx) {
  (void)C;
  *value = x[2] * x[2] / 2 - x[0];
  C_x[0] = -1, C_x[1] = 0, C_x[2] = x[2];
  if (order < 2) return DM_OK;
  memset(C_xx, 0, 9 * sizeof *C_xx);
  C_xx[8] = 1;
  return DM_OK;
}

static void limits_and_walls_are_kept(void **state) {
  (void)state;
  arm a = arm_new();
  dm_second_order *w = second_of(&a.C, "taylor");
  oc_newton *x = open_newton(w, 20, (double[]){0, 0, 0, 0}, (double[]){ARM_PI, 0, 0, 0});
  arm_bow(20, 1.5, motion);
  set.max_iter = 2;
  assert_int_equal(solve(x, 0.05, motion), DM_MAX_ITER);
  assert_int_equal(info.iterations, 2);
  assert_int_equal(info.rows, 3);
  double J = info.action;
  set.max_iter = 100, hooks.watch = three;
  assert_int_equal(solve(x, 0.05, motion), DM_INTERRUPTED); // goes on from there
  assert_true(rows[0].action == J && info.rows == 4);
  oc_newton_free(x), dm_second_order_free(w), arm_free(&a);

  // thrown at the wall, beyond which nothing is: no step ends there
  enum { N = 10 };
  double q[(N + 1) * 2] = {0};
  w = second_of(&(dm_second_order_lagrangian){.n = 1, .k = 2, .self = NULL, .eval = wall},
                "hermite-gauss");
  double near[] = {0.45, 3}, back[] = {0.45, -3};
  for (int k = 0; k <= N; k++) q[2 * k] = -10;
  dm_status s = solve_once(w, N, 0.1, near, back, q);
  assert_int_equal(s, DM_OK);
  for (int k = 0; k <= N; k++) {
    assert_true(q[2 * k] < 0.5);
    assert_close(q[2 * k], q[2 * (N - k)], 1e-9);
  }
  int tried = 0;
  for (int k = 0; k < info.rows; k++) tried += rows[k].tried;
  assert_true(tried > info.iterations);
  // and none begins there
  q[N] = 0.6;
  assert_int_equal(solve_once(w, N, 0.1, near, back, q), DM_NOT_FINITE);
  assert_true(q[N] == 0.6);
  dm_second_order_free(w);

  w = second_of(&(dm_second_order_lagrangian){.n = 1, .k = 2, .self = NULL, .eval = slope},
                "hermite-gauss");
  memset(q, 0, sizeof q);
  // (0,0) given: t^2/4 - t^3/6 + t^4/24
  s = solve_once(w, N, 0.1, (double[]){0, 0}, (double[]){NAN, NAN}, q);
  assert_int_equal(s, DM_OK);
  assert_close(q[2 * N], 1. / 8, 1e-10);
  assert_close(info.action, -0.025, 1e-3);
  // nothing given: there is no end to it
  assert_int_not_equal(solve_once(w, N, 0.1, NULL, NULL, q), DM_OK);
  dm_second_order_free(w);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  enum { N = 4 };
  double q[(N + 1) * 2] = {0}, rest[] = {0, 0};
  dm_second_order_lagrangian C = dm_second_order_spline(1, 2);
  dm_second_order *w = second_of(&C, "taylor");
  oc_newton *x = NULL;
  static const struct {
    int N;
    double start, goal;
    const char *says;
  } bad[] = {{0, 0, 0, "at least 1 step, not 0"},
             {N, INFINITY, 0, "start: entry 0 is infinite"},
             {N, 0, -INFINITY, "goal: entry 0 is infinite"},
             {1, 0, 0, "found one step between two given knots"},
             {1000000000, 0, 0, "are too many"}};
  for (int r = 0; r < COUNT(bad); r++) {
    double start[] = {bad[r].start, 0}, goal[] = {bad[r].goal, 0};
    assert_int_equal(oc_newton_new(&x, w, bad[r].N, start, goal, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, bad[r].says)) fail_msg("'%s', not '%s'", msg.text, bad[r].says);
  }
  x = open_newton(w, N, rest, rest);
  assert_int_equal(solve(x, 0, q), DM_BAD_INPUT);
  assert_int_equal(solve(x, NAN, q), DM_BAD_INPUT);
  q[0] = q[2 * N] = NAN; // given: not read
  assert_int_equal(solve(x, 0.1, q), DM_OK);
  q[5] = NAN;
  assert_int_equal(solve(x, 0.1, q), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "knot 2, entry 1"));
  assert_int_equal(info.status, DM_BAD_INPUT);
  q[5] = 1e300; // finite, but not its square
  assert_int_equal(solve(x, 0.1, q), DM_NOT_FINITE);
  assert_true(q[5] == 1e300);
  oc_newton_free(x), dm_second_order_free(w);

  w = second_of(&C, "difference-midpoint");
  q[5] = 0;
  assert_int_equal(solve_once(w, N, 0.1, rest, rest, q), DM_SINGULAR);
  assert_non_null(strstr(msg.text, "is degenerate"));
  dm_second_order_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_take_one_iteration),
      cmocka_unit_test(free_ends_are_natural),
      cmocka_unit_test(the_arm_swings_up_at_the_recorded_cost),
      cmocka_unit_test(convergence_is_quadratic),
      cmocka_unit_test(indefinite_starts_are_told_and_left),
      cmocka_unit_test(limits_and_walls_are_kept),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
