// Motions with steps of unequal length: order, symmetry, certificate, and an optimum in closed form.
#include "optim/solve.h"

#include "lib/discrete/certify.h"
#include "lib/mechanics/scale.h"
#include "optim/program/program_scale.h"
#include "optim/starts/regrid.h"
#include "tests/support/tasks.h"

enum { MOST = 321 };

// knots at T phi(k/N) in mean steps, with phi(s) = s + a s (s - 1): denser at the start if a > 0
static const double *graded(double *grid, int N, double a) {
  for (int k = 0; k <= N; k++) {
    const double s = (double)k / N;
    grid[k] = N * (s + a * s * (s - 1));
  }
  grid[N] = N;
  return grid;
}

static dm_trajectory *solve(const oc_task *t, double *objective) {
  dm_trajectory *x;
  dm_message msg = {""};
  oc_solve_info info;
  const oc_setup set = {.options = {.tol = 1e-10, .max_iter = 200, .max_time = 60}};
  if (oc_solve(t, &set, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  *objective = info.objective;
  return x;
}

// a mass of 1 kg on a slider, from rest at 1 m to anywhere; q'Qq + u'u with Q = 1e4
static tasks_task regulator(int N) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  tasks_task x = tasks_make(
      models_make(&(dm_tree){
          .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u, .gravity = {0}}),
      N, 4);
  tasks_rest(&x, 0, (double[]){1});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  x.t.cost[OC_Q].running = tasks_weight(&x, 1, 1, 1e4);
  return x;
}

// The cost of the regulator over an infinite time is P_11/2 = sqrt(2) Q^(3/4) / 2; 4 s are 28 time constants. All of
// the motion is in the first tenth.
static double find_regulator_error(int N, double a) {
  double grid[MOST], J;
  tasks_task x = regulator(N);
  if (a > 0) x.t.time.grid = graded(grid, N, a);
  dm_trajectory_free(solve(&x.t, &J));
  tasks_free(&x);
  return fabs(J - sqrt(2) * 1e3 / 2);
}

static void knots_in_a_layer_lower_the_error(void **state) {
  (void)state;
  assert_true(find_regulator_error(40, 0.95) < find_regulator_error(40, 0) / 5);
}

static void order_is_two_on_graded_grids(void **state) {
  (void)state;
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = find_regulator_error(80 << i, 0.8);
  for (int i = 0; i < 2; i++)
    assert_true(log2(e[i] / e[i + 1]) > 1.8 && log2(e[i] / e[i + 1]) < 2.2);
}

// the pendulum from one angle to another, with the midpoint's forces
static tasks_task swing(int N, double from, double to) {
  tasks_task x = tasks_make(models_pendulum(), N, 1);
  tasks_rest(&x, 0, &from);
  tasks_rest(&x, 1, &to);
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  x.t.cost[OC_RATE].running = tasks_rate(&x, 0.01);
  return x;
}

static void backwards_in_time_the_motion_is_the_same(void **state) {
  (void)state;
  enum { N = 20 };
  double there[MOST], back[MOST], J[2];
  tasks_task x = swing(N, 0.2, 1.4), y = swing(N, 1.4, 0.2);
  x.t.time.grid = graded(there, N, 0.7);
  for (int k = 0; k <= N; k++) back[k] = N - there[N - k];
  y.t.time.grid = back;
  dm_trajectory *p = solve(&x.t, &J[0]), *q = solve(&y.t, &J[1]);
  assert_close(J[0], J[1], 1e-8 * J[0]);
  for (int k = 0; k <= N; k++) assert_close(p->q[k], q->q[N - k], 1e-7);
  for (int k = 0; k < N; k++) assert_close(p->u[k], q->u[N - 1 - k], 1e-5);
  dm_trajectory_free(p), dm_trajectory_free(q);
  tasks_free(&x), tasks_free(&y);
}

// a motion's grid is that of the task, and each step follows from the one before
static void a_solution_is_certified(void **state) {
  (void)state;
  enum { N = 40 };
  double grid[MOST], J;
  tasks_task x = tasks_cart_pole(N);
  dm_certificate c;
  dm_scale *scale;
  x.t.time = (oc_duration){.T = 2, .free = true, .min = 1.5, .max = 2.5, .weight = 10};
  x.t.time.grid = graded(grid, N, -0.5);
  dm_trajectory *p = solve(&x.t, &J);
  assert_memory_equal(p->grid, grid, (N + 1) * sizeof *grid);
  double T = 0;
  for (int k = 0; k < N; k++) T += dm_trajectory_step(p, k);
  assert_close(T, dm_trajectory_time(p, N), 1e-14 * T);
  assert_true(T > 1.5 && T < 2.5);
  assert_int_equal(oc_task_scale(&scale, &x.t, T), DM_OK);
  assert_int_equal(dm_certify(p, &x.t.system, scale, &c), DM_OK);
  assert_true(c.gap < 1e-7);
  dm_scale_free(scale);

  // another step length is another motion
  dm_trajectory_set_grid(p, NULL);
  assert_int_equal(oc_task_scale(&scale, &x.t, T), DM_OK);
  assert_int_equal(dm_certify(p, &x.t.system, scale, &c), DM_OK);
  assert_true(c.gap > 1e-3);
  dm_scale_free(scale);
  dm_trajectory_free(p);
  tasks_free(&x);
}

// equal knots are the same program as none
static void equal_knots_give_the_same_program(void **state) {
  (void)state;
  enum { N = 12 };
  double grid[MOST], f[2], z[400], g[2][400];
  uint64_t r = 3;
  for (int even = 0; even < 2; even++) {
    tasks_task x = tasks_cart_pole(N);
    oc_transcription *t;
    x.t.cost[OC_V].running = tasks_weight(&x, 1, 2, 0.3);
    if (even) x.t.time.grid = graded(grid, N, 0);
    assert_int_equal(oc_transcription_new(&t, &x.t, NULL), DM_OK);
    const oc_nlp *p = oc_transcription_nlp(t);
    assert_true(p->n <= 400 && p->m <= 400);
    for (int i = 0; i < p->n && !even; i++) z[i] = models_random(&r);
    assert_int_equal(p->f(p->self, z, &f[even]), DM_OK);
    assert_int_equal(p->g(p->self, z, g[even]), DM_OK);
    for (int i = 0; i < p->m && even; i++)
      assert_close(g[0][i], g[1][i], 1e-12 * (1 + fabs(g[0][i])));
    oc_transcription_free(t);
    tasks_free(&x);
  }
  assert_close(f[0], f[1], 1e-12 * fabs(f[0]));
}

// a regridded task has its knots at the same fractions of the steps
static void regridded_knots_are_those_between(void **state) {
  (void)state;
  enum { N = 10 };
  double grid[MOST];
  tasks_task x = swing(N, 0, 1);
  oc_regridded fine, coarse;
  x.t.time.grid = graded(grid, N, 0.6);
  assert_int_equal(oc_task_regrid(&fine, &x.t, 2 * N), DM_OK);
  assert_int_equal(oc_task_regrid(&coarse, &x.t, N / 2), DM_OK);
  for (int k = 0; k < N; k++) {
    assert_close(fine.task.time.grid[2 * k], 2 * grid[k], 1e-13);
    assert_close(fine.task.time.grid[2 * k + 1], grid[k] + grid[k + 1], 1e-13);
  }
  for (int k = 0; k <= N / 2; k++) assert_close(coarse.task.time.grid[k], grid[2 * k] / 2, 1e-13);
  oc_regridded_free(&fine), oc_regridded_free(&coarse);
  tasks_free(&x);
}

// from rest to rest over a distance in least time, |force| <= 3: the force changes its sign in the middle
static double find_least_time(int N, bool free, dm_trajectory **motion) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1.5, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  u[0].u_min = -3, u[0].u_max = 3;
  double J;
  tasks_task x = tasks_make(
      models_make(&(dm_tree){
          .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u, .gravity = {0}}),
      N, 2);
  tasks_rest(&x, 0, (double[]){0});
  tasks_rest(&x, 1, (double[]){1.7});
  x.t.time = (oc_duration){.T = 2, .free = true, .min = 0.5, .max = 5, .weight = 1};
  if (free) x.t.time.least = 0.02, x.t.time.most = 3;
  dm_trajectory *p = solve(&x.t, &J);
  const double T = dm_trajectory_time(p, N);
  if (motion)
    *motion = p;
  else
    dm_trajectory_free(p);
  tasks_free(&x);
  return T;
}

// T = 2 sqrt(d m / u) needs a knot in the middle, which an odd number of equal steps does not have
static void free_steps_meet_the_switch(void **state) {
  (void)state;
  enum { N = 5 };
  const double T = 2 * sqrt(1.7 * 1.5 / 3);
  dm_trajectory *p;
  assert_true(find_least_time(N, false, NULL) > T * 1.005);
  assert_close(find_least_time(N, true, &p), T, 1e-6 * T);
  double off = T;
  for (int k = 0; k <= N; k++) off = fmin(off, fabs(dm_trajectory_time(p, k) - T / 2));
  assert_close(off, 0, 1e-3 * T);
  for (int k = 0; k < N; k++) {
    assert_true(dm_trajectory_step(p, k) > 0.02 * (1 - 1e-6));
    assert_close(fabs(p->u[k]), 3, 1e-3);
  }
  dm_trajectory_free(p);
}

// parts that need equal steps are refused by name
static void others_are_refused(void **state) {
  (void)state;
  double grid[MOST];
  dm_message msg = {""};
  tasks_task x = swing(8, 0, 1);
  oc_transcription *t;
  x.t.time.grid = graded(grid, 8, 0.5);
  x.t.periodic = true;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "steps of unequal length cannot have a periodic motion"));
  x.t.periodic = false;
  x.t.time.grid = NULL;
  x.t.time.least = 0.01, x.t.time.most = 1;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "a motion with free steps cannot have a cost on the rate of"));
  x.t.cost[OC_RATE].running = NULL;
  x.t.cost[OC_JERK].running = tasks_weight(&x, 3, 1, 1);
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  if (!strstr(msg.text, "free steps cannot have a cost on the jerk of 'pivot'"))
    fail_msg("%s", msg.text);
  x.t.cost[OC_JERK].running = NULL;
  x.t.time.most = 0.1;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "last from 0.08 to 0.8 s, expected a range that includes 1 s"));
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_knots_give_the_same_program),
      cmocka_unit_test(knots_in_a_layer_lower_the_error),
      cmocka_unit_test(order_is_two_on_graded_grids),
      cmocka_unit_test(backwards_in_time_the_motion_is_the_same),
      cmocka_unit_test(a_solution_is_certified),
      cmocka_unit_test(regridded_knots_are_those_between),
      cmocka_unit_test(free_steps_meet_the_switch),
      cmocka_unit_test(others_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
