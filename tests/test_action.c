// Tasks as programs in the knots (q,v): their derivatives, and what is refused. What they end in is
// in test_agreement.c.
#include "tests/actions.h"
#include "tests/allocations.h"
#include "tests/forces.h"
#include "tests/programs.h"
#include "tests/springs.h"

static dm_message said;

enum { STEPS = 4 };

// -- derivatives

static dm_model *chain(void) {
  return models_chain(4, 0.7, 0);
}
static dm_model *tree(void) {
  return models_random_tree(6, false, 11);
}
static dm_model *(*const machines[])(void) = {chain, tree, models_cart_pole, models_acrobot};

// and their evaluation allocates nothing
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
      dm_loads *loads = NULL;
      if (machine == 1) { // springs, dampers and constant wrenches
        dm_load list[FORCES_KINDS];
        for (int k = 0; k < FORCES_KINDS; k++) list[k] = forces_load(k, false, 5 - k % 3);
        assert_int_equal(dm_loads_new(&loads, x.m, FORCES_KINDS, list, NULL), DM_OK);
        dm_system_add_force(&x.t.system, dm_loads_force(loads));
        tasks_spring(&x, springs_of_every_kind(x.m));
      }
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
      int before = allocations;
      double f;
      objective(&a, a.x, &f), constraints(&a, a.x, a.out);
      lagrangian_gradient(&a, a.x, a.out), hessian(&a, a.x);
      assert_int_equal(allocations, before);
      free(zero), free(penalty);
      drop(&a);
      oc_action_free(w);
      dm_loads_free(loads);
      tasks_free(&x);
    }
}

// -- what is not taken

static const double ones[] = {1, 1, 1};

static void say_constraint(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.system.hol.nc = 1;
}
static void say_kinematic(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->m->kinematic[1] = true;
  x->t.system.nk = 1, x->t.system.kinematic = x->m->kinematic;
}
static void say_two_inputs(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->m->input_coord[1] = 0;
}
static void say_time(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.free_time = true;
}
static void say_momentum(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.w_p = ones;
}
static void say_last_momentum(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.wf_p = ones;
}
static void say_nothing_costs(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.w_u = tasks_weight(x, 0, 2, 0);
}
static void say_rule(tasks_task *x, oc_action_settings *set) {
  (void)x;
  assert_int_equal(dm_second_rule_set(&set->rule, "difference-midpoint", 2, NULL), DM_OK);
}
static void say_steps(tasks_task *x, oc_action_settings *set) {
  (void)set;
  x->t.N = 0;
}

static void what_is_not_taken_is_named(void **state) {
  (void)state;
  static const struct {
    void (*say)(tasks_task *, oc_action_settings *);
    dm_status status;
    const char *key, *sentence;
  } row[] = {{say_constraint, DM_BAD_INPUT, "model.constraints", "found constraints"},
             {say_kinematic, DM_BAD_INPUT, "model.kinematic", "'j1' is kinematic"},
             {say_two_inputs, DM_BAD_INPUT, "inputs", "several inputs on 'j0'"},
             {say_time, DM_BAD_INPUT, "horizon.time", "a free final time"},
             {say_momentum, DM_BAD_INPUT, "cost.state.p", "momenta take no cost"},
             {say_last_momentum, DM_BAD_INPUT, "cost.terminal.p", "momenta take no cost"},
             {say_nothing_costs, DM_BAD_INPUT, "cost.input", "no cost on the input 'j0'"},
             {say_rule, DM_SINGULAR, "rule.second", "'difference-midpoint' is degenerate"},
             {say_steps, DM_BAD_INPUT, "horizon", "steps must be at least 1"}};
  for (int r = 0; r < COUNT(row); r++) {
    tasks_task x = arm_task(4);
    oc_action_settings set = settings(&x, "taylor");
    oc_action *w = NULL;
    const char *key = NULL;
    row[r].say(&x, &set);
    assert_int_equal(oc_action_check(&x.t, &set, &key, &said), row[r].status);
    assert_string_equal(key, row[r].key);
    if (!strstr(said.text, row[r].sentence)) fail_msg("%s", said.text);
    assert_int_equal(oc_action_new(&w, &x.t, &set, &said), row[r].status);
    assert_null(w);
    tasks_free(&x);
  }
  // inputs that are missing: said, or the form for them, which takes two nodes a step
  tasks_task x = tasks_acrobot(4);
  oc_action_settings set = settings(&x, "hermite-lobatto");
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &said), DM_BAD_INPUT);
  assert_non_null(strstr(said.text, "no input on 'j0'"));
  set.underactuated = true;
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &said), DM_BAD_INPUT);
  assert_non_null(strstr(said.text, "found 3 nodes a step"));
  set = settings(&x, "taylor"), set.underactuated = true;
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &said), DM_OK);
  tasks_free(&x);
}

static void what_binds_is_named(void **state) {
  (void)state;
  double *ref;
  for (int r = 0; r < 8; r++) {
    tasks_task x = arm_task(4);
    oc_action_settings set = settings(&x, "taylor");
    static const char *const sentence[] = {
        "the position of 'j1' has a limit", "the velocity of 'j0' has a limit",
        "the input of 'j1' has a limit",    "'j1' has no input",
        "there is a terminal cost",         "the cost's reference moves",
        "the cost's reference moves",       "the inputs' cost has a reference"};
    ref = tasks_reference(&x, r == 7 ? 3 : 0);
    ref[3] = 1;
    if (r == 0) x.m->q_max[1] = 2;
    if (r == 1) x.m->v_max[0] = 2;
    if (r == 2) x.m->u_min[1] = -2;
    if (r == 3) x.t.system.nu = 1;
    if (r == 4) x.t.wf_v = ones;
    if (r == 5) x.t.w_q = ones, x.t.ref_q = ref;
    if (r == 6) x.t.w_v = ones, x.t.ref_v = ref;
    if (r == 7) x.t.ref_u = ref;
    assert_true(oc_action_binds(&x.t, &set, &said));
    assert_string_equal(said.text, sentence[r]);
    if (r == 0) { // in place of a limit a penalty
      set.penalty = ones;
      assert_false(oc_action_binds(&x.t, &set, &said));
    }
    tasks_free(&x);
  }
}

// the slope beyond the limits, where the penalty stands in their place
static void a_penalty_is_linear_outside(void **state) {
  (void)state;
  tasks_task x = arm_task(1);
  oc_action_settings set = settings(&x, "taylor");
  double X[] = {0, 0, 0, 0, 0, 0, 0, 0}, with, without;
  x.m->q_min[0] = -0.5, x.m->q_max[0] = 0.25;
  tasks_rest(&x, 1, (double[]){0, 0});
  for (int side = -1; side <= 1; side++) {
    X[0] = X[4] = side; // the node as well
    set.penalty = NULL;
    oc_action *w = open_action(&x, &set);
    const oc_nlp *p = oc_action_nlp(w);
    assert_int_equal(p->f(p->self, X, &without), DM_OK);
    oc_action_free(w);
    set.penalty = (double[]){3, 0};
    w = open_action(&x, &set), p = oc_action_nlp(w);
    assert_int_equal(p->f(p->self, X, &with), DM_OK);
    assert_close(with - without, side < 0 ? 1.5 : side > 0 ? 2.25 : 0, 1e-12);
    oc_action_free(w);
  }
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(what_is_not_taken_is_named),
      cmocka_unit_test(what_binds_is_named),
      cmocka_unit_test(a_penalty_is_linear_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
