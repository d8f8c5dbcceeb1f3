// The terminal cost and the goal, as a function of the last state: gradient and Hessian against
// differences by the order of their error, on a tree, and with prescribed coordinates.
#include "optim/descent/terminal.h"
#include "tests/support/tasks.h"

enum { MOST = 60 };

typedef struct merit {
  oc_terminal *t;
  int n;
} merit;

static void value(void *self, const double *x, double *out) {
  merit *m = self;
  double cost;
  assert_int_equal(oc_terminal_value(m->t, x, x + m->n, &cost, out), DM_OK);
}

static void off_goal(void *self, const double *x, double *out) {
  merit *m = self;
  double all;
  value(m, x, &all);
  memcpy(out, m->t->off, (size_t)m->t->ng * sizeof *out);
}

static void gradient(void *self, const double *x, double *out) {
  merit *m = self;
  assert_int_equal(oc_terminal_derivatives(m->t, false, x, x + m->n), DM_OK);
  memcpy(out, m->t->g, (size_t)(2 * m->n) * sizeof *out);
}

// momenta of a random velocity, so that speeds are moderate whatever the inertia
static void random_state(const merit *m, const double *q, const double *v, double *x) {
  memcpy(x, q, (size_t)m->n * sizeof *x);
  assert_int_equal(dm_momentum_of(m->t->c, q, v, x + m->n), DM_OK);
}

static void check(tasks_task *task, uint64_t seed) {
  int n = task->m->nq;
  merit m = {.n = n};
  double q[MOST], v[MOST], x[2 * MOST], d[2 * MOST], exact[2 * MOST], Hd[2 * MOST];
  assert_true(n <= MOST);
  assert_int_equal(oc_terminal_new(&m.t, &task->t), DM_OK);
  assert_true(m.t->ng > 0);
  m.t->penalty = 3;
  for (int i = 0; i < m.t->ng; i++) m.t->multiplier[i] = models_random(&seed);
  for (int i = 0; i < n; i++) q[i] = models_random(&seed), v[i] = models_random(&seed);
  random_state(&m, q, v, x);
  for (int i = 0; i < n; i++) q[i] += models_random(&seed), v[i] += models_random(&seed);
  random_state(&m, q, v, d);
  for (int i = 0; i < 2 * n; i++) d[i] -= x[i];

  gradient(&m, x, Hd);
  *exact = 0;
  for (int i = 0; i < 2 * n; i++) *exact += Hd[i] * d[i];
  models_check_derivative(value, &m, 2 * n, 1, x, d, exact, 1e-3, "gradient of the merit");

  assert_int_equal(oc_terminal_derivatives(m.t, true, x, x + n), DM_OK);
  for (int i = 0; i < 2 * n; i++) {
    Hd[i] = 0;
    for (int j = 0; j < 2 * n; j++) {
      Hd[i] += m.t->H[i * 2 * n + j] * d[j];
      assert_close(m.t->H[i * 2 * n + j], m.t->H[j * 2 * n + i],
                   1e-9 * fabs(m.t->H[i * 2 * n + j]) + 1e-9);
    }
  }
  models_check_derivative(gradient, &m, 2 * n, 2 * n, x, d, Hd, 1e-3, "Hessian of the merit");

  assert_int_equal(oc_terminal_derivatives(m.t, false, x, x + n), DM_OK);
  for (int g = 0; g < m.t->ng; g++) {
    Hd[g] = 0;
    for (int i = 0; i < 2 * n; i++) Hd[g] += m.t->E[g * 2 * n + i] * d[i];
  }
  models_check_derivative(off_goal, &m, 2 * n, m.t->ng, x, d, Hd, 1e-3, "derivative of the goal");
  oc_terminal_free(m.t);
}

// a goal for some coordinates and velocities, costs on all, references
static void dress(tasks_task *x, uint64_t seed) {
  int n = x->m->nq;
  double *q_goal = (double *)x->t.goal.q, *v_goal = (double *)x->t.goal.v;
  for (int i = 0; i < n; i++) {
    if (i % 3) q_goal[i] = models_random(&seed);
    if (i % 2 == 0) v_goal[i] = models_random(&seed);
  }
  x->t.cost[OC_Q].goal = tasks_weight(x, 3, n, 2),
  x->t.cost[OC_V].goal = tasks_weight(x, 4, n, 0.7);
  x->t.cost[OC_P].goal = tasks_weight(x, 5, n, 0.4);
  for (int which = 0; which < 3; which++) {
    double *ref = tasks_reference(x, which);
    for (int i = 0; i < (x->t.N + 1) * n; i++) ref[i] = models_random(&seed);
    *(const double **[]){&x->t.cost[OC_Q].reference, &x->t.cost[OC_V].reference,
                         &x->t.cost[OC_P].reference}[which] = ref;
  }
}

static void derivatives_of_a_tree_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    tasks_task x = tasks_make(models_random_tree(2 + (int)seed, false, seed), 3, 1);
    dress(&x, seed);
    check(&x, 10 + seed);
    tasks_free(&x);
  }
}

static void derivatives_with_prescribed_coordinates_are_exact(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(3);
  dress(&x, 5);
  check(&x, 6);
  tasks_free(&x);
}

// multipliers pull as a penalty does; a free entry pulls at nothing
static void multipliers_pull_as_a_penalty_does(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(INFINITY);
  oc_terminal *t;
  double q = 3, p = 0.5, cost, all;
  x.t.scales.pace = 1; // 1 rad/s is the size of the goal's velocity
  assert_int_equal(oc_terminal_new(&t, &x.t), DM_OK);
  t->penalty = 10;
  assert_int_equal(oc_terminal_derivatives(t, true, &q, &p), DM_OK);
  double pull = t->g[0];
  assert_close(pull, 10 * (3 - TASKS_PI), 1e-14);
  assert_close(t->residual, 0.5, 1e-14);
  assert_int_equal(t->ng, 2);
  for (int g = 0; g < 2; g++) t->multiplier[g] = t->penalty * t->off[g];
  q = TASKS_PI;
  assert_int_equal(oc_terminal_derivatives(t, true, &q, &p), DM_OK);
  assert_close(t->g[0], pull, 1e-14);
  assert_int_equal(oc_terminal_value(t, &q, &(double){0}, &cost, &all), DM_OK);
  assert_true(cost == 0 && all == 0);
  oc_terminal_free(t);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_a_tree_are_exact),
      cmocka_unit_test(derivatives_with_prescribed_coordinates_are_exact),
      cmocka_unit_test(multipliers_pull_as_a_penalty_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
