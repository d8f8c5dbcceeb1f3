// tests/problems/readers/task/test_path_section.c: `path:` as it is read, from points and from tables,
// and what of it is refused, by its place.
#include "tests/support/cart_pole.h"

#include <math.h>

#define TASK                                                                                       \
  "model: {urdf: c.urdf}\n"                                                                        \
  "horizon: {steps: 10, time: {free: [0.5, 5]}}\n"                                                 \
  "start: {q: free, v: 0}\n"                                                                       \
  "goal: {v: 0}\n"                                                                                 \
  "cost: {time: 1}\n"                                                                              \
  "outputs: [{name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}, {name: fast, type: "  \
  "speed, bodies: tip}]\n"

static void points_and_tables_make_one_curve(void **state) {
  (void)state;
  put_file(folder, "x.csv",
           "# recorded\nt,y.bob.z,y.bob.x,u.slider\n0,-0.5,0,1\n1,-0.3,0.5,\n2,-0.2,1,3\n");
  const char *const text[] = {
      TASK "path: {outputs: [bob.x, bob.z], points: [[0, -0.5], [0.5, -0.3], [1, -0.2]]}\n",
      TASK "path: {outputs: [bob.x, bob.z], csv: x.csv, within: [0, 0.01]}\n"};
  double s[2];
  for (int i = 0; i < 2; i++) {
    pb_problem *p = get_problem(text[i]);
    const oc_followed *f = &p->task.outputs.follow;
    double r[2];
    assert_int_equal(f->curve->m, 2);
    assert_int_equal(f->curve->n, 3);
    assert_int_equal(f->output[0], 0);
    assert_int_equal(f->output[1], 2);
    assert_true(f->within[0] == 0 && f->within[1] == (i ? 0.01 : 0));
    s[i] = f->curve->s[1];
    dm_curve_eval(f->curve, s[i], r, NULL, NULL);
    assert_true(fabs(r[0] - 0.5) < 1e-14 && fabs(r[1] + 0.3) < 1e-14);
    pb_problem_free(p);
  }
  assert_true(s[0] == s[1]);
}

static void a_table_may_say_where_its_points_are(void **state) {
  (void)state;
  put_file(folder, "x.csv", "s,y.bob.x\n0,0\n3,0.5\n4,1\n");
  pb_problem *p = get_problem(TASK "path: {outputs: bob.x, csv: x.csv}\n");
  assert_true(fabs(p->task.outputs.follow.curve->s[1] - 0.75) < 1e-15);
  pb_problem_free(p);
}

// three points of a closed curve, and the way back
static void a_closed_path_comes_back(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      TASK "path: {outputs: [bob.x, bob.z], closed: true, points: [[0, -0.5], [0.5, -0.3], [1, "
           "-0.4]], within: 0.02}\n");
  const oc_followed *f = &p->task.outputs.follow;
  assert_true(f->curve->closed);
  assert_int_equal(f->curve->n, 4);
  assert_true(f->curve->r[6] == 0 && f->curve->r[7] == -0.5);
  assert_true(f->within[0] == 0.02 && f->within[1] == 0.02);
  pb_problem_free(p);
}

// the curve by a formula is the formula, to a billionth of its size, at places of no sample
static void a_formula_is_followed(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  const char *const text[] = {
      "closed: true, formula: {bob.z: -0.3 + 0.1 sin(2 pi s), bob.x: 0.2*cos(2*pi*s)}}\n",
      "formula: [0.2*cos(2*pi*s), 0.1*sin(2*pi*s) - 0.3]}\n",
      "formula: [0.2*cos(34*pi*s), 'hypot(0.1*sin(34*pi*s) - 0.3, 0)*-1']}\n"};
  for (size_t i = 0; i < COUNT_OF(text); i++) {
    char whole[1000];
    snprintf(whole, sizeof whole, TASK "path: {outputs: [bob.x, bob.z], %s", text[i]);
    pb_problem *p = get_problem(whole);
    const dm_curve *c = p->task.outputs.follow.curve;
    const double turns = i == 2 ? 17 : 1, size = hypot(0.4, 0.2);
    assert_true(c->closed == (i == 0));
    for (int k = 0; k <= 777; k++) {
      const double s = k / 777., a = 2 * pi * turns * s;
      double r[2];
      dm_curve_eval(c, s, r, NULL, NULL);
      const double off = fmax(fabs(r[0] - 0.2 * cos(a)), fabs(r[1] + 0.3 - 0.1 * sin(a)));
      if (off > 1e-9 * size) fail_msg("formula %zu: off by %g at s = %g", i, off, s);
    }
    pb_problem_free(p);
  }
}

// and a circle by points is the same curve
static void a_circle_is_one_by_points_too(void **state) {
  (void)state;
  enum { POINTS = 500 };
  const double pi = 3.14159265358979323846;
  static char table[POINTS * 60];
  size_t used = (size_t)snprintf(table, sizeof table, "y.bob.x,y.bob.z\n");
  for (int k = 0; k < POINTS; k++)
    used += (size_t)snprintf(table + used, sizeof table - used, "%.17g,%.17g\n",
                             0.1 * cos(2 * pi * k / POINTS), -0.3 + 0.1 * sin(2 * pi * k / POINTS));
  put_file(folder, "x.csv", table);
  pb_problem *p[] = {
      get_problem(TASK "path: {outputs: [bob.x, bob.z], closed: true, csv: x.csv}\n"),
      get_problem(TASK "path: {outputs: [bob.x, bob.z], closed: true, formula: {bob.x: 0.1 cos(2 "
                       "pi s), bob.z: -0.3 + 0.1 sin(2 pi s)}}\n")};
  for (int k = 0; k <= 777; k++) {
    double r[2][2], r_s[2][2];
    for (int i = 0; i < 2; i++)
      dm_curve_eval(p[i]->task.outputs.follow.curve, k / 777., r[i], r_s[i], NULL);
    for (int j = 0; j < 2; j++) {
      assert_true(fabs(r[0][j] - r[1][j]) < 2e-10);
      assert_true(fabs(r_s[0][j] - r_s[1][j]) < 2e-6);
    }
  }
  for (int i = 0; i < 2; i++) pb_problem_free(p[i]);
}

// a curvature that jumps is followed nearly
static void a_jump_of_curvature_is_warned_of(void **state) {
  (void)state;
  pb_problem *p = get_problem(TASK "path: {outputs: bob.x, formula: s + (s - 0.4)*abs(s - 0.4)}\n");
  assert_int_equal(p->warnings.n, 2); // and no motor on the pole
  if (!strstr(p->warnings.text[0], "p.yaml:7: path.formula: the curve followed is off 'bob.x' by "))
    fail_msg("%s", p->warnings.text[0]);
  assert_non_null(strstr(p->warnings.text[0], " near s = 0.4, where its curvature jumps"));
  pb_problem_free(p);
}

// the guess is on the path from the first knot on, at rest at both ends
static void a_guess_follows_it(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      TASK "path: {outputs: [bob.x, bob.z], points: [[0, -0.4], [0.5, -0.3], [1, -0.35]]}\n");
  const oc_followed *f = &p->task.outputs.follow;
  dm_trajectory *x;
  assert_int_equal(pb_problem_guess(p, &x), DM_OK);
  for (int k = 0; k <= 10; k++) {
    double r[2];
    const double u = k / 10., *q = x->q + 2 * k;
    dm_curve_eval(f->curve, u * u * (3 - 2 * u), r, NULL, NULL);
    assert_true(fabs(q[0] - 0.5 * sin(q[1]) - r[0]) < 1e-8);
    assert_true(fabs(-0.5 * cos(q[1]) - r[1]) < 1e-8);
  }
  dm_trajectory_free(x);
  pb_problem_free(p);
}

static const refused wrong[] = {
    {TASK "path: {outputs: [bob.x, bob.y], points: [[0, 0], [1, 0]]}\n",
     "p.yaml:7:17: path.outputs: found 'bob.y', which no coordinate moves"},
    {TASK "path: {outputs: [bo.x], points: [0, 1]}\n",
     "p.yaml:7:18: path.outputs: found the unknown output 'bo.x', expected one of"},
    {TASK "path: {outputs: [bob.x, bob], points: [[0, 0, 0], [1, 0, 0]]}\n",
     "p.yaml:7:25: path.outputs: found 'bob.x' twice, expected each row once"},
    {TASK "path: {outputs: fast, points: [0, 1]}\n",
     "p.yaml:7:17: path.outputs: found 'fast', which is a function of speeds or inputs"},
    {TASK "path: {outputs: 0.3, points: [0, 1]}\n",
     "p.yaml:7:17: path.outputs: found the unknown output '0.3'"},
    {TASK "path: {outputs: {bob: 1}, points: [0, 1]}\n",
     "p.yaml:7:17: path.outputs: found a mapping of 1, expected an output, a row, or a list"},
    {TASK "path: {points: [0, 1]}\n", "p.yaml:7:7: path: found no 'outputs', expected the output"},
    {TASK "path: {outputs: bob.x}\n",
     "p.yaml:7:7: path: found none of points, csv, formula, expected one"},
    {TASK "path: {outputs: bob.x, points: [0, 1], csv: x.csv}\n",
     "path: found several of points, csv, formula, expected one"},
    {TASK "path: {outputs: bob.x, points: [0]}\n",
     "p.yaml:7:32: path.points: found 1 point, expected at least 2"},
    {TASK "path: {outputs: bob.x, closed: true, points: [0, 1]}\n",
     "path.points: found 2 points, expected at least 3"},
    {TASK "path: {outputs: bob.x, points: [0, 1, 1]}\n",
     "p.yaml:7:39: path.points: found point 3 the same as the one before"},
    {TASK "path: {outputs: [bob.x, bob.z], closed: true, points: [[0, 0], [0.1, 0], [0, 0]]}\n",
     "path.points: found point 3 the same as the first, expected a closed path without it"},
    {TASK "path: {outputs: [bob.x, bob.z], points: [[0, 0], [0.1, 0, 0]]}\n",
     "p.yaml:7:50: path.points: found a list of 3, expected a list of 2 numbers"},
    {TASK "path: {outputs: bob.x, points: [0, 1], within: -1}\n",
     "path.within: found '-1', expected a number >= 0"},
    {TASK "path: {outputs: [bob.x, bob.z], points: [[0, 0], [0.1, 0]], within: [0.1, -0.1]}\n",
     "path.within: found -0.1, expected >= 0"},
    {TASK "path: {outputs: bob.x, csv: y.csv}\n", "cannot be read"},
    {TASK "path: {outputs: bob.x, csv: x.csv, way: 3}\n",
     "path: found the unknown key 'way', expected one of outputs, points, csv, formula, closed, "
     "within"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: {bob.x: s}}\n",
     "p.yaml:7:42: path.formula: found none for 'bob.z', expected one for each row"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: {bob.x: s, bob.zz: s}}\n",
     "p.yaml:7:53: path.formula: found the unknown row of path.outputs 'bob.zz', expected one of "
     "bob.x, bob.z; did you mean 'bob.z'?"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: [s]}\n",
     "p.yaml:7:42: path.formula: found a list of 1, expected an expression for each of 2 rows"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: s}\n",
     "path.formula: found one expression, expected one for each of 2 rows"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: [s, [s]]}\n",
     "p.yaml:7:46: path.formula: found a list of 1, expected an expression of s"},
    {TASK "path: {outputs: [bob.x, bob.z], formula: {bob.x: s, bob.z: atan2(s, 2)}}\n",
     "p.yaml:7:60: path.formula: found the end of 'atan2(s', expected ',' and a second argument; "
     "put an expression with a comma in quotes"},
    {TASK "path: {outputs: bob.x, formula: 0.3 + 0.1 sine(s)}\n",
     "p.yaml:7:33: path.formula: found the unknown name 'sine' at character 11, expected one of "
     "s, "},
    {TASK "path: {outputs: bob.x, formula: log(s)}\n",
     "p.yaml:7:33: path.formula: 'bob.x' is infinite at s = 0, expected a finite number"},
    {TASK "path: {outputs: bob.x, formula: s + sqrt(0.5 - s)}\n",
     "path.formula: 'bob.x' is undefined at s = 0.515625, expected a finite number"},
    {TASK "path: {outputs: bob.x, formula: 1/(s - 0.3)}\n",
     "path.formula: 'bob.x' has a kink or a jump or turns too sharply near s = 0.3: a smooth"},
    {TASK "path: {outputs: bob.x, formula: s + abs(s - 0.3)/2}\n",
     "path.formula: 'bob.x' has a kink or a jump or turns too sharply near s = 0.3"},
    {TASK "path: {outputs: bob.x, formula: sqrt(s)}\n", "too sharply near s = 2.58e-05"},
    {TASK "path: {outputs: bob.x, formula: sin(12800 pi s)}\n", "turns too sharply near s = "},
    {TASK "path: {outputs: bob.x, formula: 0.2}\n", "path.formula: stays at one place"},
    {TASK "path: {outputs: bob.x, formula: abs(s - 0.5) + s}\n",
     "path.formula: stands still from s = "},
    {TASK "path: {outputs: bob.x, closed: true, formula: s}\n",
     "path.formula: 'bob.x' is 0 at s = 0 and 1 at s = 1, expected one value of a closed path"},
    {TASK "path: {outputs: bob.x, closed: true, formula: s*(1 - s)}\n",
     "path.formula: 'bob.x' has a kink or a jump or turns too sharply near s = "},
    {HEAD "outputs: [{name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}]\n"
          "cost: {time: 1}\npath: {outputs: bob.x, points: [0.1, 1]}\n",
     "p.yaml:3:8: start: the output 'bob.x' is 0 there, and the path begins at 0.1"},
    {HEAD "outputs: [{name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}]\n"
          "cost: {time: 1}\ngoal: {q: 0, v: 0}\npath: {outputs: bob.x, points: [0, 1]}\n",
     "p.yaml:6:7: goal: the output 'bob.x' is 0 there, and the path ends at 1"},
    {HEAD "outputs: [{name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}]\n"
          "cost: {time: 1}\ngoal: start\npath: {outputs: bob.x, points: [0, 1]}\n",
     "p.yaml:7:7: path: ends 1 off where it begins in 'bob.x', and the motion ends as it began"},
    {HEAD "outputs: [{name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}]\n"
          "cost: {time: 1}\ngoal: {outputs: {bob.x: 1}, v: 0}\npath: {outputs: bob.x, points: [0, "
          "1]}\n",
     "the output 'bob.x' is given twice: by 'path', which it follows"},
    {"model: {urdf: c.urdf}\nsimulate: {steps: 4, time: 1}\npath: {outputs: bob.x, points: [0, "
     "1]}\n",
     "p.yaml:3:1: found 'path' but no 'horizon', expected both"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 1}\nstart: {q: free, v: 0}\n"
     "path: {outputs: bob.x, points: [0, 1]}\n",
     "found 'path', but the file has no 'outputs', which name what follows it"}};

// where a parenthesis alone is missing, quotes would not help
static void quotes_are_advised_for_commas_alone(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  const char *text = TASK "path: {outputs: [bob.x, bob.z], formula: [s, 0.3*(s + 2]}\n";
  assert_int_equal(read_problem(text, &p, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found the end of '0.3*(s + 2', expected ')'"));
  assert_null(strstr(msg.text, "quotes"));
}

#define AIM                                                                                        \
  "model: {urdf: c.urdf}\n"                                                                        \
  "horizon: {steps: 10, time: {free: [0.5, 5]}}\n"                                                 \
  "start: {q: free, v: 0}\n"                                                                       \
  "goal: {v: 0}\n"                                                                                 \
  "cost: {time: 1}\n"                                                                              \
  "outputs: [{name: aim, type: alignment, bodies: [tip, world], axes: [[1, 0, 0], [1, 0, 0]]}, "   \
  "{name: far, type: distance, bodies: [tip, world], points: [[0, 0, -0.5], [0, 0, 0]]}]\n"

// a cosine above 1, a length below 0: no search would find them
static void what_no_output_can_be_is_refused(void **state) {
  (void)state;
  static const refused rows[] = {
      {AIM "path: {outputs: aim, points: [0.2, 1.3]}\n",
       "p.yaml:7:36: path.points: found 1.3 for 'aim' at point 2, expected a value from -1 to 1"},
      {AIM "path: {outputs: [far, aim], points: [[1, 0.2], [-0.5, 0.3]], within: [0.1, 0]}\n",
       "p.yaml:7:48: path.points: found -0.5 for 'far' at point 2, expected at least -0.1"},
      {AIM "path: {outputs: aim, csv: x.csv}\n",
       "x.csv:3: found -1.2 for 'aim' at point 2, expected a value from -1 to 1"},
      {AIM "path: {outputs: [far, aim], formula: {far: s, aim: 1.3*sin(pi*s)}}\n",
       "p.yaml:7:52: path.formula: 'aim' is 1.00491 at s = 0.28125, expected a value from -1 "
       "to 1"},
      {AIM "path: {outputs: aim, points: [0, 1, 0.9, 0]}\n",
       "p.yaml:7:7: path: the curve through the points has 'aim' at 1.0"}};
  put_file(folder, "x.csv", "y.aim\n0\n-1.2\n");
  expect_refused(rows, COUNT_OF(rows));
}

// and what stays within is not
static void the_ends_of_a_range_are_possible(void **state) {
  (void)state;
  const char *const text[] = {AIM "path: {outputs: aim, formula: cos(pi*s)}\n",
                              AIM "path: {outputs: aim, points: [0.2, 1.3], within: 0.35}\n"};
  for (size_t i = 0; i < COUNT_OF(text); i++) pb_problem_free(get_problem(text[i]));
}

static void slips_are_refused_by_their_place(void **state) {
  (void)state;
  put_file(folder, "x.csv", "y.bob.x\n0\n1\n");
  expect_refused(wrong, COUNT_OF(wrong));
}

// of a table by the lines of its file
static void slips_of_tables_are_refused_by_their_line(void **state) {
  (void)state;
  static const struct {
    const char *table, *message;
  } rows[] = {{"y.bob.z\n0\n1\n", "x.csv:1: found no column 'y.bob.x', expected one for each row"},
              {"# a\ny.bob.x\n0\n1\n\n1\n", "x.csv:6: found point 3 the same as the one before"},
              {"y.bob.x,s\n0,0\n1,\n", "x.csv:3: found an empty cell in column 's'"},
              {"y.bob.x,s\n0,0\n1,2\n2,1\n", "x.csv:4: column 's': found 1 after 2"},
              {"y.bob.x\n0\n", "x.csv: path: found 1 point, expected at least 2"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    put_file(folder, "x.csv", rows[i].table);
    const refused row = {TASK "path: {outputs: bob.x, csv: x.csv}\n", rows[i].message};
    expect_refused(&row, 1);
  }
}

static void what_is_out_of_reach_is_warned_of(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      TASK "path: {outputs: [bob.x, bob.z], points: [[0, -0.4], [0.5, -0.3], [0.6, 0.9]]}\n");
  bool found = false;
  for (int i = 0; i < p->warnings.n; i++)
    found |= strstr(p->warnings.text[i], "path: no posture was found that has the outputs") != NULL;
  assert_true(found);
  pb_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_and_tables_make_one_curve),
      cmocka_unit_test(a_table_may_say_where_its_points_are),
      cmocka_unit_test(a_closed_path_comes_back),
      cmocka_unit_test(a_formula_is_followed),
      cmocka_unit_test(a_circle_is_one_by_points_too),
      cmocka_unit_test(a_jump_of_curvature_is_warned_of),
      cmocka_unit_test(a_guess_follows_it),
      cmocka_unit_test(slips_are_refused_by_their_place),
      cmocka_unit_test(quotes_are_advised_for_commas_alone),
      cmocka_unit_test(what_no_output_can_be_is_refused),
      cmocka_unit_test(the_ends_of_a_range_are_possible),
      cmocka_unit_test(slips_of_tables_are_refused_by_their_line),
      cmocka_unit_test(what_is_out_of_reach_is_warned_of),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
