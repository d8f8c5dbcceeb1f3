// The discrete map of a problem behind its handle: that it is the library's, whatever the threads.
#include "problems/map/map.h"

#include "lib/base/difference.h"
#include "lib/base/random.h"
#include "lib/discrete/del.h"
#include "problems/map/keys.h"
#include "tests/support/allocations.h"
#include "tests/support/cart_pole.h"

#include <float.h>
#include <math.h>

#define RUN "model: {urdf: c.urdf}\nsimulate: {steps: 1, step: 0.02}\n"
#define HANG                                                                                       \
  "model: {urdf: c.urdf, constraints: [{name: tie, type: equal, coordinates: [slider, pole], "     \
  "ratio: 0.5}]}\n"                                                                                \
  "simulate: {steps: 1, step: 0.02}\n"

enum { COUNT = 100, NX = 4 };

static pb_map *open_map(const char *text, int threads) {
  pb_map *m;
  dm_message msg = {""};
  put_file(folder, "c.urdf", CART_POLE);
  if (pb_map_open(&m, put_file(folder, "p.yaml", text), NULL, NULL, 0, 0, threads, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return m;
}

// states and inputs of a cart-pole, anywhere
static void draw(double *x, double *u, int count) {
  for (int i = 0; i < count * NX; i++) x[i] = 4 * dm_random_uniform(7, 0, (uint64_t)i) - 2;
  for (int i = 0; i < count; i++) u[i] = 20 * dm_random_uniform(7, 1, (uint64_t)i) - 10;
}

static void compare_numbers(const double *a, const double *b, int n, double tolerance) {
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("entry %d: %.17g, not %.17g", i, a[i], b[i]);
}

static void a_step_is_the_step_of_the_library(void **state) {
  (void)state;
  double x[COUNT * NX], u[COUNT], x1[COUNT * NX];
  pb_map *m = open_map(RUN, 1);
  pb_problem *p = get_problem(RUN);
  dm_del *w;
  dm_del_info info;
  draw(x, u, COUNT);
  assert_int_equal(dm_del_new(&w, &p->task.system, NULL), DM_OK);
  assert_int_equal(pb_map_step(m, COUNT, x, u, x1, NULL, NULL), DM_OK);
  assert_true(pb_map_step_length(m) == 0.02);
  for (int i = 0; i < COUNT; i++) {
    double q1[] = {x[NX * i], x[NX * i + 1]}, p1[2];
    assert_int_equal(dm_del_step(w, x + NX * i, x + NX * i + 2, u + i, 0.02, q1, p1, &info), DM_OK);
    // from another guess, to the same root
    compare_numbers(x1 + NX * i, q1, 2, 1e-13);
    compare_numbers(x1 + NX * i + 2, p1, 2, 1e-12);
  }
  dm_del_free(w);
  pb_problem_free(p);
  pb_map_close(m);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  enum { STEPS = 5, ALL = (STEPS + 1) * NX };
  static double x[COUNT * NX], u[COUNT * STEPS], one[COUNT * ALL], many[COUNT * ALL];
  static double A[2][COUNT * NX * NX], B[2][COUNT * NX], x1[COUNT * NX];
  pb_map *m[] = {open_map(RUN, 1), open_map(RUN, 5)};
  draw(x, u, COUNT);
  for (int k = 0; k < COUNT * STEPS; k++) u[k] = u[k % COUNT];
  assert_int_equal(pb_map_rollout(m[0], COUNT, STEPS, x, u, one, NULL, NULL), DM_OK);
  assert_int_equal(pb_map_rollout(m[1], COUNT, STEPS, x, u, many, NULL, NULL), DM_OK);
  assert_memory_equal(one, many, sizeof one);
  for (int k = 0; k < 2; k++)
    assert_int_equal(pb_map_linear(m[k], COUNT, x, u, x1, A[k], B[k], NULL, NULL, NULL), DM_OK);
  assert_memory_equal(A[0], A[1], sizeof A[0]);
  assert_memory_equal(B[0], B[1], sizeof B[0]);

  // the first step of a rollout is the step
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(pb_map_step(m[0], 1, x + NX * i, u + STEPS * i, x1, NULL, NULL), DM_OK);
    assert_memory_equal(one + ALL * i + NX, x1, NX * sizeof *x1);
  }
  for (int k = 0; k < 2; k++) pb_map_close(m[k]);
}

// x1 of (x,u) as one vector
static dm_status step_of(void *self, const double *y, double *x1) {
  return pb_map_step(self, 1, y, y + NX, x1, NULL, NULL);
}

static void derivatives_are_those_of_the_step(void **state) {
  (void)state;
  static const char *const text[] = {RUN, HANG};
  for (int t = 0; t < 2; t++) {
    double y[] = {0.2, 0.4, 0.3, -0.1, 2}, d[] = {0.5, 1, -0.5, 0.7, 3};
    double x1[NX], A[NX * NX], B[NX], Jd[NX], room[4 * NX + 1], by_x[NX], by_u[1];
    pb_map *m = open_map(text[t], 1);
    const int nc = pb_map_count(m, "constraint");
    assert_int_equal(nc, t);
    assert_int_equal(pb_map_linear(m, 1, y, y + NX, x1, A, B, by_x, by_u, NULL), DM_OK);
    for (int i = 0; i < NX; i++) {
      Jd[i] = B[i] * d[NX];
      for (int j = 0; j < NX; j++) Jd[i] += A[NX * i + j] * d[j];
    }

    // nobody has to ask for those of impulses
    double again[NX * NX];
    assert_int_equal(pb_map_linear(m, 1, y, y + NX, x1, again, B, NULL, NULL, NULL), DM_OK);
    assert_memory_equal(again, A, sizeof A);
    dm_verdict v = dm_difference_judge(&(dm_difference){.n = NX + 1,
                                                        .m = NX,
                                                        .x = y,
                                                        .d = d,
                                                        .Jd = Jd,
                                                        .f = step_of,
                                                        .self = m,
                                                        .noise = 1e3 * DBL_EPSILON},
                                       room);
    if (!v.holds) fail_msg("problem %d: error %g, order %g", t, v.error, v.order);
    pb_map_close(m);
  }
}

static void the_tensor_is_the_hessian_of_each_state(void **state) {
  (void)state;
  double x[NX], u[1], xx[NX * NX * NX], xu[NX * NX], uu[NX], of[NX * NX], of_xu[NX], of_uu[1];
  pb_map *m = open_map(RUN, 1);
  draw(x, u, 1);
  assert_int_equal(pb_map_tensor(m, 1, x, u, xx, xu, uu, NULL), DM_OK);
  for (int i = 0; i < NX; i++) {
    double zeta[NX] = {0};
    zeta[i] = 1;
    assert_int_equal(pb_map_hessian(m, 1, x, u, zeta, of, of_xu, of_uu, NULL), DM_OK);
    compare_numbers(of, xx + i * NX * NX, NX * NX, 1e-13);
    compare_numbers(of_xu, xu + i * NX, NX, 1e-13);
    compare_numbers(of_uu, uu + i, 1, 1e-13);
  }
  pb_map_close(m);
}

static void velocities_and_momenta_are_one_another(void **state) {
  (void)state;
  const double q[] = {0.3, -0.7}, v[] = {1, 2};
  double x[NX], q_back[2], v_back[2], kinetic, potential;
  pb_map *m = open_map(RUN, 1);
  assert_int_equal(pb_map_state(m, 1, q, v, x, NULL), DM_OK);
  assert_int_equal(pb_map_velocity(m, 1, x, q_back, v_back, NULL), DM_OK);
  compare_numbers(q_back, q, 2, 0);
  compare_numbers(v_back, v, 2, 1e-14);

  // 2T = p.v
  assert_int_equal(pb_map_energy(m, 1, x, &kinetic, &potential, NULL), DM_OK);
  assert_true(fabs(2 * kinetic - x[2] * v[0] - x[3] * v[1]) < 1e-14);
  pb_map_close(m);
}

static void a_state_that_fails_stops_no_other(void **state) {
  (void)state;
  double x[3 * NX], u[3], x1[3 * NX];
  int status[3];
  dm_message msg;
  pb_map *m = open_map(RUN, 1);
  draw(x, u, 3);
  x[NX] = x[2 * NX] = NAN;
  assert_int_equal(pb_map_step(m, 3, x, u, x1, NULL, status), DM_NOT_FINITE);
  assert_int_equal(status[2], DM_NOT_FINITE);
  pb_map_explain(m, &msg);
  assert_string_equal(msg.text, "state 1: no step from knot 0: a number is not finite");
  x[2 * NX] = 1;
  assert_int_equal(pb_map_step(m, 3, x, u, x1, NULL, status), DM_NOT_FINITE);
  assert_int_equal(status[0], DM_OK);
  assert_int_equal(status[1], DM_NOT_FINITE);
  assert_int_equal(status[2], DM_OK);
  assert_true(isfinite(x1[0]) && isnan(x1[NX]) && isnan(x1[2 * NX - 1]) && isfinite(x1[2 * NX]));
  pb_map_explain(m, &msg);
  assert_string_equal(msg.text, "state 1: no step from knot 0: a number is not finite");

  // and of a motion the knots before it stay
  double far[3 * NX], push[] = {1, NAN};
  assert_int_equal(pb_map_rollout(m, 1, 2, x, push, far, NULL, status), DM_NOT_FINITE);
  assert_true(isfinite(far[NX]) && isnan(far[2 * NX]) && isnan(far[3 * NX - 1]));
  assert_int_equal(pb_map_step(m, 1, x, u, x1, NULL, NULL), DM_OK);
  pb_map_explain(m, &msg);
  assert_string_equal(msg.text, "");
  pb_map_close(m);
}

static void names_units_and_limits_are_told(void **state) {
  (void)state;
  double low, high;
  pb_map *m = open_map(RUN "inputs: [{joint: slider, effort: 12}]\n", 1);
  static const struct {
    const char *what, *text;
    int i;
  } unit[] = {{"q", "m", 0},   {"q", "rad", 1},   {"v", "rad/s", 1},
              {"p", "N s", 0}, {"p", "N m s", 1}, {"u", "N", 0}};
  for (size_t k = 0; k < COUNT_OF(unit); k++)
    assert_string_equal(pb_map_unit(m, unit[k].what, unit[k].i), unit[k].text);
  assert_null(pb_map_unit(m, "q", 2));
  assert_null(pb_map_unit(m, "w", 0));
  assert_string_equal(pb_map_name(m, "coordinate", 1), "pole");
  assert_string_equal(pb_map_name(m, "input", 0), "slider");
  assert_null(pb_map_name(m, "constraint", 0));
  assert_int_equal(pb_map_count(m, "input"), 1);
  assert_int_equal(pb_map_count(m, "wheel"), -1);
  assert_int_equal(pb_map_limits(m, "u", 0, &low, &high), DM_OK);
  assert_true(low == -12 && high == 12);
  assert_int_equal(pb_map_limits(m, "q", 0, &low, &high), DM_OK);
  assert_true(low == -2 && high == 2);
  assert_int_equal(pb_map_limits(m, "u", 1, &low, &high), DM_BAD_INPUT);
  pb_map_close(m);
}

static void values_are_replaced_and_steps_chosen(void **state) {
  (void)state;
  char path[] = "model.gravity", text[] = "simulate.steps";
  const char *replace[] = {"simulate.step", "0.05", path, text};
  pb_map *m;
  dm_message msg;
  const char *file = put_file(folder, "p.yaml", RUN);
  put_file(folder, "c.urdf", CART_POLE);
  assert_int_equal(pb_map_open(&m, file, NULL, replace, 1, 0, 1, &msg), DM_OK);
  assert_true(pb_map_step_length(m) == 0.05);
  pb_map_close(m);
  assert_int_equal(pb_map_open(&m, file, NULL, replace, 1, 0.01, 1, &msg), DM_OK);
  assert_true(pb_map_step_length(m) == 0.01);
  pb_map_close(m);
  assert_int_equal(pb_map_open(&m, file, NULL, replace, 2, 0, 1, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "model.gravity: found 'simulate.steps'"));
  assert_null(m);
}

static void files_with_another_map_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"model: {urdf: c.urdf}\nsimulate: {steps: 1, step: 0.02, order: 4}\n",
       "simulate.order above 2"},
      {"model: {urdf: c.urdf}\n", "found none of 'horizon', 'simulate', 'balance'"},
  };
  pb_map *m;
  dm_message msg;
  put_file(folder, "c.urdf", CART_POLE);
  for (size_t k = 0; k < COUNT_OF(wrong); k++) {
    const char *file = put_file(folder, "p.yaml", wrong[k][0]);
    assert_int_equal(pb_map_open(&m, file, NULL, NULL, 0, 0, 1, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[k][1])) fail_msg("%s", msg.text);
    assert_null(m);
  }
  const char *file = put_file(folder, "p.yaml", RUN);
  assert_int_equal(pb_map_open(&m, file, NULL, NULL, 0, -1, 1, &msg), DM_BAD_INPUT);
  assert_int_equal(pb_map_open(&m, file, NULL, NULL, 0, 0, 0, &msg), DM_BAD_INPUT);
  assert_int_equal(pb_map_open(&m, "/nowhere/p.yaml", NULL, NULL, 0, 0, 1, &msg), DM_IO);
}

static void no_call_allocates(void **state) {
  (void)state;
  static double x[COUNT * NX], u[COUNT], x1[COUNT * NX], A[COUNT * NX * NX], B[COUNT * NX];
  double xx[NX * NX * NX], xu[NX * NX], uu[NX];
  pb_map *m = open_map(RUN, 1);
  draw(x, u, COUNT);
  const int before = allocations;
  assert_int_equal(pb_map_step(m, COUNT, x, u, x1, NULL, NULL), DM_OK);
  assert_int_equal(pb_map_linear(m, COUNT, x, u, x1, A, B, NULL, NULL, NULL), DM_OK);
  assert_int_equal(pb_map_tensor(m, 1, x, u, xx, xu, uu, NULL), DM_OK);
  assert_int_equal(pb_map_velocity(m, 1, x, x1, x1 + 2, NULL), DM_OK);
  assert_int_equal(allocations, before);
  pb_map_close(m);
}

// whatever allocation fails, a sentence says so and nothing is left behind
static void a_map_is_made_whole_or_not_at_all(void **state) {
  (void)state;
  pb_map *m;
  dm_message msg;
  dm_status s = DM_NO_MEMORY;
  const char *file = put_file(folder, "p.yaml", RUN);
  put_file(folder, "c.urdf", CART_POLE);
  int fails = 0;
  for (; s != DM_OK; fails++) {
    failing_allocation = fails + 1;
    s = pb_map_open(&m, file, NULL, NULL, 0, 0, 2, &msg);
    failing_allocation = 0;
    assert_true(s == DM_OK || (m == NULL && msg.text[0]));
    assert_true(fails < 10000);
  }
  assert_true(fails > 20);
  pb_map_close(m);
}

static void keys_are_read_as_json(void **state) {
  (void)state;
  char *text;
  dm_message msg;
  const char *file = put_file(
      folder, "p.yaml", "a: {b: [1, -2.5e-3, 01, -pi, .5, 1.]}\n\"c d\": 'x\\y'\ne:\nf: '1'\n");
  assert_int_equal(pb_keys_read(&text, file, &msg), DM_OK);
  assert_string_equal(text, "{\"a\":{\"b\":[1,-2.5e-3,\"01\",\"-pi\",\".5\",\"1.\"]},"
                            "\"c d\":\"x\\\\y\",\"e\":null,\"f\":\"1\"}");
  pb_keys_free(text);
  assert_int_equal(pb_keys_read(&text, put_file(folder, "p.yaml", "a: {b: 1\n"), &msg),
                   DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "p.yaml:2:1: "));
  assert_null(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_the_step_of_the_library),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(derivatives_are_those_of_the_step),
      cmocka_unit_test(the_tensor_is_the_hessian_of_each_state),
      cmocka_unit_test(velocities_and_momenta_are_one_another),
      cmocka_unit_test(a_state_that_fails_stops_no_other),
      cmocka_unit_test(names_units_and_limits_are_told),
      cmocka_unit_test(values_are_replaced_and_steps_chosen),
      cmocka_unit_test(files_with_another_map_are_refused),
      cmocka_unit_test(no_call_allocates),
      cmocka_unit_test(a_map_is_made_whole_or_not_at_all),
      cmocka_unit_test(keys_are_read_as_json),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
