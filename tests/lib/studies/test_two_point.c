// Constraints between knots, a study: what paper 000 found of them on a circle and on a line, each
// in (x, y) and in (theta, r), and the law by which what they do not see grows.
#include "lib/studies/two_point_start.h"
#include "tests/support/models.h"
#include "tests/support/spherical.h"

enum { MOST = 2001 };

// a point mass in the plane z = 0 by its place or by polar coordinates, held on one constraint
typedef struct study {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
  dm_two_point *w;
  double q[MOST][2], lambda[MOST]; // lambda[k] of the interval that ends at knot k
  int steps;                       // that could be taken
} study;

static void study_open_at(study *s, bool polar, bool line, double alpha) {
  dm_coordinate xy[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0)};
  dm_coordinate turn[] = {models_coord("theta", false, 0, 0, 1), models_coord("r", true, 1, 0, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 2, 1, {0}, {0}}};
  dm_tree tree = {.nbody = 1,
                  .ncoord = 2,
                  .body = b,
                  .coord = polar ? turn : xy,
                  .gravity = {0, line ? -9.8 : 0, 0}};
  dm_constraint g[] = {
      {.name = "circle", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {-1, -1}, .length = 1},
      {.name = "line",
       .kind = DM_PLANE,
       .body = {0, -1},
       .point = {{0}, {0, 1, 0}},
       .coord = {-1, -1},
       .axis = {sqrt(0.5), -sqrt(0.5), 0}}};
  *s = (study){.m = models_make(&tree)};
  assert_int_equal(dm_constraints_new(&s->c, s->m, 1, g + line, NULL), DM_OK);
  s->s = dm_system_of(s->m);
  s->s.hol = dm_constraints_holonomic(s->c);
  s->s.rule.at[0] = alpha;
  assert_int_equal(dm_two_point_new(&s->w, &s->s), DM_OK);
}

static void study_open(study *s, bool polar, bool line) {
  study_open_at(s, polar, line, 0.5);
}

static void study_close(study *s) {
  dm_two_point_free(s->w);
  dm_constraints_free(s->c);
  dm_model_free(s->m);
}

static void start(study *s, double a0, double b0, double a1, double b1) {
  s->q[0][0] = a0;
  s->q[0][1] = b0;
  s->q[1][0] = a1;
  s->q[1][1] = b1;
}

// from the first two knots, by one or two points, as far as it goes
static void roll(study *s, bool two, double first, double h, int N) {
  double p[2], p0[2];
  dm_del *del = s->w->del;
  dm_del_info info;
  assert_int_equal(dm_two_point_first(s->w, s->q[0], s->q[1], NULL, h, &first, p0, p), DM_OK);
  s->lambda[1] = first;
  for (s->steps = 1; s->steps < N; s->steps++) {
    double(*q)[2] = s->q + s->steps;
    for (int i = 0; i < 2; i++) q[1][i] = 2 * q[0][i] - q[-1][i];
    dm_status status = two ? dm_two_point_step(s->w, q[0], p, NULL, h, q[1], p, &info)
                           : dm_del_step(del, q[0], p, NULL, h, q[1], p, &info);
    if (status != DM_OK) return;
    s->lambda[s->steps + 1] = del->lambda[0];
    if (two) assert_close(del->k->h[0], 0, 1e-11 * (1 + hypot(q[1][0], q[1][1])));
  }
}

static double radius(const study *s, int k) {
  return hypot(s->q[k][0], s->q[k][1]);
}

static double chord(const study *s, int k) {
  return hypot(s->q[k][0] - s->q[k - 1][0], s->q[k][1] - s->q[k - 1][1]);
}

// the part of x that changes its sign from k to k + 1
static double alternates(double before, double here, double after) {
  return (here - (before + after) / 2) / 2;
}

static void one_point_stays_on_the_circle(void **state) {
  (void)state;
  study s;
  study_open(&s, false, false);
  start(&s, 1, 0, cos(0.1), sin(0.1));
  roll(&s, false, 0, 0.01, 65);
  assert_int_equal(s.steps, 65);
  for (int k = 2; k <= 65; k++) {
    assert_close(radius(&s, k), 1, 1e-14);
    assert_close(chord(&s, k), 0.01 * 9.9958, 1e-6);
    assert_close(chord(&s, k), 2 * sin(0.05), 1e-14);
    assert_close(s.lambda[k], (1 - cos(0.1)) / 0.01, 1e-11);
  }
  study_close(&s);
}

// knots on the circle, their midpoint inside
static void two_points_leave_the_circle(void **state) {
  (void)state;
  const double r[][2] = {{2, 1.0025},  {3, 1},      {4, 1.0025}, {10, 1.0029},
                         {11, 0.9995}, {20, 1.005}, {21, 0.9971}};
  study s;
  study_open(&s, false, false);
  start(&s, 1, 0, cos(0.1), sin(0.1));
  roll(&s, true, 0, 0.01, 65);
  for (int i = 0; i < COUNT(r); i++) assert_close(radius(&s, (int)r[i][0]), r[i][1], 5.1e-5);
  for (int k = 2; k <= s.steps; k++)
    assert_close(hypot(s.q[k][0] + s.q[k - 1][0], s.q[k][1] + s.q[k - 1][1]) / 2, 1, 1e-13);
  double most = 0;
  for (int k = 2; k <= s.steps; k++) most = fmax(most, chord(&s, k));
  assert_true(most > 2 * chord(&s, 1));
  study_close(&s);
}

// knots off the circle, their midpoint on it, with the multiplier that stays constant
static double improve(study *s, double d, double h) {
  double R = 1 / cos(d / 2);
  start(s, R, 0, R * cos(d), R * sin(d));
  return 2 / h * tan(d / 2) * tan(d / 2);
}

static double leaves(study *s, double first, int N) {
  double most = 0, R = improve(s, 0.1, 0.01);
  R = radius(s, 0);
  roll(s, true, first, 0.01, N);
  for (int k = 0; k <= s->steps; k++) most = fmax(most, fabs(radius(s, k) - R));
  return most;
}

static void the_first_multiplier_decides_how_soon(void **state) {
  (void)state;
  study s;
  study_open(&s, false, false);
  double steady = improve(&s, 0.1, 0.01);
  assert_close(steady, 0.5008345, 5e-8);
  assert_close(leaves(&s, 0, 65), 0.199, 5e-4);
  assert_close(leaves(&s, 0.5, 65), 6.4e-5, 5e-7);
  assert_close(leaves(&s, -0.5, 65), 1.3, 0.05);
  assert_close(leaves(&s, steady, 65), 0, 1e-11);
  assert_close(leaves(&s, steady + 1e-9, 65), 7.6e-11, 5e-12); // rounding grows as well
  assert_close(leaves(&s, steady + 1e-9, 100), 2.5e-9, 5e-11);
  assert_close(leaves(&s, steady + 1e-9, 150), 3.7e-7, 1e-8);
  study_close(&s);
}

// the growth a step of what alternates in the radius, over four radians after the first eight, when
// what falls as fast has gone
static double growth(double d) {
  study s;
  int a = (int)lround(8 / d), n = (int)lround(4 / d);
  double size[2];
  study_open(&s, false, false);
  roll(&s, true, improve(&s, d, 0.01) + 1e-6, 0.01, a + n + 1);
  for (int i = 0; i < 2; i++) {
    int k = a + i * n;
    size[i] = fabs(alternates(radius(&s, k - 1), radius(&s, k), radius(&s, k + 1)));
  }
  study_close(&s);
  return pow(size[1] / size[0], 1.0 / n);
}

// e^(omega t), whatever the step; what is left of the exponent is of second order, and known
static void growth_is_by_the_angle_turned(void **state) {
  (void)state;
  const double d[] = {0.1, 0.05, 0.025}, a_step[] = {1.1048, 1.0512};
  double off[3];
  for (int i = 0; i < 3; i++) off[i] = log(growth(d[i])) / d[i] - 1;
  for (int i = 0; i < 2; i++) {
    assert_close(exp((1 + off[i]) * d[i]), a_step[i], 6e-5);
    assert_close(off[i] / off[i + 1], 4, 0.3);
  }
  for (int i = 0; i < 3; i++)
    assert_close((1 + off[i]) * d[i], 2 * asinh(sqrt(cos(d[i])) * sin(d[i] / 2)), 1e-8);
}

// Where the normal does not turn in the coordinates there is no growth: the motion does not depend
// on the first multiplier, which alternates with what would be right less it.
static void polar_motion_on_the_circle_does_not_depend_on_the_first(void **state) {
  (void)state;
  const double first[] = {0, 0.25, 0.5};
  for (int i = 0; i < COUNT(first); i++) {
    study s;
    study_open(&s, true, false);
    start(&s, 0, 1, 0.1, 1);
    roll(&s, true, first[i], 0.01, 65);
    assert_int_equal(s.steps, 65);
    for (int k = 1; k <= 65; k++) {
      assert_close(s.q[k][0], 0.1 * k, 1e-13);
      assert_close(s.q[k][1], 1, 1e-14);
      assert_close(s.lambda[k], k % 2 ? first[i] : 1 - first[i], 1e-10);
    }
    roll(&s, false, 0, 0.01, 65);
    for (int k = 2; k <= 65; k++) assert_close(s.lambda[k], 0.5, 1e-10);
    study_close(&s);
  }
}

// along the line y = x + 1 with 5 m/s at first, under gravity
static void on_line(double t, double q[2]) {
  q[0] = 5 * t * sqrt(0.5) - 9.8 * t * t / 4;
  q[1] = q[0] + 1;
}
static void in_polar(double t, double q[2]) {
  double x[2];
  on_line(t, x);
  q[0] = atan2(x[1], x[0]);
  q[1] = hypot(x[0], x[1]);
}

// multipliers are those of x + 1 - y times the root of two: a plane's normal has length 1
static void both_are_exact_on_a_line(void **state) {
  (void)state;
  for (int two = 0; two < 2; two++) {
    study s;
    study_open(&s, false, true);
    on_line(0, s.q[0]);
    on_line(0.01, s.q[1]);
    roll(&s, two, 0, 0.01, 200);
    assert_int_equal(s.steps, 200);
    for (int k = 2; k <= 200; k++) {
      double x[2];
      on_line(0.01 * k, x);
      assert_close(s.q[k][0], x[0], 1e-11);
      assert_close(s.q[k][1], x[1], 1e-11);
      assert_close(s.lambda[k] / sqrt(2), two ? k % 2 ? 0 : 0.098 : 0.049, 1e-9);
    }
    study_close(&s);
  }
}

// the line's normal turns in polar coordinates
static void two_points_leave_the_line_in_polar_coordinates(void **state) {
  (void)state;
  study s;
  study_open(&s, true, true);
  in_polar(0, s.q[0]);
  in_polar(0.01, s.q[1]);
  roll(&s, false, 0, 0.01, 200);
  assert_int_equal(s.steps, 200);

  // one-point steps keep the line, and follow its motion
  double most = 0;
  for (int k = 0; k <= 200; k++) {
    double x[2], th = s.q[k][0], r = s.q[k][1];
    on_line(0.01 * k, x);
    assert_close(r * cos(th) + 1 - r * sin(th), 0, 1e-12);
    most = fmax(most, fabs(r * cos(th) - x[0]));
  }
  assert_close(most, 2.8e-3, 5e-5);

  // two-point steps: multipliers grow, as tabulated, and knots leave the line
  const double lambda[] = {0, 0.0134, 0.2591, -0.3365, 0.6102, -0.6893};
  roll(&s, true, 0, 0.01, 200);
  for (int k = 1; k < COUNT(lambda); k++)
    assert_close(s.lambda[k + 1] / sqrt(2), lambda[k], 5.1e-5);
  double th = s.q[150][0], r = s.q[150][1];
  assert_true(fabs(r * cos(th) + 1 - r * sin(th)) > 0.01);
  study_close(&s);
}

// n = Dg and M^-1 along that motion, and w = M^-1 d/dt (n nu)
static void normal(double t, double n[2], double W[2]) {
  double q[2];
  in_polar(t, q);
  n[0] = -q[1] * (sin(q[0]) + cos(q[0])) * sqrt(0.5);
  n[1] = (cos(q[0]) - sin(q[0])) * sqrt(0.5);
  W[0] = 1 / (q[1] * q[1]);
  W[1] = 1;
}
static void beside(double t, const double nu[2], double w[2]) {
  const double e = 1e-4;
  double a[2], n[2], b[2], W[2];
  normal(t - e, a, W);
  normal(t + e, b, W);
  normal(t, n, W);
  for (int i = 0; i < 2; i++) w[i] = W[i] * (n[i] * nu[1] + (b[i] - a[i]) / (2 * e) * nu[0]);
}

// d/dt of (nu, nu'), by n.w' = 0, in which nu'' stands linearly
static void law(double t, const double nu[2], double out[2]) {
  const double e = 1e-4;
  double n[2], W[2], rate = 0, weight = 0;
  normal(t, n, W);
  for (int s = -1; s <= 1; s += 2) {
    double w[2];
    beside(t + s * e, (double[]){nu[0] + s * e * nu[1], nu[1]}, w);
    for (int i = 0; i < 2; i++) rate += s * n[i] * w[i] / (2 * e);
  }
  for (int i = 0; i < 2; i++) weight += n[i] * W[i] * n[i];
  out[0] = nu[1];
  out[1] = -rate / weight;
}

// nu at 0.5, 0.8 and 1.1 s
static void follow(double nu[2], double at[3]) {
  const double h = 0.01;
  for (int k = 50; k <= 110; k++) {
    double d[4][2], x[2];
    if (k % 30 == 20) at[k / 30 - 1] = nu[0];
    for (int s = 0; s < 4; s++) {
      static const double share[] = {0, 0.5, 0.5, 1}; // of the step, at the four stages
      double part = share[s] * h;
      for (int i = 0; i < 2; i++) x[i] = nu[i] + (s ? part * d[s - 1][i] : 0);
      law(0.01 * k + part, x, d[s]);
    }
    for (int i = 0; i < 2; i++) nu[i] += h / 6 * (d[0][i] + 2 * d[1][i] + 2 * d[2][i] + d[3][i]);
  }
}

// the third of three multipliers' alternating parts follows from two by the law of
// lib/studies/two_point.h
static void the_law_holds_in_any_coordinates(void **state) {
  (void)state;
  double one[3], other[3], off[3];
  follow((double[]){1, 0}, one);
  follow((double[]){0, 1}, other);
  for (int i = 0; i < 3; i++) {
    int more = 4 << i;
    double h = 0.01 / more, nu[3];
    study s;
    study_open(&s, true, true);
    in_polar(0, s.q[0]);
    in_polar(h, s.q[1]);
    roll(&s, true, 0, h, 120 * more);
    for (int j = 0; j < 3; j++) { // lambda[k] stands in the middle of its interval
      int k = (50 + 30 * j) * more;
      const double *l = s.lambda + k;
      nu[j] = (alternates(l[-1], l[0], l[1]) - alternates(l[0], l[1], l[2])) / 2;
    }
    double second = (nu[1] - nu[0] * one[1] / one[0]) / (other[1] - other[0] * one[1] / one[0]);
    double first = (nu[0] - second * other[0]) / one[0];
    off[i] = (first * one[2] + second * other[2]) / nu[2] - 1;
    study_close(&s);
  }
  assert_close(off[0] / off[1], 4, 0.2);
  assert_close(off[1] / off[2], 4, 0.2);
}

// At any alpha but 1/2 growth is by the step: on the circle in polar coordinates g sees
// (1-alpha) r_k + alpha r_k+1 of the knots, the equations of motion
// (1-alpha) lambda_k+1 + alpha lambda_k of the multipliers.
static void beside_the_middle_it_grows_by_the_step(void **state) {
  (void)state;
  const double alpha[] = {0.4, 0.45, 0.55, 0.6};
  for (int i = 0; i < COUNT(alpha); i++) {
    const double a = alpha[i], off = 1e-9, knots = -(1 - a) / a, multipliers = -a / (1 - a);
    study s;
    study_open_at(&s, true, false, a);

    // the part of the knots that the constraint does not see; 20 steps, while it is small
    start(&s, 0, 1 + off, 0.1, 1 + knots * off);
    roll(&s, true, 0.5, 0.01, 20);
    for (int k = 0; k <= 20; k++)
      assert_close((s.q[k][1] - 1) / off, pow(knots, k), 1e-5 * fabs(pow(knots, k)) + 1e-6);

    // the part of the multipliers that the equations of motion do not see; knots on the circle
    start(&s, 0, 1, 0.1, 1);
    roll(&s, true, 0.25, 0.01, 20);
    for (int k = 1; k <= 20; k++) {
      assert_close(s.lambda[k] - 0.5, -0.25 * pow(multipliers, k - 1), 1e-7);
      assert_close(s.q[k][0], 0.1 * k, 1e-10);
    }
    study_close(&s);
  }
}

// a step at alpha, taken back at 1 - alpha, ends where it began
static void alpha_mirrors_in_time(void **state) {
  (void)state;
  study s, back;
  double first = 0.02, p0[2], p[2], p1[2], p_back[2], q[2];
  dm_del_info info;
  study_open_at(&s, true, true, 0.3);
  study_open_at(&back, true, true, 0.7);
  start(&s, 0.3, 1.2, 0.5, 1.4);
  assert_int_equal(dm_two_point_first(s.w, s.q[0], s.q[1], NULL, 0.2, &first, p0, p), DM_OK);
  memcpy(s.q[2], s.q[1], sizeof s.q[1]);
  assert_int_equal(dm_two_point_step(s.w, s.q[1], p, NULL, 0.2, s.q[2], p1, &info), DM_OK);

  // from a guess beside it, for the equations have other solutions
  for (int i = 0; i < 2; i++) q[i] = s.q[1][i] + 0.01;
  assert_int_equal(dm_two_point_step(back.w, s.q[2], p1, NULL, -0.2, q, p_back, &info), DM_OK);
  for (int i = 0; i < 2; i++) {
    assert_close(q[i], s.q[1][i], 1e-12);
    assert_close(p_back[i], p[i], 1e-11);
  }
  study_close(&s);
  study_close(&back);
}

static void rules_without_a_point_between_are_refused(void **state) {
  (void)state;
  const struct refused {
    const char *rule, *why;
    double alpha;
  } rules[] = {{"midpoint", "found alpha 0,", 0},
               {"midpoint", "found alpha 1,", 1},
               {"trapezoid", "found a rule of 2 points", 0.5}};
  study s;
  dm_message msg;
  study_open(&s, false, false);
  assert_int_equal(dm_two_point_check(&s.s, &msg), DM_OK);
  for (int i = 0; i < COUNT(rules); i++) {
    assert_int_equal(dm_rule_set(&s.s.rule, rules[i].rule, rules[i].alpha, "midpoint", &msg),
                     DM_OK);
    assert_int_equal(dm_two_point_check(&s.s, &msg), DM_BAD_INPUT);
    assert_non_null(strstr(msg.text, rules[i].why));
  }
  study_close(&s);
}

// one iteration of Newton's method squares the error: its matrix is the residual's derivative
static void newton_squares_the_error(double alpha) {
  study s;
  double first = 0.02, p0[2], p[2], p1[2], left[2], q[2];
  dm_del_info info;
  study_open_at(&s, true, true, alpha);
  start(&s, 0.3, 1.2, 0.5, 1.4);
  assert_int_equal(dm_two_point_first(s.w, s.q[0], s.q[1], NULL, 0.2, &first, p0, p), DM_OK);
  memcpy(s.q[2], s.q[1], sizeof s.q[1]);
  assert_int_equal(dm_two_point_step(s.w, s.q[1], p, NULL, 0.2, s.q[2], p1, &info), DM_OK);

  // one iteration from two errors, one half of the other
  double lambda = s.w->del->lambda[0];
  s.w->del->set.max_iter = 1;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) q[j] = s.q[2][j] + 1e-3 / (1 + i) * (1 - 3 * j);
    s.w->del->lambda[0] = lambda + 2e-3 / (1 + i);
    assert_int_equal(dm_two_point_step(s.w, s.q[1], p, NULL, 0.2, q, p1, &info), DM_MAX_ITER);
    left[i] = info.residual;
  }
  assert_close(left[0] / left[1], 4, 0.1);

  // and what is left is said of the step
  dm_message msg = {""};
  dm_stepper step = dm_two_point_stepper(s.w, s.q[1], &first);
  step.explain(step.self, &msg, DM_MAX_ITER, 3, NULL);
  assert_non_null(strstr(msg.text, "no step from knot 3"));
  study_close(&s);
}

static void newton_is_of_second_order(void **state) {
  (void)state;
  newton_squares_the_error(0.5);
  newton_squares_the_error(0.3);
}

// from the start that is found, on the circle in (x, y): a chord of h v on either side, and 2/h tan^2(d/2) = 1/2
static void the_start_on_a_circle_is_that_of_the_closed_form(void **state) {
  (void)state;
  const double h[] = {0.01, 0.002}, q[] = {1, 0}, v[] = {0, 10};
  for (int i = 0; i < 2; i++) {
    study s;
    double lambda, half = 5 * h[i];
    study_open(&s, false, false);
    assert_int_equal(dm_two_point_start(&s.s, q, v, NULL, h[i], s.q[0], s.q[1], &lambda), DM_OK);
    for (int k = 0; k < 2; k++) {
      assert_close(s.q[k][0], 1, 1e-14);
      assert_close(s.q[k][1], k ? half : -half, 1e-15);
    }
    assert_close(lambda, 2 / h[i] * half * half, 2e-9);
    study_close(&s);
  }
}

// nothing alternates for 40 steps, 15 more than the search took: differences of order 12, each divided by 2^12, are rounding that grew
static void nothing_alternates_from_the_start_that_is_found(void **state) {
  (void)state;
  spherical w = spherical_new();
  const double v[6] = {0, 1.5, 0, -1, 0, 0};
  double q[41][6], p0[6], p[6], lambda[41][2], most = 0;
  dm_two_point *steps;
  dm_del_info info;
  assert_int_equal(dm_two_point_new(&steps, &w.s), DM_OK);
  assert_int_equal(dm_two_point_start(&w.s, w.q, v, NULL, 0.01, q[0], q[1], lambda[1]), DM_OK);
  assert_int_equal(dm_two_point_first(steps, q[0], q[1], NULL, 0.01, lambda[1], p0, p), DM_OK);
  for (int k = 1; k < 40; k++) {
    for (int i = 0; i < 6; i++) q[k + 1][i] = 2 * q[k][i] - q[k - 1][i];
    assert_int_equal(dm_two_point_step(steps, q[k], p, NULL, 0.01, q[k + 1], p, &info), DM_OK);
    memcpy(lambda[k + 1], steps->del->lambda, sizeof lambda[0]);
    for (int c = 0; c < 2; c++) most = fmax(most, fabs(lambda[k + 1][c]));
  }
  for (int k = 1; k + 12 <= 40; k++)
    for (int c = 0; c < 2; c++) {
      double weight = 1.0 / 4096, sum = 0;
      for (int j = 0; j <= 12; weight *= -(12.0 - j) / (j + 1), j++)
        sum += weight * lambda[k + j][c];
      assert_close(sum, 0, 1e-8 * most); // the bound of the function
    }
  dm_two_point_free(steps);
  spherical_free(&w);
}

static void no_start_is_found_without_constraint_forces(void **state) {
  (void)state;
  const double q[] = {0, 1}, v[] = {1, 1};
  double lambda;
  study s;
  study_open(&s, false, true);
  ((dm_model *)s.m)->gravity.y = 0;
  assert_int_equal(dm_two_point_start(&s.s, q, v, NULL, 0.01, s.q[0], s.q[1], &lambda),
                   DM_UNAVAILABLE);
  study_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_point_stays_on_the_circle),
      cmocka_unit_test(two_points_leave_the_circle),
      cmocka_unit_test(the_first_multiplier_decides_how_soon),
      cmocka_unit_test(growth_is_by_the_angle_turned),
      cmocka_unit_test(polar_motion_on_the_circle_does_not_depend_on_the_first),
      cmocka_unit_test(both_are_exact_on_a_line),
      cmocka_unit_test(two_points_leave_the_line_in_polar_coordinates),
      cmocka_unit_test(the_law_holds_in_any_coordinates),
      cmocka_unit_test(beside_the_middle_it_grows_by_the_step),
      cmocka_unit_test(alpha_mirrors_in_time),
      cmocka_unit_test(rules_without_a_point_between_are_refused),
      cmocka_unit_test(newton_is_of_second_order),
      cmocka_unit_test(the_start_on_a_circle_is_that_of_the_closed_form),
      cmocka_unit_test(nothing_alternates_from_the_start_that_is_found),
      cmocka_unit_test(no_start_is_found_without_constraint_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
