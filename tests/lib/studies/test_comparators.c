// Methods beside which the variational steps are compared: difference quotients keep the energy of any robot and are of
// first order; steps whose length follows their error keep momenta and let the energy drift.
#include "lib/studies/itoh_abe.h"
#include "lib/studies/variable_steps.h"

#include "lib/discrete/simulate.h"
#include "tests/support/spherical.h"

// energies and places along a run
typedef struct run {
  double low, high, first, last; // J
  double turning[2]; // range of the momentum about the vertical, of a spherical pendulum
  double q[6];
} run;

static dm_status watch(void *user, dm_simulation *x) {
  run *w = user;
  const bool begun = w->first != 0;
  if (!begun) w->first = w->low = w->high = x->energy;
  w->low = fmin(w->low, x->energy);
  w->high = fmax(w->high, x->energy);
  w->last = x->energy;
  const double turning = x->x->n == 6 ? spherical_turning(x->x->q, x->x->p) : 0;
  w->turning[0] = begun ? fmin(w->turning[0], turning) : turning;
  w->turning[1] = begun ? fmax(w->turning[1], turning) : turning;
  memcpy(w->q, x->x->q, (size_t)x->x->n * sizeof *w->q);
  return DM_OK;
}

static run simulate(const dm_system *s, const dm_stepper *step, const double *q, const double *v,
                    double h, int steps) {
  run out = {0};
  dm_simulate_settings set = dm_simulate_default();
  set.steps = steps;
  set.h = h;
  set.knot = watch;
  set.user = &out;
  dm_simulation *w;
  assert_int_equal(dm_simulation_new(&w, s, step, &set), DM_OK);
  assert_int_equal(dm_simulation_start(w, &(dm_start){.q = q, .v = v}), DM_OK);
  assert_int_equal(dm_simulation_run(w), DM_OK);
  dm_simulation_free(w);
  return out;
}

static run run_quotients(const dm_system *s, const double *q, const double *v, double h,
                         int steps) {
  dm_itoh_abe *w;
  assert_int_equal(dm_itoh_abe_new(&w, s), DM_OK);
  const dm_stepper step = dm_itoh_abe_stepper(w);
  const run out = simulate(s, &step, q, v, h, steps);
  dm_itoh_abe_free(w);
  return out;
}

static const double V[6] = {0, 1.5, 0, -1, 0, 0};

// of a double pendulum by angles, whose mass matrix turns, and of one by constraints
static void quotients_keep_the_energy(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double q[] = {1, 0.5}, v[] = {0.2, -0.3};
  s.damping = NULL;
  s.nu = 0;
  run x = run_quotients(&s, q, v, 0.02, 500);
  assert_close(x.high - x.low, 0, 1e-11 * fabs(x.first));
  dm_model_free(m);

  spherical w = spherical_new();
  x = run_quotients(&w.s, w.q, V, 0.05, 100);
  assert_close(x.high - x.low, 0, 1e-11 * fabs(x.first));
  assert_true(x.turning[1] - x.turning[0] > 0.1);
  spherical_free(&w);
}

static void quotients_are_of_first_order(void **state) {
  (void)state;
  const double exact[] = {-.09424023, .04173425, -.99467433,
                          .24692129,  .79613331, -.55245057}; // at 5 s
  double e[2] = {0};
  spherical w = spherical_new();
  for (int i = 0; i < 2; i++) {
    const run x = run_quotients(&w.s, w.q, V, 0.01 / (1 << i), 500 << i);
    for (int j = 0; j < 6; j++) e[i] = fmax(e[i], fabs(x.q[j] - exact[j]));
  }
  assert_close(log2(e[0] / e[1]), 1, 0.15);
  spherical_free(&w);
}

static run run_variable(const dm_system *s, const double *q, double tolerance, long *taken) {
  dm_variable_steps *w;
  assert_int_equal(dm_variable_steps_new(&w, s, tolerance), DM_OK);
  const dm_stepper step = dm_variable_stepper(w);
  const run out = simulate(s, &step, q, V, 0.25, 200);
  *taken = w->taken;
  dm_variable_steps_free(w);
  return out;
}

// in 50 s, more than the whole range of steps of one length, of the same mean, by far
static void the_energy_of_variable_steps_drifts(void **state) {
  (void)state;
  spherical w = spherical_new();
  long taken, finer;
  const run x = run_variable(&w.s, w.q, 1e-3, &taken);
  const run y = run_variable(&w.s, w.q, 2.5e-4, &finer);
  assert_close(x.turning[1] - x.turning[0], 0, 1e-11);
  assert_true(x.first - x.last > 0.015 && x.first - x.last < 0.025);
  assert_true(y.first - y.last < (x.first - x.last) / 2);
  assert_true(10 * finer > 16 * taken && 10 * finer < 24 * taken); // errors are of second order
  spherical_free(&w);
}

static void what_the_quotients_cannot_keep_is_refused(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  const double damping[] = {0.1, 0};
  dm_message msg = {""};
  s.nu = 0;
  s.damping = damping;
  assert_int_equal(dm_itoh_abe_check(&s, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found damping"));
  s.damping = NULL;
  assert_int_equal(dm_itoh_abe_check(&s, &msg), DM_OK);
  s.nu = 1;
  assert_int_equal(dm_itoh_abe_check(&s, &msg), DM_BAD_INPUT);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotients_keep_the_energy),
      cmocka_unit_test(quotients_are_of_first_order),
      cmocka_unit_test(the_energy_of_variable_steps_drifts),
      cmocka_unit_test(what_the_quotients_cannot_keep_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
