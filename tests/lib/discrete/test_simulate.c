// Simulations from arrays: the energy's error is bounded and of the order of the steps, symmetries
// keep their momenta, starts lead where they say, and a run ends where it is told to or must.
#include "tests/support/spherical.h"

// a witness of a run
typedef struct witness {
  dm_trajectory *x;           // all knots; NULL: none are kept
  int stop, seen;             // before which step the run ends, < 0: none; knots seen
  double step_low, step_high; // range of the energy of steps
} witness;

static bool proceed(void *user, int k) {
  const witness *w = user;
  return k != w->stop;
}

static dm_status see(void *user, dm_simulation *run) {
  witness *w = user;
  double value[DM_MONITORS];
  assert_int_equal(run->k, w->seen++);
  assert_true(run->stepped == (run->lambda != NULL));
  if (w->x) dm_simulation_store(run, w->x);

  dm_simulation_watch(run, value);
  assert_close(value[DM_MONITOR_ENERGY], run->energy, 0);
  assert_close(value[DM_MONITOR_VERTICAL], run->moment[2], 1e-15 * fabs(run->moment[2]));
  assert_true(isnan(value[DM_MONITOR_FORM]));
  double E = value[DM_MONITOR_ENERGY_STEP];
  assert_true(isnan(E) != (run->stepped && run->step.single));
  if (isnan(E)) return DM_OK;
  w->step_low = fmin(w->step_low, E);
  w->step_high = fmax(w->step_high, E);
  return DM_OK;
}

static witness witness_new(void) {
  return (witness){.stop = -1, .step_low = INFINITY, .step_high = -INFINITY};
}

// a run of a system by steps of an order
typedef struct run {
  dm_composition *steps;
  dm_simulation *w;
} run;

static run run_new(const dm_system *s, int order, const dm_del_settings *del, int steps, double h,
                   witness *by) {
  run r;
  dm_simulate_settings set = dm_simulate_default();
  set.steps = steps;
  set.h = h;
  set.momentum = dm_tree_momentum_map(s->L.self);
  if (by) set.knot = see, set.proceed = proceed, set.user = by;
  assert_int_equal(dm_composition_new(&r.steps, s, order, del, NULL), DM_OK);
  dm_stepper step = dm_composition_stepper(r.steps);
  assert_int_equal(dm_simulation_new(&r.w, s, &step, &set), DM_OK);
  return r;
}

static void run_free(run *r) {
  dm_simulation_free(r->w);
  dm_composition_free(r->steps);
}

// the energy's drift over 8 s of an acrobot without friction
static double drift_of(int order, double h) {
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  s.damping = NULL;
  run r = run_new(&s, order, NULL, (int)(8 / h + 0.5), h, NULL);
  dm_start start = {.q = (double[]){1, 0.5}, .v = (double[]){0.5, 0}};
  assert_int_equal(dm_simulation_start(r.w, &start), DM_OK);
  assert_int_equal(dm_simulation_run(r.w), DM_OK);
  double drift = r.w->info.energy_drift;
  assert_true(r.w->info.energy_low <= r.w->info.energy_start);
  assert_true(r.w->info.energy_high >= r.w->info.energy_start);
  run_free(&r);
  dm_model_free(m);
  return drift;
}

static void the_energy_s_error_is_of_the_order_of_steps(void **state) {
  (void)state;
  assert_close(log2(drift_of(2, 0.01) / drift_of(2, 0.005)), 2, 0.1);
  assert_close(log2(drift_of(4, 0.02) / drift_of(4, 0.01)), 4, 0.3);
}

static void it_is_bounded_however_long_the_run(void **state) {
  (void)state;
  double drift[2];
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  for (int i = 0; i < 2; i++) {
    run r = run_new(&s, 2, NULL, i ? 20000 : 200, 0.05, NULL);
    assert_int_equal(
        dm_simulation_start(r.w, &(dm_start){.q = (double[]){1.5}, .v = (double[]){0}}), DM_OK);
    assert_int_equal(dm_simulation_run(r.w), DM_OK);
    drift[i] = r.w->info.energy_drift;
    run_free(&r);
  }
  assert_true(drift[1] < 1.01 * drift[0]);
  dm_model_free(m);
}

// Noether: gravity and two rods at the origin leave the turn about the vertical alone
static void what_a_symmetry_keeps_is_kept(void **state) {
  (void)state;
  spherical p = spherical_new();
  double v[] = {0, 1.5, 0, -1, 0, 0};
  witness by = witness_new();
  run r = run_new(&p.s, 2, NULL, 300, 0.02, &by);
  assert_int_equal(dm_simulation_start(r.w, &(dm_start){.q = p.q, .v = v}), DM_OK);
  assert_int_equal(dm_simulation_run(r.w), DM_OK);
  const dm_simulate_info *info = &r.w->info;
  assert_true(fabs(info->momentum_start[2]) > 0.1);
  assert_true(info->momentum_drift[2] < 1e-11);
  assert_true(info->momentum_drift[0] > 0.1);
  assert_true(info->residual < 1e-11);
  assert_int_equal(by.seen, 301);
  run_free(&r);
  spherical_free(&p);
}

static void the_energy_momentum_method_keeps_its_energy(void **state) {
  (void)state;
  spherical p = spherical_new();
  double v[] = {0, 1.5, 0, -1, 0, 0};
  dm_del_settings set = dm_del_default();
  for (int em = 0; em < 2; em++) {
    set.energy_momentum = em;
    run r = run_new(&p.s, 2, &set, 100, 0.05, NULL);
    assert_int_equal(dm_simulation_start(r.w, &(dm_start){.q = p.q, .v = v}), DM_OK);
    assert_int_equal(dm_simulation_run(r.w), DM_OK);
    if (em)
      assert_true(r.w->info.energy_drift < 1e-10);
    else
      assert_true(r.w->info.energy_drift > 1e-4);
    run_free(&r);
  }
  spherical_free(&p);
}

static void starts_lead_where_they_say(void **state) {
  (void)state;
  const double h = 0.02, q[] = {1, 0.5}, still[] = {0, 0}, next[] = {1.01, 0.49};
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  s.damping = NULL;
  witness by = witness_new();
  assert_int_equal(dm_trajectory_of(&by.x, 3, &s), DM_OK);
  run r = run_new(&s, 2, NULL, 3, h, &by);

  // two configurations: the second is met
  assert_int_equal(dm_simulation_start(r.w, &(dm_start){.q = q, .v = still, .next = next}), DM_OK);
  assert_int_equal(dm_simulation_run(r.w), DM_OK);
  for (int i = 0; i < 2; i++) {
    assert_close(by.x->q[i], q[i], 0);
    assert_close(by.x->q[2 + i], next[i], 1e-13);
  }

  // one that stood twice: its momentum is half a step of gravity's, as that of D2(q,q)
  by.seen = 0;
  assert_int_equal(dm_simulation_start(r.w, &(dm_start){.q = q, .v = next, .standing = true}),
                   DM_OK);
  dm_interval *d;
  assert_int_equal(dm_interval_new(&d, &s), DM_OK);
  assert_int_equal(dm_interval_eval(d, 1, q, q, NULL, h), DM_OK);
  for (int i = 0; i < 2; i++) assert_close(r.w->x->p[i], d->D2[i], 0);
  dm_interval_free(d);

  // all knots are kept: each follows from the one before
  double gap;
  int worst;
  assert_int_equal(dm_simulation_run(r.w), DM_OK);
  by.x->h = h;
  assert_int_equal(dm_trajectory_certify(by.x, r.steps->del, NULL, &gap, &worst), DM_OK);
  assert_true(gap < 1e-12);
  run_free(&r);
  dm_trajectory_free(by.x);
  dm_model_free(m);
}

static void a_run_ends_where_it_is_told(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  witness by = witness_new();
  by.stop = 7;
  run r = run_new(&s, 2, NULL, 20, 0.05, &by);
  dm_start start = {.q = (double[]){1}, .v = (double[]){0}};
  assert_int_equal(dm_simulation_start(r.w, &start), DM_OK);
  assert_int_equal(dm_simulation_run(r.w), DM_INTERRUPTED);
  assert_int_equal(r.w->k, 7);
  assert_int_equal(by.seen, 8);
  run_free(&r);
  dm_model_free(m);
}

// steps that cannot be taken from the third on
static dm_status fail_later(void *self, int k, const double *q0, const double *p0, const double *u,
                            double h, double *q1, double *p1, double *lambda) {
  (void)self, (void)p0, (void)u, (void)lambda;
  if (k == 2) return DM_SINGULAR;
  q1[0] = q0[0] + h * p0[0];
  p1[0] = p0[0];
  return DM_OK;
}

static void a_step_that_fails_says_at_which_knot(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  witness by = witness_new();
  dm_simulate_settings set = dm_simulate_default();
  set.steps = 5, set.h = 0.1, set.knot = see, set.user = &by;
  dm_stepper step = {.step = fail_later, .single = true};
  dm_simulation *w;
  assert_int_equal(dm_simulation_new(&w, &s, &step, &set), DM_OK);
  assert_int_equal(dm_simulation_start(w, &(dm_start){.q = (double[]){1}, .v = (double[]){2}}),
                   DM_OK);
  assert_int_equal(dm_simulation_run(w), DM_SINGULAR);
  assert_int_equal(w->k, 2);
  assert_int_equal(by.seen, 3);
  assert_false(w->stepped);
  assert_close(w->x->q[0], 1.4, 1e-15);
  dm_simulation_free(w);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_energy_s_error_is_of_the_order_of_steps),
      cmocka_unit_test(it_is_bounded_however_long_the_run),
      cmocka_unit_test(what_a_symmetry_keeps_is_kept),
      cmocka_unit_test(the_energy_momentum_method_keeps_its_energy),
      cmocka_unit_test(starts_lead_where_they_say),
      cmocka_unit_test(a_run_ends_where_it_is_told),
      cmocka_unit_test(a_step_that_fails_says_at_which_knot),
  };
  return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
