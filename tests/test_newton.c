// The boundary value problem of discrete Lagrangians: splines, the two-link arm from hanging to
// upright, a buckling beam whose Hessian is known, free ends, and what is said where it fails.
#include "optim/newton.h"
#include "tests/arm.h"
#include "tests/second.h"

enum { ROWS = 400 };
static oc_newton_row rows[ROWS];
static oc_newton_settings set;
static oc_newton_info info;
static dm_message msg;

static oc_newton *open_newton(dm_second *w, int N, const double *start, const double *goal) {
  oc_newton *x = NULL;
  dm_status s = oc_newton_new(&x, w, N, start, goal, &msg);
  if (s == DM_UNAVAILABLE) skip();
  if (s != DM_OK) fail_msg("%s", msg.text);
  oc_newton_default(&set);
  return x;
}
static dm_status solve(oc_newton *x, double h, double *X) {
  return oc_newton_solve(x, &set, h, X, rows, ROWS, &info, &msg);
}
static dm_status solve_once(dm_second *w, int N, double h, const double *start, const double *goal,
                            double *X) {
  oc_newton *x = open_newton(w, N, start, goal);
  dm_status s = solve(x, h, X);
  oc_newton_free(x);
  return s;
}

// -- splines

// the d-th derivative at t of the polynomial with coefficients p [degree+1]
static double polynomial(int degree, const double *p, int d, double t) {
  double sum = 0;
  for (int i = degree; i >= d; i--) {
    double c = p[i];
    for (int j = 0; j < d; j++) c *= i - j;
    sum = sum * t + c;
  }
  return sum;
}

// the polynomial of degree 2k-1 through the ends, by one step from anywhere
static void splines_take_one_iteration(void **state) {
  (void)state;
  enum { N = 12, n = 2, MOST = 6 };
  static const double p[n][MOST] = {{0.3, -0.2, 0.5, 0.7, -0.4, 0.6}, {-1, 2, 0.3, -0.5, 0.2, 0.1}};
  for (int k = 2; k <= 3; k++)
    for (int rule = 4; rule < 6; rule++) {
      dm_second_lagrangian C = dm_second_spline(n, k);
      dm_second *w = second_of(&C, names[rule]);
      double h = 0.1, exact[(N + 1) * MOST], X[(N + 1) * MOST];
      unsigned long long seed = 3;
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
      dm_second_free(w);
    }
  // by the paper's rule the same q, with velocities off by h^2/6 of the third derivative
  dm_second_lagrangian C = dm_second_spline(1, 2);
  dm_second *w = second_of(&C, "taylor");
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
  dm_second_free(w);
}

// what is free at an end has no momentum there
static void free_ends_are_natural(void **state) {
  (void)state;
  enum { N = 10 };
  double X[(N + 1) * 2] = {0}, h = 1. / N;
  dm_second_lagrangian C = dm_second_spline(1, 2);
  dm_second *w = second_of(&C, "hermite-gauss");
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
    assert_int_equal(dm_second_eval(w, 1, end, end + 2, h), DM_OK);
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
  dm_second_free(w);
}

// -- the two-link arm from hanging to upright in a second

enum { STEPS = 320, SIZE = 4 };
static double X[(STEPS + 1) * SIZE];

static void swing(dm_second *w, int N, double bend) {
  double down[SIZE] = {0}, up[SIZE] = {ARM_PI};
  arm_bow(N, bend, X);
  dm_status s = solve_once(w, N, 1. / N, down, up, X);
  if (s != DM_OK) fail_msg("N = %d: %s: %s", N, dm_status_text(s), msg.text);
}

static void the_arm_swings_up_at_the_recorded_cost(void **state) {
  (void)state;
  static const struct {
    int N;
    double J;
  } recorded[] = {{20, 77.30431}, {40, 79.57581}};
  arm a = arm_new();
  dm_second *w = second_of(&a.C, "taylor");
  for (int r = 0; r < COUNT(recorded); r++) {
    swing(w, recorded[r].N, 1.5);
    assert_close(info.action, recorded[r].J, 6e-6);
    for (int k = 0; k <= recorded[r].N; k++)
      assert_true(X[SIZE * k + 1] > -1e-9 && X[SIZE * k + 1] < 170 * ARM_PI / 180);
    // the bow is no place to be convex: that is told, and the end is a minimum
    assert_true(rows[0].negative > 0 && rows[0].shift > 0 && info.most >= rows[0].shift);
    int shifted = 0;
    for (int k = 0; k < info.rows; k++) {
      assert_int_equal(rows[k].negative > 0, rows[k].shift > 0);
      assert_true(rows[k].decrement > 0);
      if (k > 0) assert_true(rows[k].action <= rows[k - 1].action * (1 + 1e-12));
      shifted += rows[k].shift > 0;
    }
    assert_int_equal(info.shifted, shifted);
    assert_int_equal(info.negative, 0);
  }
  // each knot stepped once by the flow lands on the next, with its momenta
  double h = 1. / 40;
  for (int k = 0; k < 40; k++) {
    double Y[SIZE], P[SIZE], *X0 = X + SIZE * k;
    dm_second_info step;
    assert_int_equal(dm_second_eval(w, 1, X0, X0 + SIZE, h), DM_OK);
    for (int i = 0; i < SIZE; i++) P[i] = -w->D0[i];
    memcpy(Y, X0, sizeof Y);
    for (int i = 0; i < 2; i++) Y[i] += h * Y[2 + i];
    assert_int_equal(dm_second_step(w, X0, P, h, Y, P, &step), DM_OK);
    assert_true(step.iterations <= 8);
    for (int i = 0; i < SIZE; i++) assert_close(Y[i], X0[SIZE + i], 1e-11);
    if (k + 1 == 40) break;
    assert_int_equal(dm_second_eval(w, 1, X0 + SIZE, X0 + 2 * SIZE, h), DM_OK);
    for (int i = 0; i < SIZE; i++) assert_close(P[i], -w->D0[i], 1e-8);
  }
  // bent to the other side there is another minimum, some 11 % dearer
  double J = info.action;
  swing(w, 40, -1.5);
  assert_close(info.action / J, 1.11, 0.01);
  for (int k = 0; k <= 40; k++) assert_true(X[SIZE * k + 1] < 1e-9);
  dm_second_free(w), arm_free(&a);
}

// A guess from a grid four times as coarse: knots on polynomials through its own are exact for
// splines, and the arm then takes whole steps alone, none of them on an indefinite Hessian.
static void finer_grids_start_from_coarser_ones(void **state) {
  (void)state;
  static const double p[] = {0.3, -0.2, 0.5, 0.7, -0.4, 0.6};
  for (int k = 1; k <= 3; k++) {
    double Y[3][3], h = 0.7;
    for (int j = 0; j < 2; j++)
      for (int d = 0; d < k; d++) Y[j][d] = polynomial(2 * k - 1, p, d, h * j);
    dm_second_between(1, k, Y[0], Y[1], h, 0.3, Y[2]);
    for (int d = 0; d < k; d++) assert_close(Y[2][d], polynomial(2 * k - 1, p, d, 0.3 * h), 1e-13);
  }
  enum { N = 40, TIMES = 4 };
  static double coarse[(N + 1) * SIZE];
  arm a = arm_new();
  dm_second *w = second_of(&a.C, "hermite-gauss");
  swing(w, N, 1.5);
  memcpy(coarse, X, sizeof coarse);
  for (int k = 0; k < N * TIMES; k++) {
    const double *X0 = coarse + SIZE * (k / TIMES);
    double t = (double)(k % TIMES) / TIMES;
    dm_second_between(2, 2, X0, X0 + SIZE, 1. / N, t, X + SIZE * k);
  }
  double down[SIZE] = {0}, up[SIZE] = {ARM_PI};
  assert_int_equal(solve_once(w, N * TIMES, 1. / N / TIMES, down, up, X), DM_OK);
  assert_int_equal(info.shifted, 0);
  assert_true(info.iterations <= 4);
  for (int k = 0; k < info.iterations; k++) assert_true(rows[k].step == 1);
  dm_second_free(w), arm_free(&a);
}

// halving h divides the errors of the cost and of the knot at half time by 2^order: shown by the
// differences between one h and the next
static void knots_converge_with_the_order(void **state) {
  (void)state;
  static const struct { int rule, order; } rule[] = {{0, 2}, {1, 2}, {4, 4}, {5, 4}};
  arm a = arm_new();
  for (int r = 0; r < COUNT(rule); r++) {
    dm_second *w = second_of(&a.C, names[rule[r].rule]);
    double mid[3][SIZE], J[3], change[2] = {0};
    for (int k = 0; k < 3; k++) {
      int N = 80 << k;
      swing(w, N, 1.5);
      memcpy(mid[k], X + SIZE * N / 2, sizeof mid[k]);
      J[k] = info.action;
      for (int i = 0; k > 0 && i < SIZE; i++)
        change[k - 1] = fmax(change[k - 1], fabs(mid[k][i] - mid[k - 1][i]));
    }
    double fall = ldexp(1, rule[r].order);
    assert_close((J[1] - J[0]) / (J[2] - J[1]) / fall, 1, 0.03);
    assert_close(change[0] / change[1] / fall, 1, 0.03);
    dm_second_free(w);
  }
  arm_free(&a);
}

// near a minimum each step's length is as the square of the one before: from one to the next the
// logarithms of their ratios double
static void convergence_is_quadratic(void **state) {
  (void)state;
  arm a = arm_new();
  dm_second *w = second_of(&a.C, "hermite-gauss");
  oc_newton *x = open_newton(w, 100, (double[]){0, 0, 0, 0}, (double[]){ARM_PI, 0, 0, 0});
  arm_bow(100, 1.5, X);
  assert_int_equal(solve(x, 0.01, X), DM_OK);
  // from near by, with the same workspace
  for (int k = 1; k < 100; k++) X[SIZE * k] += 0.03 * sin(ARM_PI * k / 100);
  for (int k = 1; k < 100; k++) X[SIZE * k + 2] += 0.03 * ARM_PI * cos(ARM_PI * k / 100);
  set.tol = 0;
  assert_int_equal(solve(x, 0.01, X), DM_OK);
  double fall[2];
  for (int k = 0; k < 2; k++) {
    assert_true(rows[k].step == 1 && rows[k].shift == 0);
    fall[k] = log(rows[k + 1].length / rows[k].length);
  }
  assert_true(info.rows <= 5 && fall[0] < -3);
  assert_close(fall[1] / fall[0], 2, 0.1);
  oc_newton_free(x), dm_second_free(w), arm_free(&a);
}

// -- a beam of length 1, clamped at both ends and pressed: C = a^2/2 + b (q^2-1)^2/4

static dm_status beam(const dm_second_lagrangian *C, int order, const double *x, double *value,
                      double *C_x, double *C_xx) {
  double b = *(const double *)C->self, q = x[0], a = x[2];
  *value = a * a / 2 + b / 4 * (q * q - 1) * (q * q - 1);
  C_x[0] = b * q * (q * q - 1), C_x[1] = 0, C_x[2] = a;
  if (order < 2) return DM_OK;
  memset(C_xx, 0, 9 * sizeof *C_xx);
  C_xx[0] = b * (3 * q * q - 1), C_xx[8] = 1;
  return DM_OK;
}

// Straight it is stationary, with as many negative eigenvalues as it has modes below b; the share
// of the diagonal, 24 N^4 of it for each q^2, lifts the lowest mode by b - 500.56 and at most four
// times that. Off straight it falls into a minimum.
static void indefinite_starts_are_told_and_left(void **state) {
  (void)state;
  static const double mode[] = {500.564, 3803.537, 14617.63, 39943.8};
  enum { N = 40 };
  for (int negative = 0; negative < 4; negative++) {
    double b = negative ? mode[negative - 1] * 1.2 : 400, J = b / 4;
    dm_second *w = second_of(&(dm_second_lagrangian){1, 2, &b, beam}, "hermite-gauss");
    double rest[] = {0, 0}, q[(N + 1) * 2] = {0};
    dm_status s = solve_once(w, N, 1. / N, rest, rest, q);
    assert_int_equal(s, negative ? DM_STALLED : DM_OK);
    assert_int_equal(info.negative, negative);
    assert_int_equal(info.iterations, 0);
    double lift = 24 * pow(N, 4) * info.most;
    if (!negative) assert_true(info.most == 0);
    if (negative) {
      assert_non_null(strstr(msg.text, "no minimum"));
      assert_true(lift > 0.98 * (b - mode[0]) && lift < 4 * 1.02 * (b - mode[0]));
    }
    for (int k = 1; k < N; k++) q[2 * k] = 1e-3 * sin(ARM_PI * k / N);
    assert_int_equal(solve_once(w, N, 1. / N, rest, rest, q), DM_OK);
    assert_int_equal(info.negative, 0);
    assert_true(negative ? info.action < J : fabs(info.action - J) < 1e-12 * J);
    dm_second_free(w);
  }
}

// -- what is said where it fails

static bool three(void *user, const oc_newton_row *row) {
  (void)user;
  return row->iteration < 3;
}

// C = a^2/2 beyond a wall at q = 0.5, where there is nothing
static dm_status wall(const dm_second_lagrangian *C, int order, const double *x, double *value,
                      double *C_x, double *C_xx) {
  (void)C;
  *value = x[2] * x[2] / 2 - log(0.5 - x[0]);
  C_x[0] = 1 / (0.5 - x[0]), C_x[1] = 0, C_x[2] = x[2];
  if (order < 2) return isfinite(*value) ? DM_OK : DM_NOT_FINITE;
  memset(C_xx, 0, 9 * sizeof *C_xx);
  C_xx[0] = C_x[0] * C_x[0], C_xx[8] = 1;
  return isfinite(*value) ? DM_OK : DM_NOT_FINITE;
}

// C = a^2/2 - q: no lowest value where an end is free
static dm_status slope(const dm_second_lagrangian *C, int order, const double *x, double *value,
                       double *C_x, double *C_xx) {
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
  dm_second *w = second_of(&a.C, "taylor");
  oc_newton *x = open_newton(w, 20, (double[]){0, 0, 0, 0}, (double[]){ARM_PI, 0, 0, 0});
  arm_bow(20, 1.5, X);
  set.max_iter = 2;
  assert_int_equal(solve(x, 0.05, X), DM_MAX_ITER);
  assert_int_equal(info.iterations, 2);
  assert_int_equal(info.rows, 3);
  double J = info.action;
  set.max_iter = 100, set.watch = three;
  assert_int_equal(solve(x, 0.05, X), DM_INTERRUPTED); // goes on from there
  assert_true(rows[0].action == J && info.rows == 4);
  oc_newton_free(x), dm_second_free(w), arm_free(&a);

  // thrown at the wall, beyond which nothing is: no step ends there
  enum { N = 10 };
  double q[(N + 1) * 2] = {0};
  w = second_of(&(dm_second_lagrangian){1, 2, NULL, wall}, "hermite-gauss");
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
  dm_second_free(w);

  w = second_of(&(dm_second_lagrangian){1, 2, NULL, slope}, "hermite-gauss");
  memset(q, 0, sizeof q);
  // (0,0) given: t^2/4 - t^3/6 + t^4/24
  s = solve_once(w, N, 0.1, (double[]){0, 0}, (double[]){NAN, NAN}, q);
  assert_int_equal(s, DM_OK);
  assert_close(q[2 * N], 1. / 8, 1e-10);
  assert_close(info.action, -0.025, 1e-3);
  // nothing given: there is no end to it
  assert_int_not_equal(solve_once(w, N, 0.1, NULL, NULL, q), DM_OK);
  dm_second_free(w);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  enum { N = 4 };
  double q[(N + 1) * 2] = {0}, rest[] = {0, 0};
  dm_second_lagrangian C = dm_second_spline(1, 2);
  dm_second *w = second_of(&C, "taylor");
  oc_newton *x = NULL;
  static const struct {
    int N;
    double start, goal;
    const char *says;
  } bad[] = {{0, 0, 0, "at least 1 step, not 0"},
             {N, INFINITY, 0, "start: entry 0 is infinite"},
             {N, 0, -INFINITY, "goal: entry 0 is infinite"},
             {1, 0, 0, "nothing is free"},
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
  oc_newton_free(x), dm_second_free(w);

  w = second_of(&C, "difference-midpoint");
  q[5] = 0;
  assert_int_equal(solve_once(w, N, 0.1, rest, rest, q), DM_SINGULAR);
  assert_non_null(strstr(msg.text, "is degenerate"));
  dm_second_free(w);
}

// -- seven joints, about z and y in turn, with links of 0.3 m, 0.3 kg and 0.5 kg m^2

static dm_model *seven(void) {
  enum { n = 7 };
  dm_coordinate c[n];
  dm_body b[n];
  static const char *const name[n] = {"a", "b", "c", "d", "e", "f", "g"};
  for (int i = 0; i < n; i++) {
    dm_pose offset = dm_identity;
    if (i > 0) offset.p.z = 0.3;
    c[i] = models_coord(name[i], false, 0, i % 2, 1 - i % 2);
    b[i] = (dm_body){name[i], i - 1, offset, i, 1, 0.3, {0, 0, 0.15}, {0.5, 0.5, 0.5}};
  }
  return models_make(&(dm_tree){n, n, 0, b, c, NULL, {0, 0, -9.81}});
}

// ten times as many steps take much the same iterations, and cost the same; of a hundred times as
// many the first iterations are taken
static void many_steps_are_as_good_as_few(void **state) {
  (void)state;
  enum { n = 7, N = 10000 };
  double W[n], start[2 * n] = {0}, goal[2 * n] = {0}, J[3];
  dm_model *m = seven();
  dm_effort *e;
  for (int i = 0; i < n; i++) W[i] = 1, goal[i] = i % 2 ? 0.5 : -0.3;
  assert_int_equal(dm_effort_new(&e, m, NULL, NULL, W), DM_OK);
  dm_second_lagrangian C = dm_effort_lagrangian(e);
  dm_second *w = second_of(&C, "hermite-gauss");
  double *Y = calloc((size_t)(N + 1) * 2 * n, sizeof *Y);
  int iterations[3];
  for (int r = 0, steps = 100; r < 3; r++, steps *= 10) {
    for (int k = 0; k <= steps; k++) {
      double t = (double)k / steps;
      for (int i = 0; i < n; i++) {
        Y[2 * n * k + i] = goal[i] * t * t * (3 - 2 * t);
        Y[2 * n * k + n + i] = goal[i] * 6 * t * (1 - t);
      }
    }
    oc_newton *x = open_newton(w, steps, start, goal);
    if (r == 2) set.max_iter = 2;
    assert_int_equal(solve(x, 1. / steps, Y), r == 2 ? DM_MAX_ITER : DM_OK);
    J[r] = info.action, iterations[r] = info.iterations;
    oc_newton_free(x);
  }
  assert_close(J[0], J[1], 1e-8 * J[1]);
  assert_true(iterations[1] <= iterations[0] + 4);
  assert_true(rows[1].action < rows[0].action && rows[2].action < rows[1].action);
  assert_true(rows[2].action > J[1]);
  free(Y), dm_second_free(w), dm_effort_free(e), dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_take_one_iteration),
      cmocka_unit_test(free_ends_are_natural),
      cmocka_unit_test(the_arm_swings_up_at_the_recorded_cost),
      cmocka_unit_test(finer_grids_start_from_coarser_ones),
      cmocka_unit_test(knots_converge_with_the_order),
      cmocka_unit_test(convergence_is_quadratic),
      cmocka_unit_test(indefinite_starts_are_told_and_left),
      cmocka_unit_test(limits_and_walls_are_kept),
      cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(many_steps_are_as_good_as_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
