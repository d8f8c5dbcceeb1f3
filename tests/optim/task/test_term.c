// tests/optim/task/test_term.c: a term of one's own is one function: its derivatives come
// through all three programs, the quadratic cost written as a term is the quadratic cost, and the
// descent and the transcription find the same motion by it.
#include "lib/base/block.h"
#include "optim/descent/descent.h"
#include "tests/support/actions.h"
#include "tests/support/checked.h"
#include "tests/support/functions.h"

static dm_message msg;

// w (1 - cos q_0) v_last u_last + exp(q_0 u_0 / 10): everything meets everything
static dm_status eval_mixed(const void *self, const functions_own *at, int order, const double *y,
                            double *c, double *c_y, double *c_yy) {
  double w = *(const double *)self;
  int m = 2 * at->n + at->nf, v = 2 * at->n - 1, u = m - 1, first = 2 * at->n;
  double s = sin(y[0]), g = 1 - cos(y[0]), e = exp(y[0] * y[first] / 10);
  *c += w * g * y[v] * y[u] + e;
  if (order < 1) return DM_OK;
  c_y[0] += w * s * y[v] * y[u] + e * y[first] / 10;
  c_y[v] += w * g * y[u];
  c_y[u] += w * g * y[v];
  c_y[first] += e * y[0] / 10;
  if (order < 2) return DM_OK;
  double cross = e / 10 + e * y[0] * y[first] / 100;
  c_yy[0] += w * cos(y[0]) * y[v] * y[u] + e * y[first] * y[first] / 100;
  c_yy[v] += w * s * y[u];
  c_yy[v * m] += w * s * y[u];
  c_yy[u] += w * s * y[v];
  c_yy[u * m] += w * s * y[v];
  c_yy[u * m + v] += w * g;
  c_yy[v * m + u] += w * g;
  c_yy[first] += cross;
  c_yy[first * m] += cross;
  c_yy[first * m + first] += e * y[0] * y[0] / 100;
  return DM_OK;
}

// 1/2 w y^2 of every entry of (q,v,u), w [m]
static dm_status eval_squares(const void *self, const functions_own *at, int order, const double *y,
                              double *c, double *c_y, double *c_yy) {
  const double *w = self;
  int m = 2 * at->n + at->nf;
  for (int i = 0; i < m; i++) {
    *c += 0.5 * w[i] * y[i] * y[i];
    if (order > 0) c_y[i] += w[i] * y[i];
    if (order > 1) c_yy[i * m + i] += w[i];
  }
  return DM_OK;
}

static const double weight = 0.3;
static functions_own mixed = {.name = "mixed", .self = &weight, .eval = eval_mixed};

// fixed and free final time, integral and sum, constraints, kinematic coordinates, momentum's cost
static void derivatives_hold_in_first_order(void **state) {
  (void)state;
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_acrobot(20), tasks_four_bar(20)};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 4; way++) {
      oc_task *t = &tasks[i].t;
      const oc_term term = functions_term(&mixed, t);
      t->functions.terms = &term;
      t->functions.nterms = 1;
      t->time.free = way & 1;
      t->time.min = 0.5 * t->time.T;
      t->time.max = 2 * t->time.T;
      t->sum = way & 2;
      checked_task(t, NULL, 7);
    }
  const oc_term term = functions_term(&mixed, &tasks[0].t);
  tasks[0].t.functions.terms = &term;
  tasks[0].t.cost[OC_P].running = tasks_weight(&tasks[0], 1, 2, 0.4);
  checked_task(&tasks[0].t, NULL, 7);
  for (int i = 0; i < 3; i++) tasks_free(&tasks[i]);
}

static void derivatives_hold_in_second_order(void **state) {
  (void)state;
  static const double gear[] = {2, -0.5};
  for (int way = 0; way < 4; way++) {
    tasks_task x = arm_task(8);
    oc_torque_transcription_settings second = settings(&x, "hermite-gauss");
    oc_setup set = oc_setup_default();
    set.second = &second;
    const oc_term term = functions_term(&mixed, &x.t);
    x.t.functions.terms = &term;
    x.t.functions.nterms = 1;
    x.t.sum = way & 1;
    if (way & 2) x.t.system.input_gear = gear;
    assert_true(oc_torque_transcription_binds(&x.t, &second, NULL));
    checked_task(&x.t, &set, 7);
    tasks_free(&x);
  }
}

// the objective with the cost as weights, and as a term
static double solve_for_cost(const oc_task *task, const oc_setup *set) {
  oc_solve_info info;
  dm_trajectory *motion;
  dm_status s = oc_solve(task, set, &motion, &info, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (s != DM_OK && s != DM_ACCEPTABLE) fail_msg("%s", s < 0 ? msg.text : info.detail);
  dm_trajectory_free(motion);
  return info.objective;
}

static void squares_as_a_term_are_the_quadratic_cost(void **state) {
  (void)state;
  static const double w[] = {0.5, 0.7, 0.2, 0.1, 1, 1};
  tasks_task x = tasks_cart_pole(20), jib = arm_task(20);
  functions_own square = {.name = "squares", .self = w, .eval = eval_squares};
  const oc_term squares = functions_term(&square, &x.t);
  oc_setup set = oc_setup_default();
  x.t.cost[OC_Q].running = w;
  x.t.cost[OC_V].running = w + 2;
  double one = solve_for_cost(&x.t, &set);
  x.t.cost[OC_Q].running = x.t.cost[OC_V].running = x.t.cost[OC_U].running = NULL;
  x.t.functions.terms = &squares;
  x.t.functions.nterms = 1;
  assert_close(solve_for_cost(&x.t, &set), one, 1e-7 * one);

  // of second order inputs keep a weight, and half of it is a term's
  static const double half[] = {0.5, 0.7, 0.2, 0.1, 0.5, 0.5};
  square.self = half;
  const oc_term halves = functions_term(&square, &jib.t);
  oc_torque_transcription_settings second = settings(&jib, "hermite-gauss");
  set.second = &second;
  set.options.method = OC_SOLVER_IPOPT;
  jib.t.cost[OC_Q].running = w;
  jib.t.cost[OC_V].running = w + 2;
  one = solve_for_cost(&jib.t, &set);
  jib.t.cost[OC_Q].running = jib.t.cost[OC_V].running = NULL;
  jib.t.cost[OC_U].running = half + 4;
  jib.t.functions.terms = &halves;
  jib.t.functions.nterms = 1;
  assert_close(solve_for_cost(&jib.t, &set), one, 1e-6 * one);
  tasks_free(&x);
  tasks_free(&jib);
}

// c grows with (1 - cos q) u^2: bounded below, and no quadratic cost
static dm_status eval_leaning(const void *self, const functions_own *at, int order, const double *y,
                              double *c, double *c_y, double *c_yy) {
  (void)self;
  int m = 2 * at->n + at->nf, u = m - 1;
  double g = 1 - cos(y[0]), s = sin(y[0]), v = y[at->n];
  *c += g * y[u] * y[u] + 0.1 * v * v * g;
  if (order > 0) {
    c_y[0] += s * (y[u] * y[u] + 0.1 * v * v);
    c_y[at->n] += 0.2 * v * g;
    c_y[u] += 2 * g * y[u];
  }
  if (order > 1) {
    c_yy[0] += cos(y[0]) * (y[u] * y[u] + 0.1 * v * v);
    c_yy[at->n] += 0.2 * v * s;
    c_yy[at->n * m] += 0.2 * v * s;
    c_yy[at->n * m + at->n] += 0.2 * g;
    c_yy[u] += 2 * s * y[u];
    c_yy[u * m] += 2 * s * y[u];
    c_yy[u * m + u] += 2 * g;
  }
  return DM_OK;
}

// from the transcription's minimum the descent has nowhere to go, and Newton's steps from a motion
// nearby converge to it
static void descent_and_transcription_agree(void **state) {
  (void)state;
  functions_own leaning = {.name = "leaning", .eval = eval_leaning};
  tasks_task x = tasks_make(models_pendulum(), 20, 2);
  tasks_rest(&x, 0, (double[]){0.5});
  x.t.bounds[OC_U].low = x.t.bounds[OC_U].high = x.t.bounds[OC_Q].low = x.t.bounds[OC_Q].high =
      x.t.bounds[OC_V].high = NULL;
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  x.t.cost[OC_Q].running = tasks_weight(&x, 1, 1, 2);
  const oc_term term = functions_term(&leaning, &x.t);
  x.t.functions.terms = &term;
  x.t.functions.nterms = 1;
  double cost = solve_for_cost(&x.t, NULL);

  oc_options set = oc_options_default();
  oc_descent_info info;
  dm_trajectory *motion;
  set.descent.slope = 1e-12;
  assert_int_equal(dm_trajectory_of(&motion, x.t.N, &x.t.system), DM_OK);
  motion->h = x.t.time.T / x.t.N;
  for (int k = 0; k <= x.t.N; k++) motion->q[k] = 0.5;
  dm_status s = oc_descend(&x.t, &set, NULL, motion, NULL, 0, &info, &msg);
  if (s != DM_OK) fail_msg("%s", msg.text);
  assert_close(info.cost, cost, 1e-7);
  assert_true(info.iterations < 20);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

static dm_status eval_nowhere(const void *self, const functions_own *at, int order, const double *y,
                              double *c, double *c_y, double *c_yy) {
  (void)self, (void)at, (void)order, (void)y, (void)c, (void)c_y, (void)c_yy;
  return DM_NOT_FINITE;
}

static void a_term_without_a_value_is_not_finite(void **state) {
  (void)state;
  tasks_task x = tasks_make(models_pendulum(), 4, 1);
  functions_own nowhere = {.name = "nowhere", .eval = eval_nowhere};
  const oc_term terms[] = {functions_term(&mixed, &x.t), functions_term(&nowhere, &x.t)};
  const oc_term_place at = {.k = 0};
  oc_term_work w = {.n = 1, .nf = 1, .N = 4};
  dm_block b = {0};
  oc_term_work_lay_out(&w, &b, &(oc_functions){.nterms = 2, .terms = terms});
  assert_int_equal(dm_block_new(&b), DM_OK);
  oc_term_work_lay_out(&w, &b, &(oc_functions){.nterms = 2, .terms = terms});
  for (int i = 0; i < 3; i++) w.x[i] = 0.1 * (i + 1);
  assert_true(isfinite(oc_terms_eval(&w, 1, terms, at, 2)));
  assert_true(isfinite(w.c_x[2]) && isfinite(w.c_xx[8]));
  assert_true(isnan(oc_terms_eval(&w, 2, terms, at, 2)));
  assert_true(isnan(w.c_x[2]) && isnan(w.c_xx[8]));
  dm_block_free(b.base);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold_in_first_order),
      cmocka_unit_test(derivatives_hold_in_second_order),
      cmocka_unit_test(squares_as_a_term_are_the_quadratic_cost),
      cmocka_unit_test(descent_and_transcription_agree),
      cmocka_unit_test(a_term_without_a_value_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
