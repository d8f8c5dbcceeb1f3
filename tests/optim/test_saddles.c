// tests/optim/test_saddles.c: that `solved` is a minimum. A pendulum is to hang at both ends of a
// motion, where hanging costs most: to hang on is stationary, by symmetry, and costs more than to swing
// out to either side.
#include "optim/solve.h"
#include "tests/support/actions.h"
#include "tests/support/functions.h"

enum { STEPS = 40 };
static const double HILL = 200; // J, of hanging for a second
static dm_message msg;

// HILL cos q
static dm_status hill(const void *self, const functions_own *at, int order, const double *y,
                      double *c, double *c_y, double *c_yy) {
  (void)self;
  (void)at;
  *c += HILL * cos(y[0]);
  if (order >= 1) c_y[0] -= HILL * sin(y[0]);
  if (order >= 2) c_yy[0] -= HILL * cos(y[0]);
  return DM_OK;
}

static functions_own hill_function = {.name = "hill", .eval = hill};
static oc_term term;

static tasks_task make_hanging(void) {
  tasks_task x = tasks_make(models_pendulum(), STEPS, 2);
  for (int end = 0; end < 2; end++) tasks_rest(&x, end, (double[]){0});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  term = functions_term(&hill_function, &x.t);
  x.t.functions.terms = &term;
  x.t.functions.nterms = 1;
  return x;
}

// a solution of the task, or of phases
typedef struct found {
  dm_status status;
  oc_solve_info info;
} found;

static found solve_hanging(const oc_task *t, const oc_phases_task *phases, const oc_setup *set) {
  found out;
  dm_trajectory *motion[2] = {NULL};
  out.status = phases ? oc_solve_phases(phases, set, motion, &out.info, &msg)
                      : oc_solve(t, set, motion, &out.info, &msg);
  for (int i = 0; i < 2; i++) dm_trajectory_free(motion[i]);
  if (out.status == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  return out;
}

// From its guess alone a search ends at the saddle, and says so; else it goes on to a minimum.
static int assert_left(const oc_task *t, const oc_phases_task *phases, oc_setup set) {
  set.options.only_guess = true;
  const found saddle = solve_hanging(t, phases, &set);
  assert_int_equal(saddle.status, DM_SADDLE);
  assert_int_equal(saddle.info.inertia.kind, OC_INERTIA_SADDLE);
  assert_int_equal(saddle.info.saddles, 0);
  set.options.only_guess = false;
  const found minimum = solve_hanging(t, phases, &set);
  assert_int_equal(minimum.status, DM_OK);
  assert_int_equal(minimum.info.inertia.kind, OC_INERTIA_MINIMUM);
  assert_true(minimum.info.saddles >= 1);
  assert_close(minimum.info.saddle, saddle.info.objective, 1e-6 * HILL);
  assert_true(minimum.info.objective < 0.9 * saddle.info.objective);
  return saddle.info.inertia.negative;
}

// every solver counts the same directions, of the program of first order and of that of second
static void saddles_are_told_and_left_by_every_solver(void **state) {
  (void)state;
  static const oc_solver_kind solvers[] = {OC_SOLVER_STAGE, OC_SOLVER_AUTO, OC_SOLVER_IPOPT};
  tasks_task x = make_hanging();
  oc_torque_transcription_settings second = settings(&x, "hermite-gauss");
  for (int order = 1; order <= 2; order++) {
    int negative = 0;
    for (int i = 0; i < COUNT(solvers); i++) {
      oc_setup set = oc_setup_default();
      set.options.method = solvers[i];
      if (order == 2) set.second = &second;
      const int told = assert_left(&x.t, NULL, set);
      if (i == 0) negative = told;
      assert_true(told > 0);
      assert_int_equal(told, negative);
    }
  }
  tasks_free(&x);
}

static void saddles_are_left_by_tasks_of_every_kind(void **state) {
  (void)state;
  const double some = NAN;

  // under limits, of which none is active at the saddle
  tasks_task x = make_hanging();
  x.m->u_min[0] = -20;
  x.m->u_max[0] = 20;
  assert_left(&x.t, NULL, oc_setup_default());

  // of a free final time
  x.t.time.free = true;
  x.t.time.min = 1.9;
  x.t.time.max = 2.1;
  assert_left(&x.t, NULL, oc_setup_default());

  // that ends as it began
  x.t.time.free = false;
  x.t.periodic = true;
  x.t.start.v = x.t.goal.q = x.t.goal.v = &some;
  assert_left(&x.t, NULL, oc_setup_default());
  tasks_free(&x);
}

static void saddles_of_phases_are_left(void **state) {
  (void)state;
  tasks_task x[2] = {make_hanging(), make_hanging()};
  const double some = NAN;
  x[0].t.goal.q = x[0].t.goal.v = x[1].t.start.q = x[1].t.start.v = &some;
  const oc_task *task[] = {&x[0].t, &x[1].t};
  const char *name[] = {"first", "second"};
  oc_pair pairs[2];
  oc_join join = {.law = OC_JOIN_VELOCITY, .pairs = pairs};
  join.npairs = oc_phases_pair(task[0], task[1], pairs);
  const oc_phases_task phases = {.n = 2, .task = task, .name = name, .join = &join};
  assert_left(NULL, &phases, oc_setup_default());
  for (int i = 0; i < 2; i++) tasks_free(&x[i]);
}

// two motors on one joint of which one is free: how they share does not matter
static void what_costs_nothing_is_degenerate(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("pivot", false, 0, 1, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}}};
  dm_input u[] = {models_input("first", 0), models_input("second", 0)};
  tasks_task x = tasks_make(models_make(&(dm_tree){.nbody = 1,
                                                   .ncoord = 1,
                                                   .ninput = 2,
                                                   .body = b,
                                                   .coord = c,
                                                   .input = u,
                                                   .gravity = {0, 0, -9.8}}),
                            STEPS, 2);
  tasks_rest(&x, 0, (double[]){0});
  tasks_rest(&x, 1, (double[]){1});
  x.t.cost[OC_U].running = (double[]){1, 0};
  for (int limited = 0; limited < 2; limited++) {
    for (int i = 0; i < 2 && limited; i++) {
      x.m->u_min[i] = -100;
      x.m->u_max[i] = 100;
    }
    const oc_setup set = oc_setup_default();
    const found out = solve_hanging(&x.t, NULL, &set);
    assert_int_equal(out.status, DM_OK);
    assert_int_equal(out.info.inertia.kind, OC_INERTIA_FLAT);
    assert_int_equal(out.info.inertia.negative, 0);
    // at most all but what the ends take; some curve by what tolerances leave of multipliers
    assert_in_range(out.info.inertia.zero, 1, STEPS - 2);
  }
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saddles_are_told_and_left_by_every_solver),
      cmocka_unit_test(saddles_are_left_by_tasks_of_every_kind),
      cmocka_unit_test(saddles_of_phases_are_left),
      cmocka_unit_test(what_costs_nothing_is_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
