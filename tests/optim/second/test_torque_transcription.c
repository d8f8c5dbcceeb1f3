// Tasks as programs in the knots (q,v): their derivatives, and what is refused. What they end in is
// in test_agreement.c.
#include "optim/second/torque_nodes.h"
#include "tests/support/actions.h"
#include "tests/support/allocations.h"
#include "tests/support/forces.h"
#include "tests/support/programs.h"
#include "tests/support/springs.h"

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
      x.t.cost[OC_U].running = tasks_weight(&x, 0, nu, 0.4);
      x.t.cost[OC_Q].running = tasks_weight(&x, 1, n, 1.3),
      x.t.cost[OC_V].running = tasks_weight(&x, 2, n, 0.7);
      x.t.cost[OC_Q].goal = tasks_weight(&x, 3, n, 2.1),
      x.t.cost[OC_V].goal = tasks_weight(&x, 4, n, 1.1);
      x.t.sum = r == 1;
      uint64_t seed = 5;
      const double **refs[] = {&x.t.cost[OC_Q].reference, &x.t.cost[OC_V].reference, NULL,
                               &x.t.cost[OC_U].reference};
      for (int i = 0; i < 4; i++) {
        double *ref = tasks_reference(&x, i);
        for (int j = 0; j < (i < 3 ? (STEPS + 1) * n : STEPS * nu); j++)
          ref[j] = models_random(&seed);
        if (refs[i]) *refs[i] = ref;
      }
      double *penalty = calloc((size_t)n, sizeof *penalty);
      penalty[0] = 3;
      oc_torque_transcription_settings set = settings(&x, rule[r]);
      set.underactuated = !full;
      if (full) set.penalty = penalty;
      oc_torque_transcription *w = open_action(&x, &set);
      char what[80];
      snprintf(what, sizeof what, "machine %d by %s", machine, rule[r]);
      at a = point_of(oc_torque_transcription_nlp(w), 7);
      check_point(&a, what);
      double *zero = calloc((size_t)a.p->n, sizeof *zero);
      check_pattern(&a, zero, false);
      int before = allocations;
      double f;
      objective(&a, a.x, &f), constraints(&a, a.x, a.out);
      lagrangian_gradient(&a, a.x, a.out), hessian(&a, a.x);
      assert_int_equal(allocations, before);
      free(zero), free(penalty);
      drop(&a);
      oc_torque_transcription_free(w);
      dm_loads_free(loads);
      tasks_free(&x);
    }
}

// the multipliers by which slacks of penalties, where they are not zero, cost nothing more
static void set_kink_multipliers(const oc_torque_transcription *w, at *a) {
  for (int k = 0, row = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int l = 0; l < w->nkink; l++, row++) {
        bool beyond = a->x[oc_torque_nodes_slack(w, k, s, l)] > 0;
        double slope = w->h * w->set.rule.node[s].weight * w->kink[l].slope;
        a->lambda[row] = beyond ? w->kink[l].side * slope : 0;
      }
}

// the cost of a program that nothing binds is the sum of the discrete Lagrangian that Newton's
// method takes, with the same derivatives, where slacks are what the knots need
static void both_forms_are_one(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    tasks_task x = tasks_make(chain(), STEPS, 0.9);
    int n = x.m->nq, size = 2 * n;
    x.t.cost[OC_U].running = tasks_weight(&x, 0, n, 0.4);
    x.t.cost[OC_Q].running = tasks_weight(&x, 1, n, 1.3),
    x.t.cost[OC_V].running = tasks_weight(&x, 2, n, 0.7);
    x.t.cost[OC_Q].reference = tasks_fill(tasks_reference(&x, 0), (STEPS + 1) * n, 0.6);
    x.t.cost[OC_V].reference = tasks_fill(tasks_reference(&x, 1), (STEPS + 1) * n, -0.8);
    x.t.sum = r == 1;
    x.m->q_min[0] = -0.1, x.m->q_max[0] = 0.2;
    double penalty[4] = {3};
    oc_torque_transcription_settings set = settings(&x, r ? "taylor" : "hermite-gauss");
    set.penalty = penalty;
    oc_torque_transcription *w = open_action(&x, &set);
    assert_false(oc_torque_transcription_binds(&x.t, &set, NULL));
    at a = point_of(oc_torque_transcription_nlp(w), 3);
    int coord, knots = (STEPS + 1) * size;
    assert_true(oc_torque_transcription_ease(w, a.x, &coord) > 0);
    assert_int_equal(coord, 0);
    assert_int_equal(a.p->m, STEPS * 2 * 2);
    set_kink_multipliers(w, &a);
    double f, J = 0, *g = calloc(2 * (size_t)a.p->n, sizeof *g), *Hd = g + a.p->n;
    a.sigma = 1;
    dm_second_order *L = oc_torque_transcription_second(w);
    for (int k = 0; k < STEPS; k++) {
      const double *X = a.x + k * size, *d = a.d + k * size;
      assert_int_equal(dm_second_order_eval(L, 2, X, X + size, 0.9 / STEPS), DM_OK);
      J += L->Ld;
      for (int i = 0; i < size; i++) {
        g[k * size + i] += L->D0[i], g[(k + 1) * size + i] += L->D1[i];
        for (int j = 0; j < size; j++) {
          Hd[k * size + i] += L->D00[i * size + j] * d[j] + L->D01[i * size + j] * d[size + j];
          Hd[(k + 1) * size + i] +=
              L->D01[j * size + i] * d[j] + L->D11[i * size + j] * d[size + j];
        }
      }
    }
    objective(&a, a.x, &f);
    assert_close(f / J, 1, 1e-13);
    lagrangian_gradient(&a, a.x, a.out);
    for (int i = 0; i < knots; i++) assert_close(a.out[i], g[i], 1e-12 * J);
    for (int i = knots; i < a.p->n; i++)
      if (a.x[i] > 0) assert_close(a.out[i], 0, 1e-14);
    for (int i = 0, nnz = hessian(&a, a.x); i < nnz; i++) {
      Hd[a.row[i]] -= a.val[i] * a.d[a.col[i]];
      if (a.row[i] != a.col[i]) Hd[a.col[i]] -= a.val[i] * a.d[a.row[i]];
    }
    for (int i = 0; i < knots; i++) assert_close(Hd[i], 0, 1e-10 * J);
    free(g);
    drop(&a);
    oc_torque_transcription_free(w);
    tasks_free(&x);
  }
}

// Knots that move by some share of themselves change no entry of the gradient by more than twice
// that share of what rounding is said to leave, a knot being of two steps, and some by a tenth.
static void rounding_is_what_moving_knots_changes(void **state) {
  (void)state;
  tasks_task x = tasks_make(chain(), STEPS, 0.1);
  int n = x.m->nq;
  x.t.cost[OC_U].running = tasks_weight(&x, 0, n, 1);
  oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
  oc_torque_transcription *w = open_action(&x, &set);
  at a = point_of(oc_torque_transcription_nlp(w), 9);
  const double share = 1e-9;
  double least, most = 0;
  uint64_t seed = 4;
  assert_int_equal(oc_torque_transcription_rounding(w, a.x, NULL, &least), DM_OK);
  assert_int_equal(a.p->grad(a.p->self, a.x, a.grad), DM_OK);
  for (int trial = 0; trial < 40; trial++) {
    for (int i = 0; i < a.p->n; i++)
      a.d[i] = a.x[i] * (1 + (models_random(&seed) > 0 ? share : -share));
    assert_int_equal(a.p->grad(a.p->self, a.d, a.out), DM_OK);
    for (int i = 0; i < a.p->n; i++) most = fmax(most, fabs(a.out[i] - a.grad[i]));
  }
  double said_of = least / 2.220446049250313e-16 * share;
  assert_true(most < 2.001 * said_of && most > 0.1 * said_of);
  drop(&a);
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

// -- guesses

// one coordinate from end to end: what is free takes the other end's place, and the mean speed
static void the_cubic_meets_what_is_given(void **state) {
  (void)state;
  static const struct {
    double start[2], goal[2], from[2], to[2];
  } row[] = {{{1, 2}, {3, -1}, {1, 2}, {3, -1}},
             {{NAN, 2}, {3, -1}, {3, 2}, {3, -1}},
             {{1, NAN}, {3, NAN}, {1, 4}, {3, 4}},
             {{NAN, NAN}, {NAN, NAN}, {0, 0}, {0, 0}},
             {{1, 2}, {NAN, NAN}, {1, 2}, {1, 0}}};
  enum { N = 2 };
  const double T = 0.5;
  for (int r = 0; r < COUNT(row); r++) {
    tasks_task x = tasks_make(models_pendulum(), N, T);
    x.t.start.q = &row[r].start[0], x.t.start.v = &row[r].start[1];
    x.t.goal.q = &row[r].goal[0], x.t.goal.v = &row[r].goal[1];
    x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
    oc_torque_transcription_settings set = settings(&x, "taylor");
    oc_torque_transcription *w = open_action(&x, &set);
    const double *a = row[r].from, *b = row[r].to;
    double X[2 * (N + 1)];
    oc_torque_transcription_cubic(w, X);
    for (int i = 0; i < 2; i++) {
      assert_close(X[i], a[i], 1e-15);
      assert_close(X[2 * N + i], b[i], 1e-15);
    }
    assert_close(X[2], (a[0] + b[0]) / 2 + T * (a[1] - b[1]) / 8, 1e-14);
    assert_close(X[3], 1.5 * (b[0] - a[0]) / T - (a[1] + b[1]) / 4, 1e-14);
    oc_torque_transcription_free(w);
    tasks_free(&x);
  }
}

// a limit on one side is a row, turned by a gear below zero
static void limits_of_one_side_are_rows(void **state) {
  (void)state;
  static const double gear[] = {-2, 3};
  tasks_task x = arm_task(2);
  x.m->u_max[0] = 5, x.m->u_min[1] = -1;
  x.t.system.input_gear = gear;
  oc_torque_transcription_settings set = settings(&x, "taylor");
  oc_torque_transcription *w = open_action(&x, &set);
  const oc_nlp *p = oc_torque_transcription_nlp(w);
  assert_int_equal(p->m, 8);
  for (int row = 0; row < p->m; row++) {
    assert_true(p->g_min[row] == (row % 2 ? -3 : -10));
    assert_true(p->g_max[row] == INFINITY);
  }
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

// what is outside goes to the nearest bound, what is given to its place, the rest stays
static void clipped_knots_are_within(void **state) {
  (void)state;
  tasks_task x = arm_task(4);
  x.m->q_min[1] = -0.3, x.m->q_max[1] = 0.4, x.m->v_max[0] = 0.5;
  oc_torque_transcription_settings set = settings(&x, "taylor");
  oc_torque_transcription *w = open_action(&x, &set);
  at a = point_of(oc_torque_transcription_nlp(w), 2);
  memcpy(a.d, a.x, (size_t)a.p->n * sizeof *a.x);
  oc_torque_transcription_clip(w, a.x);
  int moved[2] = {0};
  for (int i = 0; i < a.p->n; i++) {
    double lo = a.p->x_min[i], hi = a.p->x_max[i];
    assert_true(a.x[i] == (a.d[i] < lo ? lo : a.d[i] > hi ? hi : a.d[i]));
    bool end = i < 4 || i >= 16;
    if (!end) moved[0] += a.d[i]<lo, moved[1] += a.d[i]> hi;
    if (end) assert_true(lo == hi);
  }
  assert_true(moved[0] > 0 && moved[1] > 0);
  drop(&a);
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

static void rows_are_named(void **state) {
  (void)state;
  static const struct {
    int row, knot;
    const char *name;
  } named[] = {{0, 0, "motion of j0"}, {1, 0, "force of j1"},  {3, 0, "force of j1"},
               {4, 1, "motion of j0"}, {15, 3, "force of j1"}, {16, 0, "speed of j0"},
               {17, 0, "speed of j1"}, {22, 3, "speed of j0"}, {23, 3, "speed of j1"}};
  tasks_task x = tasks_acrobot(4);
  x.m->v_max[0] = x.m->v_max[1] = 3;
  oc_torque_transcription_settings set = settings(&x, "taylor");
  set.underactuated = true;
  oc_torque_transcription *w = open_action(&x, &set);
  const oc_nlp *p = oc_torque_transcription_nlp(w);
  assert_int_equal(p->m, 24);
  for (int r = 0; r < COUNT(named); r++) {
    char text[40];
    int k = -1;
    p->row_name(p->self, named[r].row, text, sizeof text, &k);
    assert_string_equal(text, named[r].name);
    assert_int_equal(k, named[r].knot);
  }
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

// -- what is not taken

static const double ones[] = {1, 1, 1};

static void say_constraint(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.system.hol.nc = 1;
}
static void say_kinematic(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->m->kinematic[1] = true;
  x->t.system.nk = 1, x->t.system.kinematic = x->m->kinematic;
}
static void say_two_inputs(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->m->input_coord[1] = 0;
}
static void say_time(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.time.free = true;
}
static void say_momentum(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.cost[OC_P].running = ones;
}
static void say_last_momentum(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.cost[OC_P].goal = ones;
}
static void say_nothing_costs(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.cost[OC_U].running = tasks_weight(x, 0, 2, 0);
}
static void say_rate(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.cost[OC_RATE].running = tasks_rate(x, 1);
}
static void say_rule(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)x;
  assert_int_equal(dm_second_order_rule_set(&set->rule, "difference-midpoint", 2, NULL), DM_OK);
}
static void say_steps(tasks_task *x, oc_torque_transcription_settings *set) {
  (void)set;
  x->t.N = 0;
}

static void what_is_not_taken_is_named(void **state) {
  (void)state;
  static const struct {
    void (*say)(tasks_task *, oc_torque_transcription_settings *);
    dm_status status;
    const char *key, *sentence;
  } row[] = {{say_constraint, DM_BAD_INPUT, "model.constraints", "cannot have constraints"},
             {say_kinematic, DM_BAD_INPUT, "model.kinematic", "kinematic coordinates ('j1')"},
             {say_two_inputs, DM_BAD_INPUT, "inputs", "several inputs on 'j0'"},
             {say_time, DM_BAD_INPUT, "horizon.time", "a free final time"},
             {say_momentum, DM_BAD_INPUT, "cost.state.p", "a cost on the momentum of"},
             {say_last_momentum, DM_BAD_INPUT, "cost.terminal.p", "a cost on the momentum of"},
             {say_nothing_costs, DM_BAD_INPUT, "cost.input", "no cost on the input 'j0'"},
             {say_rate, DM_BAD_INPUT, "cost.rate", "a cost on the rate of 'j0'"},
             {say_rule, DM_SINGULAR, "rule.second", "'difference-midpoint' is degenerate"},
             {say_steps, DM_BAD_INPUT, "horizon", "steps must be at least 1"}};
  for (int r = 0; r < COUNT(row); r++) {
    tasks_task x = arm_task(4);
    oc_torque_transcription_settings set = settings(&x, "taylor");
    oc_torque_transcription *w = NULL;
    const char *key = NULL;
    row[r].say(&x, &set);
    assert_int_equal(oc_torque_transcription_check(&x.t, &set, &key, &said), row[r].status);
    assert_string_equal(key, row[r].key);
    if (!strstr(said.text, row[r].sentence)) fail_msg("%s", said.text);
    assert_int_equal(oc_torque_transcription_new(&w, &x.t, &set, &said), row[r].status);
    assert_null(w);
    tasks_free(&x);
  }
  // inputs that are missing: said, or the form for them, which takes two nodes a step
  tasks_task x = tasks_acrobot(4);
  oc_torque_transcription_settings set = settings(&x, "hermite-lobatto");
  assert_int_equal(oc_torque_transcription_check(&x.t, &set, NULL, &said), DM_BAD_INPUT);
  assert_non_null(strstr(said.text, "no input on 'j0'"));
  set.underactuated = true;
  assert_int_equal(oc_torque_transcription_check(&x.t, &set, NULL, &said), DM_BAD_INPUT);
  assert_non_null(strstr(said.text, "found 3 nodes a step"));
  set = settings(&x, "taylor"), set.underactuated = true;
  assert_int_equal(oc_torque_transcription_check(&x.t, &set, NULL, &said), DM_OK);
  tasks_free(&x);
}

static void what_binds_is_named(void **state) {
  (void)state;
  double *ref;
  for (int r = 0; r < 8; r++) {
    tasks_task x = arm_task(4);
    oc_torque_transcription_settings set = settings(&x, "taylor");
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
    if (r == 4) x.t.cost[OC_V].goal = ones;
    if (r == 5) x.t.cost[OC_Q].running = ones, x.t.cost[OC_Q].reference = ref;
    if (r == 6) x.t.cost[OC_V].running = ones, x.t.cost[OC_V].reference = ref;
    if (r == 7) x.t.cost[OC_U].reference = ref;
    assert_true(oc_torque_transcription_binds(&x.t, &set, &said));
    assert_string_equal(said.text, sentence[r]);
    if (r == 0) { // in place of a limit a penalty, where it is not 0
      set.penalty = ones;
      assert_false(oc_torque_transcription_binds(&x.t, &set, &said));
      x.m->q_max[0] = 4, set.penalty = (double[]){1, 0};
      assert_true(oc_torque_transcription_binds(&x.t, &set, &said));
      assert_string_equal(said.text, sentence[0]);
      oc_torque_transcription *w = open_action(&x, &set);
      const double *most = oc_torque_transcription_nlp(w)->x_max + 4; // of knot 1
      assert_true(most[0] == INFINITY && most[1] == 2);
      oc_torque_transcription_free(w);
    }
    tasks_free(&x);
  }
}

// the slope beyond the limits, where the penalty stands in their place
static void a_penalty_is_linear_outside(void **state) {
  (void)state;
  tasks_task x = arm_task(1);
  oc_torque_transcription_settings set = settings(&x, "taylor");
  double X[16] = {0}, with, without; // two knots, and slacks of two nodes
  int coord;
  x.m->q_min[0] = -0.5, x.m->q_max[0] = 0.25;
  tasks_rest(&x, 1, (double[]){0, 0});
  for (int side = -1; side <= 1; side++) {
    X[0] = X[4] = side; // the node as well
    set.penalty = NULL;
    oc_torque_transcription *w = open_action(&x, &set);
    const oc_nlp *p = oc_torque_transcription_nlp(w);
    assert_int_equal(p->f(p->self, X, &without), DM_OK);
    oc_torque_transcription_free(w);
    set.penalty = (double[]){3, 0};
    w = open_action(&x, &set), p = oc_torque_transcription_nlp(w);
    assert_int_equal(p->n, 8 + 2 * 2);
    assert_close(oc_torque_transcription_ease(w, X, &coord), side ? 0.625 + side * 0.125 : 0,
                 1e-15);
    assert_int_equal(coord, side ? 0 : OC_NONE);
    assert_int_equal(p->f(p->self, X, &with), DM_OK);
    assert_close(with - without, side < 0 ? 1.5 : side > 0 ? 2.25 : 0, 1e-12);
    oc_torque_transcription_free(w);
  }
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(both_forms_are_one),
      cmocka_unit_test(rounding_is_what_moving_knots_changes),
      cmocka_unit_test(the_cubic_meets_what_is_given),
      cmocka_unit_test(limits_of_one_side_are_rows),
      cmocka_unit_test(clipped_knots_are_within),
      cmocka_unit_test(rows_are_named),
      cmocka_unit_test(what_is_not_taken_is_named),
      cmocka_unit_test(what_binds_is_named),
      cmocka_unit_test(a_penalty_is_linear_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
