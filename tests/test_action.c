// Tasks as programs in the knots (q,v): derivatives, the same minimum as Newton's and as the
// first-order program's, limits, and what is refused.
#include "optim/action.h"
#include "optim/agreement.h"
#include "optim/ipopt.h"
#include "optim/newton.h"
#include "tests/arm.h"
#include "tests/programs.h"
#include "tests/second.h"
#include "tests/springs.h"
#include "tests/tasks.h"

enum { STEPS = 4 };
static dm_message msg;

static oc_action_settings settings(const tasks_task *x, const char *rule) {
  oc_action_settings set = {.m = x->m};
  if (x->springs) set.V = dm_springs_potential(x->springs);
  assert_int_equal(dm_second_rule_set(&set.rule, rule, 2, NULL), DM_OK);
  return set;
}

static oc_action *open_action(const tasks_task *x, const oc_action_settings *set) {
  oc_action *w = NULL;
  if (oc_action_new(&w, &x->t, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

// -- derivatives

static dm_model *chain(void) {
  return models_chain(4, 0.7, 0);
}
static dm_model *tree(void) {
  return models_random_tree(6, false, 11);
}
static dm_model *(*const machines[])(void) = {chain, tree, models_cart_pole, models_acrobot};

static void derivatives_are_exact(void **state) {
  (void)state;
  static const char *const rule[] = {"taylor", "taylor-ends", "hermite-gauss", "hermite-lobatto"};
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int r = 0; r < COUNT(rule); r++) {
      tasks_task x = tasks_make(machines[machine](), STEPS, 0.9);
      int n = x.m->nq, nu = x.m->nu;
      bool full = nu == n;
      if (!full && r == 3) {
        tasks_free(&x);
        continue;
      }
      if (machine == 1) tasks_spring(&x, springs_of_every_kind(x.m));
      for (int i = 0; i < n; i++) x.m->damping[i] = 0.1 * (i + 1);
      x.m->u_min[0] = -3, x.m->u_max[nu - 1] = 2, x.m->v_max[n - 1] = 2;
      x.m->q_min[0] = -0.1, x.m->q_max[0] = 0.2;
      x.t.w_u = tasks_weight(&x, 0, nu, 0.4);
      x.t.w_q = tasks_weight(&x, 1, n, 1.3), x.t.w_v = tasks_weight(&x, 2, n, 0.7);
      x.t.wf_q = tasks_weight(&x, 3, n, 2.1), x.t.wf_v = tasks_weight(&x, 4, n, 1.1);
      x.t.sum = r == 1;
      unsigned long long seed = 5;
      const double **refs[] = {&x.t.ref_q, &x.t.ref_v, NULL, &x.t.ref_u};
      for (int i = 0; i < 4; i++) {
        double *ref = tasks_reference(&x, i);
        for (int j = 0; j < (i < 3 ? (STEPS + 1) * n : STEPS * nu); j++)
          ref[j] = models_random(&seed);
        if (refs[i]) *refs[i] = ref;
      }
      double *penalty = calloc((size_t)n, sizeof *penalty);
      penalty[0] = 3;
      oc_action_settings set = settings(&x, rule[r]);
      set.underactuated = !full;
      if (full) set.penalty = penalty;
      oc_action *w = open_action(&x, &set);
      char what[80];
      snprintf(what, sizeof what, "machine %d by %s", machine, rule[r]);
      at a = point_of(oc_action_nlp(w), 7);
      check_point(&a, what);
      double *zero = calloc((size_t)a.p->n, sizeof *zero);
      check_pattern(&a, zero);
      free(zero), free(penalty);
      drop(&a);
      oc_action_free(w);
      tasks_free(&x);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
