#include "tests/support/allocations.h"
#include "tests/support/forces.h"
#include "tests/support/programs.h"
#include "tests/support/springs.h"
#include "tests/support/tasks.h"

enum { STEPS = 4 };

static dm_model *tree(void) {
  return models_random_tree(6, true, 11);
}
static dm_model *chain(void) {
  return models_chain(9, 0.7, 1);
}

// the same with two kinematic coordinates
static dm_model *driven(void) {
  dm_model *m = models_random_tree(6, false, 11);
  m->kinematic[1] = m->kinematic[3] = true;
  return m;
}

static dm_model *(*const machines[])(void) = {
    models_pendulum, models_cart_pole, models_acrobot, tree, tree, chain, driven};
enum { SPRUNG = 4 }; // the one that has springs
static const struct {
  const char *lagrangian;
  double alpha;
  const char *force;
} rules[] = {{"midpoint", 0.5, "midpoint"},
             {"midpoint", 0.3, "left"},
             {"trapezoid", 0.5, "left"},
             {"trapezoid", 0.5, "midpoint"}};

// one bit for each kind of requirement of a task
enum { FREE_TIME = 1, SUM = 2, MOMENTUM = 4, LIMITS = 8, GIVEN_ENDS = 16, FORCE = 32 };
enum { RATES = 64 };
enum { VARIANTS = 128 };

static forces_wave wave;
static const double uneven[STEPS + 1] = {0, 0.3, 1.7, 2.2, STEPS}; // in mean steps
static const char *const inputs[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

static tasks_task make(int machine, int rule, int variant) {
  tasks_task x = tasks_make(machines[machine](), STEPS, 0.7);
  if (variant & FORCE) {
    dm_force force = forces_wave_of(&wave, x.m->nq, 3);
    if (variant & SUM) force.mask = force.mask_u = NULL; // any entry may be there
    dm_system_add_force(&x.t.system, force);
    x.t.bounds[OC_U].low = x.t.bounds[OC_U].high = NULL;
    x.t.input_name = inputs;
  }
  int n = x.m->nq, nu = dm_system_inputs(&x.t.system);
  uint64_t r = 5;
  assert_true(nu <= COUNT(inputs));
  assert_int_equal(dm_rule_set(&x.t.system.rule, rules[rule].lagrangian, rules[rule].alpha,
                               rules[rule].force, NULL),
                   DM_OK);
  if (machine == SPRUNG) tasks_spring(&x, springs_of_every_kind(x.m));
  x.t.cost[OC_Q].running = tasks_weight(&x, 0, n, 1.3);
  x.t.cost[OC_V].running = tasks_weight(&x, 1, n, 0.7);
  x.t.cost[OC_U].running = tasks_weight(&x, 2, nu, 0.4);
  x.t.cost[OC_Q].goal = tasks_weight(&x, 3, n, 2.1);
  x.t.cost[OC_V].goal = tasks_weight(&x, 4, n, 1.1);
  x.t.time.weight = 0.9;
  const double **refs[] = {&x.t.cost[OC_Q].reference, &x.t.cost[OC_V].reference,
                           &x.t.cost[OC_P].reference, &x.t.cost[OC_U].reference};
  for (int i = 0; i < 4; i++) {
    double *ref = tasks_reference(&x, i);
    for (int j = 0; j < (STEPS + 1) * (i < 3 ? n : nu); j++) ref[j] = models_random(&r);
    *refs[i] = ref;
  }
  x.t.sum = variant & SUM;
  x.t.time.free = variant & FREE_TIME;
  x.t.time.min = 0.1, x.t.time.max = 5;
  if (variant & MOMENTUM) {
    double *w = (double *)(x.t.cost[OC_P].running = tasks_weight(&x, 5, n, 0.6));
    double *wf = (double *)(x.t.cost[OC_P].goal = tasks_weight(&x, 6, n, 1.7));
    for (int i = 0; i < n; i++)
      if (x.m->kinematic[i]) w[i] = wf[i] = 0;
  }
  if (variant & LIMITS) x.m->v_max[0] = 3, x.m->v_max[n - 1] = 2;
  if (variant & RATES) {
    double *most = (double *)tasks_weight(&x, 7, x.t.system.nu, INFINITY);
    if (x.t.system.nu) most[0] = 4;
    x.t.bounds[OC_RATE].high = most;
    x.t.cost[OC_RATE].running = variant & SUM ? NULL : tasks_rate(&x, 0.2);
    if (variant & SUM) x.t.cost[OC_U].running = NULL; // ties are broken
  }
  double *zero = calloc((size_t)n, sizeof *zero);
  if (variant & GIVEN_ENDS) tasks_rest(&x, 0, zero), tasks_rest(&x, 1, zero);
  free(zero);
  return x;
}

static oc_transcription *transcribe(const tasks_task *x) {
  oc_transcription *p = NULL;
  dm_message msg = {""};
  if (oc_transcription_new(&p, &x->t, &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

static at point(const oc_transcription *t, uint64_t seed) {
  at a = point_of(oc_transcription_nlp(t), seed);
  int h = oc_transcription_h(t);
  if (h >= 0) a.x[h] = 0.2, a.d[h] *= 0.1;
  for (int k = 0; t->times >= 0 && k <= STEPS; k++) {
    a.x[t->times + k] = 0.2 * k + 0.05 * a.x[t->times + k];
    a.d[t->times + k] *= 0.1;
  }
  return a;
}

static void finish(at *a, oc_transcription *t, tasks_task *x) {
  drop(a);
  oc_transcription_free(t);
  tasks_free(x);
}

static void check_derivatives(const oc_transcription *t, const char *what) {
  at a = point(t, 17);
  check_point(&a, what);
  drop(&a);
}

// free steps, if the task has nothing that needs fixed ones
static void free_steps(tasks_task *x) {
  for (int of = 0; of < OC_QUANTITIES; of++) x->t.cost[of].reference = NULL;
  x->t.time.least = 1e-3, x->t.time.most = 10;
  if (oc_task_refuse_knots(&x->t, NULL) != DM_OK) x->t.time.least = x->t.time.most = 0;
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int rule = 0; rule < COUNT(rules); rule++)
      for (int variant = 0; variant < VARIANTS; variant++) {
        char what[96];
        snprintf(what, sizeof what, "machine %d, rule %s %g %s, variant %d", machine,
                 rules[rule].lagrangian, rules[rule].alpha, rules[rule].force, variant);
        tasks_task x = make(machine, rule, variant);
        // every third program has steps of unequal length, and another one free steps
        if ((machine + rule + variant) % 3 == 0) x.t.time.grid = uneven;
        if ((machine + rule + variant) % 3 == 1) free_steps(&x);
        oc_transcription *t = transcribe(&x);
        check_derivatives(t, what);
        oc_transcription_free(t);
        tasks_free(&x);
      }
}

// all kinds of loads, constant and driven: programs are as sparse as these say, and exact
static void derivatives_under_loads_are_exact(void **state) {
  (void)state;
  for (int variant = 0; variant < 16; variant++) {
    tasks_task x = make(3, variant % COUNT(rules), variant / 4 % 2 * FREE_TIME);
    dm_load list[2 * FORCES_KINDS];
    for (int k = 0; k < 2 * FORCES_KINDS; k++)
      list[k] = forces_load(k % FORCES_KINDS, (k < FORCES_KINDS) == (variant < 8), 5 - k % 3);
    dm_loads *c;
    assert_int_equal(dm_loads_new(&c, x.m, 2 * FORCES_KINDS, list, NULL), DM_OK);
    dm_system_add_force(&x.t.system, dm_loads_force(c));
    x.t.bounds[OC_U].low = x.t.bounds[OC_U].high = x.t.cost[OC_U].running =
        x.t.cost[OC_U].reference = NULL;
    x.t.input_name = inputs;
    oc_transcription *t = transcribe(&x);
    check_derivatives(t, "a program under loads");
    oc_transcription_free(t);
    dm_loads_free(c);
    tasks_free(&x);
  }
}

// constraints of every kind on a tree in space, one of whose lengths is kinematic
static const dm_constraint kinds[] = {
    {.name = "rod",
     .kind = DM_DISTANCE,
     .body = {1, -1},
     .coord = {-1, -1},
     .point = {{0.1, 0, -0.5}, {0, 0.2, -0.3}},
     .length = 0.6},
    {.name = "string",
     .kind = DM_DISTANCE,
     .body = {5, 0},
     .coord = {1, -1},
     .point = {{0.1, 0.3, -0.5}, {0, 0.2, -0.3}}},
    {.name = "ball", .kind = DM_POINT, .body = {4, -1}, .coord = {-1, -1}, .point = {{0.3}, {0.1}}},
    {.name = "rail",
     .kind = DM_LINE,
     .body = {2, -1},
     .coord = {-1, -1},
     .axis = {0, 1, 0},
     .point = {{0, 0, -1}, {0.9, 0, -0.5}}},
    {.name = "table", .kind = DM_PLANE, .body = {4, 1}, .coord = {-1, -1}, .axis = {0, 0.6, 0.8}},
    {.name = "gear", .kind = DM_EQUAL, .coord = {5, 2}, .ratio = 1.5, .shift = 0.1},
    {.name = "weld", .kind = DM_POSE, .body = {5, -1}, .coord = {-1, -1}, .point = {{0.2}, {0.1}}},
    {.name = "slab",
     .kind = DM_POSE_PLANAR,
     .body = {4, 2},
     .coord = {-1, -1},
     .axis = {0, 1, 0},
     .point = {{0.1, 0.2}, {0, 0.3}}}};

// multipliers and their rows, one constraint after the other and then some of them together
static void constrained_derivatives_are_exact(void **state) {
  (void)state;
  for (int variant = 0; variant < 4 * COUNT(kinds) + 4; variant++) {
    int first = variant / 4, last = first < COUNT(kinds) ? first + 1 : 5;
    if (first == COUNT(kinds)) first = 0;
    int v = (variant & 1 ? FREE_TIME : 0) | (variant & 2 ? MOMENTUM : LIMITS);
    tasks_task x = make(COUNT(machines) - 1, variant % COUNT(rules), v);
    assert_int_equal(dm_constraints_new(&x.c, x.m, last - first, kinds + first, NULL), DM_OK);
    x.t.system.hol = dm_constraints_holonomic(x.c);
    oc_transcription *t = transcribe(&x);
    check_derivatives(t, kinds[first].name);
    oc_transcription_free(t);
    tasks_free(&x);
  }
}

// the pattern written without values is that of every point
static void pattern_is_free_of_values(void **state) {
  (void)state;
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int variant = 0; variant < VARIANTS; variant++) {
      tasks_task x = make(machine, variant % COUNT(rules), variant);
      oc_transcription *t = transcribe(&x);
      at a = point(t, 3);
      double *zero = calloc((size_t)a.p->n, sizeof *zero);
      if (oc_transcription_h(t) >= 0) zero[oc_transcription_h(t)] = 0.1;
      check_pattern(&a, zero, variant & RATES);
      free(zero);
      finish(&a, t, &x);
    }
}

// the list has each row of a program once, in order, and every row has its kind's name and a knot
static void rows_are_listed_once(void **state) {
  (void)state;
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int variant = 0; variant < VARIANTS; variant++) {
      tasks_task x = make(machine, variant % COUNT(rules), variant);
      oc_transcription *t = transcribe(&x);
      int next = 0;
      for (const oc_rows *r = t->rows; r < t->rows + t->nrows; r++) {
        assert_int_equal(r->at.at, next);
        next += r->at.size * r->at.count;
      }
      assert_int_equal(next, oc_transcription_nlp(t)->m);
      for (int row = 0; row < next; row++) {
        const oc_row of = oc_transcription_row(t, row);
        assert_true(of.text[0] && of.knot >= 0 && of.knot <= t->N);
      }
      oc_transcription_free(t);
      tasks_free(&x);
    }
  for (int kind = 0; kind < OC_ROW_KINDS; kind++) assert_non_null(oc_row_kinds[kind].describe);
}

// motions of the integrator satisfy the rows, for every robot and rule
static void integrated_motion_satisfies_the_rows(void **state) {
  (void)state;
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int rule = 0; rule < 2 * COUNT(rules); rule++) {
      tasks_task x = make(machine, rule / 2, rule % 2 ? FORCE | LIMITS : 0);
      int n = x.m->nq, nu = dm_system_inputs(&x.t.system);
      if (rule % 2) x.m->v_max[0] = x.m->v_max[n - 1] = 1e6;
      oc_transcription *t = transcribe(&x);
      const oc_nlp *p = oc_transcription_nlp(t);
      dm_trajectory *traj, *back;
      dm_del *del;
      assert_int_equal(dm_trajectory_of(&traj, STEPS, &x.t.system), DM_OK);
      assert_int_equal(dm_trajectory_of(&back, STEPS, &x.t.system), DM_OK);
      assert_int_equal(dm_del_new(&del, &x.t.system, NULL), DM_OK);
      uint64_t r = 2;
      traj->h = x.t.time.T / STEPS / 20;
      ((oc_task *)&x.t)->time.T = traj->h * STEPS;
      oc_transcription_free(t);
      t = transcribe(&x);
      p = oc_transcription_nlp(t);
      for (int i = 0; i < n; i++) traj->q[i] = models_random(&r), traj->p[i] = models_random(&r);
      for (int i = 0; i < STEPS * nu; i++) traj->u[i] = models_random(&r);
      for (int i = 0, j = x.t.system.nu; i < n; i++) { // what is kinematic moves on from rest
        if (!x.m->kinematic[i]) continue;
        traj->p[i] = 0;
        for (int k = 0; k < STEPS; k++)
          traj->u[k * nu + j] = traj->q[i] + 0.01 * (k + 1) * models_random(&r);
        j++;
      }
      dm_del_info info;
      int failed;
      assert_int_equal(dm_trajectory_rollout(traj, del, &info, &failed), DM_OK);
      double *z = calloc((size_t)(p->n + p->m), sizeof *z), *g = z + p->n;
      oc_transcription_pack(t, traj, z);
      assert_int_equal(p->g(p->self, z, g), DM_OK);
      int limits = oc_rows_at(t, OC_SPEED_ROWS, 0), moving = oc_rows_at(t, OC_VELOCITY_ROWS, 0);
      for (int i = 0; i < p->m; i++)
        if (i < limits || i >= moving) assert_true(fabs(g[i]) < 1e-10);
      assert_int_equal(oc_transcription_unpack(t, z, back), DM_OK);
      for (int i = 0; i < (STEPS + 1) * n; i++) {
        assert_true(back->q[i] == traj->q[i]);
        assert_true(fabs(back->p[i] - traj->p[i]) < 1e-10);
        assert_true(fabs(back->v[i] - traj->v[i]) < 1e-8);
      }
      for (int i = 0; i < STEPS * nu; i++) assert_true(back->u[i] == traj->u[i]);
      free(z);
      dm_del_free(del);
      dm_trajectory_free(traj), dm_trajectory_free(back);
      oc_transcription_free(t);
      tasks_free(&x);
    }
}

// 1/2 sum h u^2 and w_time T, by hand
static void objective_is_the_integral(void **state) {
  (void)state;
  for (int sum = 0; sum < 2; sum++) {
    tasks_task x = tasks_pendulum(INFINITY);
    x.t.sum = sum;
    x.t.time.weight = 2;
    oc_transcription *t = transcribe(&x);
    at a = point(t, 9);
    double f, expected = 0;
    for (int k = 0; k < 100; k++) expected += pow(a.x[oc_transcription_u(t, k)], 2) / 2;
    objective(&a, a.x, &f);
    assert_true(fabs(f - (expected * (sum ? 1 : 0.1) + 20)) < 1e-12);
    finish(&a, t, &x);
  }
}

// 1/2 w (x - ref)^2, summed by hand over the motion
static void check_cost(tasks_task x) {
  x.t.cost[OC_V].goal = x.t.cost[OC_P].goal = NULL;
  oc_transcription *t = transcribe(&x);
  at a = point(t, 9);
  dm_trajectory *m;
  int n = x.t.system.L.nq, nu = dm_system_inputs(&x.t.system), N = x.t.N;
  assert_int_equal(dm_trajectory_of(&m, N, &x.t.system), DM_OK);
  assert_int_equal(oc_transcription_unpack(t, a.x, m), DM_OK);
  dm_interval *step; // p at a step's right knot: D2, which is no motion's at this point
  assert_int_equal(dm_interval_new(&step, &x.t.system), DM_OK);
  double f, expected = 0, end = 0;
#define DEVIATION(w, value, ref, k, n, i) (0.5 * w[i] * pow((value)-ref[(k) * (n) + i], 2))
  for (int k = 0; k < N; k++) {
    const double *q_k = m->q + k * n, *q_next = q_k + n;
    assert_int_equal(dm_interval_eval(step, 1, q_k, q_next, m->u + k * nu, m->h), DM_OK);
    // half of a step's cost on states at either knot, the trapezoid rule
    for (int j = k; j <= k + 1; j++)
      for (int i = 0; i < n; i++) {
        double v = (q_next[i] - q_k[i]) / m->h, p = j > k ? step->D2[i] : m->p[k * n + i];
        expected += 0.5 * DEVIATION(x.t.cost[OC_Q].running, m->q[j * n + i],
                                    x.t.cost[OC_Q].reference, j, n, i);
        expected += 0.5 * DEVIATION(x.t.cost[OC_V].running, v, x.t.cost[OC_V].reference, j, n, i);
        expected += 0.5 * DEVIATION(x.t.cost[OC_P].running, p, x.t.cost[OC_P].reference, j, n, i);
      }
    for (int i = 0; i < nu; i++)
      expected +=
          DEVIATION(x.t.cost[OC_U].running, m->u[k * nu + i], x.t.cost[OC_U].reference, k, nu, i);
  }
  for (int i = 0; i < n; i++)
    end += DEVIATION(x.t.cost[OC_Q].goal, m->q[N * n + i], x.t.cost[OC_Q].reference, N, n, i);
#undef DEVIATION
  objective(&a, a.x, &f);
  expected = m->h * expected + end + x.t.time.weight * N * m->h;
  assert_true(fabs(f - expected) < 1e-12 * fabs(expected));
  dm_interval_free(step);
  dm_trajectory_free(m);
  finish(&a, t, &x);
}

static void costs_are_of_deviations(void **state) {
  (void)state;
  check_cost(make(1, 0, MOMENTUM | FORCE));
  tasks_task x = make(COUNT(machines) - 1, 0, MOMENTUM); // p with the constraints' impulses
  assert_int_equal(dm_constraints_new(&x.c, x.m, 2, kinds, NULL), DM_OK);
  x.t.system.hol = dm_constraints_holonomic(x.c);
  check_cost(x);
}

// the rows of a point are the same whatever was evaluated there before
static void rows_are_left_alone(void **state) {
  (void)state;
  tasks_task x = make(COUNT(machines) - 1, 0, MOMENTUM);
  assert_int_equal(dm_constraints_new(&x.c, x.m, 5, kinds, NULL), DM_OK);
  x.t.system.hol = dm_constraints_holonomic(x.c);
  oc_transcription *t = transcribe(&x);
  at a = point(t, 5);
  int m = a.p->m;
  double f, *g = calloc((size_t)(2 * m), sizeof *g);
  constraints(&a, a.x, g);
  objective(&a, a.x, &f);
  lagrangian_gradient(&a, a.x, a.out);
  hessian(&a, a.x);
  constraints(&a, a.x, g + m);
  assert_memory_equal(g, g + m, (size_t)m * sizeof *g);
  free(g);
  finish(&a, t, &x);
}

// whatever the task asks for
static void callbacks_do_not_allocate(void **state) {
  (void)state;
  for (int machine = 0; machine < COUNT(machines); machine++)
    for (int variant = 0; variant < VARIANTS; variant++) {
      int first = allocations;
      tasks_task x = make(machine, variant % COUNT(rules), variant);
      oc_transcription *t = transcribe(&x);
      at a = point(t, 9);
      int before = allocations;
      assert_true(before > first); // the count does count
      double f;
      objective(&a, a.x, &f);
      constraints(&a, a.x, a.out);
      lagrangian_gradient(&a, a.x, a.out);
      hessian(&a, a.x);
      assert_int_equal(allocations, before);
      finish(&a, t, &x);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(derivatives_under_loads_are_exact),
      cmocka_unit_test(constrained_derivatives_are_exact),
      cmocka_unit_test(pattern_is_free_of_values),
      cmocka_unit_test(rows_are_listed_once),
      cmocka_unit_test(integrated_motion_satisfies_the_rows),
      cmocka_unit_test(objective_is_the_integral),
      cmocka_unit_test(costs_are_of_deviations),
      cmocka_unit_test(rows_are_left_alone),
      cmocka_unit_test(callbacks_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
