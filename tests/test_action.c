// Tasks as programs in the knots (q,v): derivatives, the same minimum as Newton's and as the
// first-order program's, limits, and what is refused.
#include "optim/action.h"
#include "optim/agreement.h"
#include "optim/guess.h"
#include "optim/ipopt.h"
#include "optim/newton.h"
#include "tests/allocations.h"
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
      int before = allocations;
      double f;
      objective(&a, a.x, &f), constraints(&a, a.x, a.out);
      lagrangian_gradient(&a, a.x, a.out), hessian(&a, a.x);
      assert_int_equal(allocations, before);
      free(zero), free(penalty);
      drop(&a);
      oc_action_free(w);
      tasks_free(&x);
    }
}

// -- solutions

// by IPOPT from the point x
static oc_ipopt_info solve(oc_action *w, double *x) {
  const oc_nlp *p = oc_action_nlp(w);
  oc_ipopt_settings set;
  oc_ipopt_info info;
  double least;
  oc_ipopt_default(&set);
  assert_int_equal(oc_action_rounding(w, x, &least), DM_OK);
  set.rounding = least;
  oc_point point = {.x = x,
                    .lambda = calloc((size_t)(p->m + 1), sizeof(double)),
                    .z_l = calloc((size_t)p->n, sizeof(double)),
                    .z_u = calloc((size_t)p->n, sizeof(double))};
  dm_status s = oc_ipopt_solve(p, &set, &point, NULL, 0, &info);
  free(point.lambda), free(point.z_l), free(point.z_u);
  if (s == DM_UNAVAILABLE) skip();
  if (s != DM_OK) fail_msg("%s", info.detail);
  return info;
}

// the arm of paper 003, from hanging to upright in a second: its own model, and the task
static tasks_task arm_task(int N) {
  tasks_task x = tasks_make(models_chain(2, 1, 0), N, 1);
  x.m->gravity.z = -9.8;
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){ARM_PI, 0});
  x.t.w_u = tasks_weight(&x, 0, 2, 1);
  return x;
}

// the two solvers end at the same knots, of the recorded cost
static void both_solvers_find_the_recorded_swing(void **state) {
  (void)state;
  enum { N = 20, SIZE = 4 };
  tasks_task x = arm_task(N);
  oc_action_settings set = settings(&x, "taylor");
  oc_action *w = open_action(&x, &set);
  assert_false(oc_action_binds(&x.t, &set, NULL));
  double one[(N + 1) * SIZE], two[(N + 1) * SIZE];
  arm_bow(N, 1.5, one), arm_bow(N, 1.5, two);
  oc_ipopt_info info = solve(w, one);
  assert_close(info.objective, 77.30431, 6e-6);
  oc_newton *newton = NULL;
  oc_newton_settings how;
  oc_newton_info found;
  oc_newton_default(&how);
  dm_status s = oc_newton_new(&newton, oc_action_second(w), N, oc_action_end(w, 0),
                              oc_action_end(w, 1), &msg);
  if (s == DM_OK) s = oc_newton_solve(newton, &how, 1. / N, two, NULL, 0, &found, &msg);
  if (s != DM_OK && s != DM_UNAVAILABLE) fail_msg("%s", msg.text);
  for (int i = 0; s == DM_OK && i < (N + 1) * SIZE; i++) assert_close(one[i], two[i], 1e-6);
  oc_newton_free(newton), oc_action_free(w), tasks_free(&x);
}

// limits hold at knots, in the middle of steps and at nodes, some of them to their end, and a
// motion that is free has another optimum
static void limits_are_met(void **state) {
  (void)state;
  enum { N = 40, SIZE = 4 };
  static const double torque = 25, speed = 5.5;
  tasks_task x = arm_task(N);
  oc_action_settings set = settings(&x, "hermite-gauss");
  double X[(N + 1) * SIZE], free_cost = 0;
  x.m->q_min[1] = 0, x.m->q_max[1] = 2.8;
  for (int limited = 0; limited < 2; limited++) {
    for (int i = 0; i < 2 && limited; i++)
      x.m->u_min[i] = -torque, x.m->u_max[i] = torque, x.m->v_max[i] = i ? 15 : speed;
    oc_action *w = open_action(&x, &set);
    assert_true(oc_action_binds(&x.t, &set, &msg));
    arm_bow(N, 1.5, X);
    oc_action_clip(w, X);
    oc_ipopt_info info = solve(w, X);
    if (!limited) free_cost = info.objective;
    if (limited) assert_true(info.objective > 1.01 * free_cost);
    double most[3] = {0}, g[2 * N * 2 + 2 * N];
    const oc_nlp *p = oc_action_nlp(w);
    assert_int_equal(p->m, limited ? 6 * N : 0);
    assert_int_equal(p->g(p->self, X, g), DM_OK);
    for (int i = 0; i < p->m; i++) {
      bool force = i < 4 * N;
      if (force) most[0] = fmax(most[0], fabs(g[i]));
      if (!force && i % 2 == 0) most[1] = fmax(most[1], fabs(g[i]));
    }
    for (int k = 0; k <= N; k++) {
      assert_true(X[SIZE * k + 1] > -1e-7 && X[SIZE * k + 1] < 2.8 + 1e-7);
      most[2] = fmax(most[2], fabs(X[SIZE * k + 2]));
    }
    if (limited) {
      assert_close(most[0], torque, 1e-5);
      assert_close(fmax(most[1], most[2]), speed, 1e-5);
    }
    oc_action_free(w);
  }
  tasks_free(&x);
}

// A motion that is driven in part, its other equations rows: the same optimum as the first-order
// program's, from which it starts; the costs part by h^2.
static void optima_of_both_orders_meet(void **state) {
  (void)state;
  static const struct {
    tasks_task (*make)(int N);
    int N;
    const char *rule;
  } row[] = {{tasks_cart_pole, 50, "hermite-gauss"}, {tasks_cart_pole, 50, "taylor"}};
  for (int r = 0; r < COUNT(row); r++) {
    double apart[3];
    dm_trajectory *last = NULL; // on the grid before
    for (int i = 0; i < COUNT(apart); i++) {
      tasks_task x = row[r].make(row[r].N << i);
      oc_transcription *t = NULL;
      assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_OK);
      const oc_nlp *p = oc_transcription_nlp(t);
      int n = x.m->nq;
      double *numbers = calloc((size_t)(3 * p->n + p->m), sizeof *numbers);
      oc_point point = {numbers, numbers + p->n, numbers + p->n + p->m, numbers + 2 * p->n + p->m};
      oc_ipopt_settings how;
      oc_ipopt_info first;
      oc_ipopt_default(&how);
      dm_trajectory *traj;
      assert_int_equal(dm_trajectory_of(&traj, x.t.N, &x.t.system), DM_OK);
      traj->h = x.t.T / x.t.N;
      if (last) oc_guess_resample(&x.t, last, traj);
      if (last) oc_transcription_pack(t, traj, point.x);
      if (!last) tasks_line(t, &x, point.x);
      dm_status s = oc_ipopt_solve(p, &how, &point, NULL, 0, &first);
      if (s == DM_UNAVAILABLE) skip();
      assert_int_equal(s, DM_OK);
      assert_int_equal(oc_transcription_unpack(t, point.x, traj), DM_OK);
      oc_action_settings set = settings(&x, row[r].rule);
      set.underactuated = true;
      oc_action *w = open_action(&x, &set);
      double *X = calloc((size_t)oc_action_nlp(w)->n, sizeof *X);
      for (int k = 0; k <= x.t.N; k++)
        for (int j = 0; j < n; j++) {
          X[2 * k * n + j] = traj->q[k * n + j];
          X[(2 * k + 1) * n + j] = traj->v[k * n + j];
        }
      oc_action_clip(w, X);
      apart[i] = solve(w, X).objective - first.objective;
      print_message("%s, N = %d: %.10g, apart by %.3g\n", row[r].rule, x.t.N, first.objective,
                    apart[i]);
      free(X), free(numbers);
      dm_trajectory_free(last), last = traj;
      oc_action_free(w);
      oc_transcription_free(t);
      tasks_free(&x);
    }
    dm_trajectory_free(last);
    assert_close(apart[0] / apart[1], 4, 0.4);
    assert_close(apart[1] / apart[2], 4, 0.2);
  }
}

// -- how it agrees with the first-order map

// the defects along a solution of fourth order are those of the map, of second; the motion that
// follows is as near, and one of the map
static void the_two_discretizations_agree(void **state) {
  (void)state;
  enum { N = 160, SIZE = 4 };
  static double X[(2 * N + 1) * SIZE];
  oc_agreement found[2];
  for (int i = 0; i < 2; i++) {
    tasks_task x = arm_task(N << i);
    oc_action_settings set = settings(&x, "hermite-gauss");
    oc_action *w = open_action(&x, &set);
    arm_bow(N << i, 1.5, X);
    solve(w, X);
    dm_trajectory *curve, *motion;
    dm_del *del;
    assert_int_equal(dm_trajectory_of(&curve, x.t.N, &x.t.system), DM_OK);
    assert_int_equal(dm_trajectory_of(&motion, x.t.N, &x.t.system), DM_OK);
    assert_int_equal(dm_del_new(&del, &x.t.system, NULL), DM_OK);
    assert_int_equal(oc_action_trajectory(w, X, curve), DM_OK);
    if (oc_agree(&x.t, curve, motion, &found[i], &msg) != DM_OK) fail_msg("%s", msg.text);
    double gap;
    int worst;
    assert_int_equal(dm_trajectory_certify(motion, del, &gap, &worst), DM_OK);
    assert_true(gap < 1e-10);
    dm_del_free(del), dm_trajectory_free(curve), dm_trajectory_free(motion);
    oc_action_free(w), tasks_free(&x);
  }
  assert_close(found[0].order, 2, 0.05);
  assert_close(found[1].order, 2, 0.02);
  assert_close(found[0].defect / found[1].defect, 8, 0.2);
  assert_close(found[0].distance / found[1].distance, 4, 0.1);
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
    assert_int_equal(oc_action_check(&x.t, &set, &key, &msg), row[r].status);
    assert_string_equal(key, row[r].key);
    if (!strstr(msg.text, row[r].sentence)) fail_msg("%s", msg.text);
    assert_int_equal(oc_action_new(&w, &x.t, &set, &msg), row[r].status);
    assert_null(w);
    tasks_free(&x);
  }
  // inputs that are missing: said, or the form for them, which takes two nodes a step
  tasks_task x = tasks_acrobot(4);
  oc_action_settings set = settings(&x, "hermite-lobatto");
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "no input on 'j0'"));
  set.underactuated = true;
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found 3 nodes a step"));
  set = settings(&x, "taylor"), set.underactuated = true;
  assert_int_equal(oc_action_check(&x.t, &set, NULL, &msg), DM_OK);
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
    assert_true(oc_action_binds(&x.t, &set, &msg));
    assert_string_equal(msg.text, sentence[r]);
    if (r == 0) { // in place of a limit a penalty
      set.penalty = ones;
      assert_false(oc_action_binds(&x.t, &set, &msg));
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
      cmocka_unit_test(both_solvers_find_the_recorded_swing),
      cmocka_unit_test(limits_are_met),
      cmocka_unit_test(optima_of_both_orders_meet),
      cmocka_unit_test(the_two_discretizations_agree),
      cmocka_unit_test(what_is_not_taken_is_named),
      cmocka_unit_test(what_binds_is_named),
      cmocka_unit_test(a_penalty_is_linear_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
