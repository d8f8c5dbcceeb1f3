// The symplectic form carried along motions: kept by steps of every order, not by the
// energy-momentum method, and lost to damping as the determinants say.
#include "tests/support/spherical.h"

// N steps of h: how far the form, by derivatives and by the cloud, is ever off what it should be:
// 1, or of one damped coordinate, whose form is an area, the product `lost` of determinants D21/D12
static void follow(const dm_system *s, int order, const dm_del_settings *set, double h, int N,
                   const double *start_q, const double *start_p, double off[2], double *lost) {
  dm_composition *w;
  dm_symplectic_form *f;
  dm_continuous *c;
  dm_del_info info;
  const int n = s->L.nq;
  double q[12], p[12], q1[12], p1[12], a[12], Ma[12];
  memcpy(q, start_q, (size_t)n * sizeof *q);
  memcpy(p, start_p, (size_t)n * sizeof *p);
  for (int i = 0; i < n; i++) {
    a[i] = cos(i);
    q1[i] = q[i];
  }

  // a start tangent that keeps the constraints
  assert_int_equal(dm_composition_new(&w, s, order, set, NULL), DM_OK);
  assert_int_equal(dm_symplectic_form_new(&f, s, order, set, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  if (s->hol.nc) assert_int_equal(dm_velocity_restrict(c, q, a), DM_OK);
  assert_int_equal(dm_momentum_of(c, q, a, Ma), DM_OK);
  dm_symplectic_form_start(f, a, Ma);
  *lost = 1;
  off[0] = off[1] = 0;
  for (int k = 0; k < N; k++) {
    assert_int_equal(dm_composition_step(w, q, p, NULL, h, q1, p1, &info), DM_OK);
    assert_int_equal(dm_symplectic_form_propagate(f, w, q, p, q1, NULL, h), DM_OK);

    // D21/D12 of the step: what damping leaves of the area
    assert_int_equal(dm_interval_eval(w->del->d, 2, q, q1, NULL, h), DM_OK);
    if (n == 1) *lost *= w->del->d->D21[0] / w->del->d->D12[0];
    for (int i = 0; i < 2; i++) off[i] = fmax(off[i], fabs(f->form[i] - *lost));
    assert_true(isnan(f->form[0]) == (set && set->energy_momentum));
    memcpy(q, q1, (size_t)n * sizeof *q);
    memcpy(p, p1, (size_t)n * sizeof *p);
  }
  dm_composition_free(w);
  dm_symplectic_form_free(f);
  dm_continuous_free(c);
}

static void symplectic_steps_keep_it(void **state) {
  (void)state;
  const char *rules[] = {"midpoint", "trapezoid"};
  double off[2], lost;
  for (const dm_composition_method *of = dm_composition_methods; of->order; of++)
    for (int r = 0; r < 2; r++) {
      // under constraints: exactly by derivatives, to their differences by the cloud
      spherical w = spherical_new();
      dm_rule_set(&w.s.rule, rules[r], 0.5, "midpoint", NULL);
      follow(&w.s, of->order, NULL, 0.05, 100, w.q, w.p, off, &lost);
      assert_close(off[0], 0, 1e-12);
      assert_close(off[1], 0, 1e-7);
      spherical_free(&w);

      // an acrobot, without damping or inputs
      dm_model *m = models_acrobot();
      dm_system s = dm_system_of(m);
      s.nu = 0;
      s.damping = NULL;
      dm_rule_set(&s.rule, rules[r], 0.5, "midpoint", NULL);
      follow(&s, of->order, NULL, 0.02, 200, (double[]){1, 0.5}, (double[]){0.2, 0}, off, &lost);
      assert_close(off[0], 0, 1e-11);
      assert_close(off[1], 0, 1e-6);
      dm_model_free(m);
    }
}

// chaos stretches every pair of tangents until its form is lost among large products: new pairs go on
static void pairs_are_renewed_where_they_are_stretched(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  double off[2], lost;
  s.nu = 0;
  s.damping = NULL;
  follow(&s, 2, NULL, 0.02, 2000, (double[]){3, 0.5}, (double[]){0, 0}, off, &lost);
  assert_close(off[0], 0, 1e-9);
  assert_close(off[1], 0, 1e-4);
  dm_model_free(m);
}

static void the_energy_momentum_method_does_not(void **state) {
  (void)state;
  spherical w = spherical_new();
  dm_del_settings set = dm_del_default();
  double off[2], lost;
  set.energy_momentum = true;
  follow(&w.s, 2, &set, 0.05, 100, w.q, w.p, off, &lost);
  assert_true(off[1] > 0.01);
  spherical_free(&w);
}

static void damping_takes_what_determinants_say(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  double off[2], lost, damping = 0.3;
  s.nu = 0;
  s.damping = &damping;
  follow(&s, 2, NULL, 0.1, 50, (double[]){1}, (double[]){0.5}, off, &lost);
  assert_true(lost < 0.3 && lost > 0.2); // exp(-1.5) = 0.223
  assert_close(off[0], 0, 1e-13);
  assert_close(off[1], 0, 1e-8);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symplectic_steps_keep_it),
      cmocka_unit_test(pairs_are_renewed_where_they_are_stretched),
      cmocka_unit_test(the_energy_momentum_method_does_not),
      cmocka_unit_test(damping_takes_what_determinants_say),
  };
  return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
