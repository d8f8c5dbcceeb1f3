// tests/optim/rows/test_path_rows.c: path constraints of one's own: derivatives of the
// program that has them, a bound of the task written as one, some that bind, by programs and descents.
#include "optim/descent/descent.h"
#include "optim/descent/neighboring_extremal.h"
#include "optim/nlp/ipopt.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "optim/starts/rollout.h"
#include "tests/support/actions.h"
#include "tests/support/checked.h"
#include "tests/support/functions.h"
#include "tests/support/skips.h"

static dm_message msg;

// v_0 u_0 + q_last sin(v_last): everything meets everything
static dm_status eval_mixed(const void *self, const functions_own *at, int order, const double *y,
                            double *c, double *c_y, double *c_yy) {
  (void)self;
  int n = at->n, m = 2 * n + at->nf, q = n - 1, v = 2 * n - 1, v0 = n, u0 = 2 * n;
  *c += y[v0] * y[u0] + y[q] * sin(y[v]);
  if (order < 1) return DM_OK;
  c_y[v0] += y[u0];
  c_y[u0] += y[v0];
  c_y[q] += sin(y[v]);
  c_y[v] += y[q] * cos(y[v]);
  if (order < 2) return DM_OK;
  c_yy[v0 * m + u0] += 1;
  c_yy[u0 * m + v0] += 1;
  c_yy[q * m + v] += cos(y[v]);
  c_yy[v * m + q] += cos(y[v]);
  c_yy[v * m + v] -= y[q] * sin(y[v]);
  return DM_OK;
}

// the power of the first motor, v_0 u_0
static dm_status eval_power(const void *self, const functions_own *at, int order, const double *y,
                            double *c, double *c_y, double *c_yy) {
  (void)self;
  int m = 2 * at->n + at->nf, v = at->n, u = 2 * at->n;
  *c += y[v] * y[u];
  if (order < 1) return DM_OK;
  c_y[v] += y[u];
  c_y[u] += y[v];
  if (order < 2) return DM_OK;
  c_yy[v * m + u] += 1;
  c_yy[u * m + v] += 1;
  return DM_OK;
}

// the first input
static dm_status eval_input(const void *self, const functions_own *at, int order, const double *y,
                            double *c, double *c_y, double *c_yy) {
  (void)self, (void)c_yy;
  *c += y[2 * at->n];
  if (order > 0) c_y[2 * at->n] += 1;
  return DM_OK;
}

// the first velocity
static dm_status eval_speed(const void *self, const functions_own *at, int order, const double *y,
                            double *c, double *c_y, double *c_yy) {
  (void)self, (void)c_yy;
  *c += y[at->n];
  if (order > 0) c_y[at->n] += 1;
  return DM_OK;
}

// q_0^2 + v_0^2, a disk in the phase plane of the first coordinate
static dm_status eval_disk(const void *self, const functions_own *at, int order, const double *y,
                           double *c, double *c_y, double *c_yy) {
  (void)self;
  int m = 2 * at->n + at->nf, v = at->n;
  *c += y[0] * y[0] + y[v] * y[v];
  if (order < 1) return DM_OK;
  c_y[0] += 2 * y[0];
  c_y[v] += 2 * y[v];
  if (order < 2) return DM_OK;
  c_yy[0] += 2;
  c_yy[v * m + v] += 2;
  return DM_OK;
}

// fixed and free final time, constraints, kinematic coordinates, momentum's cost beside them
static void derivatives_hold(void **state) {
  (void)state;
  functions_own own[] = {{.name = "mixed", .eval = eval_mixed},
                         {.name = "power", .eval = eval_power}};
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_acrobot(20), tasks_four_bar(20)};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 2; way++) {
      oc_task *t = &tasks[i].t;
      const oc_path_constraint mixed[] = {functions_path(&own[0], t, -1, 2),
                                          functions_path(&own[1], t, -INFINITY, 3)};
      t->functions.paths = mixed;
      t->functions.npaths = 2;
      t->time.free = way;
      t->time.min = 0.5 * t->time.T;
      t->time.max = 2 * t->time.T;
      t->time.grid = i == 1 ? tasks_knots() : NULL;
      checked_task(t, NULL, 1);
    }
  for (int i = 0; i < 3; i++) tasks_free(&tasks[i]);
}

// the least effort of a task, NAN where there is none
static double minimize(const oc_task *t, dm_trajectory **motion) {
  oc_solve_info info;
  dm_status s = oc_solve(t, NULL, motion, &info, &msg);
  if (s == DM_UNAVAILABLE) return NAN;
  if (s != DM_OK) fail_msg("%s", msg.text);
  return info.objective;
}

// the largest power of the first input, which drives the first coordinate
static double most_power(const oc_task *t, const dm_trajectory *x) {
  double most = 0;
  for (int k = 0; k < t->N; k++) {
    double v = (x->q[(k + 1) * x->n] - x->q[k * x->n]) / x->h;
    most = fmax(most, fabs(v * x->u[k * x->nu]));
  }
  return most;
}

// limits of an input are a path constraint, too; one on power binds, costs, and is kept
static void a_bound_is_a_path_constraint(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(40);
  oc_task *t = &task.t;
  double low[] = {-15}, high[] = {15};
  dm_trajectory *motion;
  t->bounds[OC_U].low = low;
  t->bounds[OC_U].high = high;
  double bound = minimize(t, &motion);
  dm_trajectory_free(motion);
  if (isnan(bound)) {
    tasks_free(&task);
    skip_test(NO_IPOPT);
  }

  functions_own own[] = {{.name = "limit", .eval = eval_input},
                         {.name = "power", .eval = eval_power}};
  const oc_path_constraint limit[] = {functions_path(&own[0], t, -15, 15)};
  t->bounds[OC_U].low = t->bounds[OC_U].high = NULL;
  t->functions.paths = limit;
  t->functions.npaths = 1;
  double path = minimize(t, &motion);
  dm_trajectory_free(motion);
  assert_close(path, bound, 1e-6 * bound);

  // power at most 20 W: less than the motion above takes
  const oc_path_constraint power[] = {functions_path(&own[1], t, -20, 20)};
  t->functions.paths = power;
  double weaker = minimize(t, &motion), most = most_power(t, motion);
  assert_true(most <= 20 * (1 + 1e-7) && most > 19.9);
  assert_true(weaker > 0);
  dm_trajectory_free(motion);
  tasks_free(&task);
}

// a descent from rest in N steps keeps a path constraint that binds, and ends where the program does
static void check_descent(functions_own own, double low, double high, int N, double tolerance) {
  tasks_task task = tasks_cart_pole(N);
  oc_task *t = &task.t;
  const oc_path_constraint path = functions_path(&own, t, low, high);
  dm_trajectory *motion;
  double unbound = minimize(t, &motion), best;
  dm_trajectory_free(motion);
  t->functions.paths = &path;
  t->functions.npaths = 1;
  best = minimize(t, &motion);
  assert_true(best > 1.05 * unbound);

  oc_options set = oc_options_default();
  oc_descent_info info;
  assert_int_equal(oc_guess_rollout(t, NULL, motion), DM_OK);
  if (oc_descend(t, &set, NULL, motion, NULL, 0, &info, &msg) != DM_OK)
    fail_msg("%s, %d steps: %s", own.name, N, msg.text);
  assert_true(info.residual <= set.descent.goal);
  assert_close(info.cost, best, tolerance * best);
  dm_trajectory_free(motion);
  tasks_free(&task);
}

static void a_descent_keeps_path_constraints(void **state) {
  (void)state;
  if (!oc_ipopt_is_built()) skip_test(NO_IPOPT);
  const functions_own own[] = {{.name = "speed", .eval = eval_speed},
                               {.name = "disk", .eval = eval_disk},
                               {.name = "power", .eval = eval_power}};
  for (int N = 30; N <= 50; N += 10) {
    check_descent(own[0], -2, 2, N, 1e-6);
    check_descent(own[1], -INFINITY, 4, N, 1e-6);
    check_descent(own[2], -20, 20, N, 1e-2); // of several minima beside each other
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(10);
  oc_transcription *p = NULL;
  functions_own own[] = {{.name = "none"},
                         {.name = "empty", .eval = eval_power},
                         {.name = "power", .eval = eval_power}};
  const oc_path_constraint none[] = {functions_path(&own[0], &task.t, 0, 1)};
  const oc_path_constraint empty[] = {functions_path(&own[1], &task.t, 2, 1)};
  task.t.functions.npaths = 1;
  task.t.functions.paths = none;
  assert_int_equal(oc_transcription_new(&p, &task.t, &msg), DM_BAD_INPUT);
  task.t.functions.paths = empty;
  assert_int_equal(oc_transcription_new(&p, &task.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'empty': found bounds [2, 1]"));

  // nor are they dropped in silence where gains come from the optimum
  const oc_path_constraint power[] = {functions_path(&own[2], &task.t, -1, 1)};
  task.t.functions.paths = power;
  task.t.bounds[OC_Q].low = task.t.bounds[OC_Q].high = task.t.bounds[OC_V].high = NULL;
  dm_trajectory *x = NULL;
  fb_tvlqr *gains = NULL;
  double slope;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, task.t.N, &task.t.system), DM_OK);
  assert_int_equal(oc_neighboring_extremal_gains(&gains, &task.t, x, NULL, &slope, &failed, &msg),
                   DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "cannot have path constraints"));
  assert_null(gains);
  dm_trajectory_free(x);
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(a_bound_is_a_path_constraint),
      cmocka_unit_test(a_descent_keeps_path_constraints),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
