// Newmark's method of beta and gamma: its recursion, order, dissipation, and how it bounces.
#include "tests/support/particles.h"

#include "lib/studies/direct_methods.h"

static const dm_contact_method *const methods[] = {&dm_newmark, &dm_imex_newmark};

static dm_contact_integrator_settings newmark(int which, double beta, double gamma) {
  dm_contact_integrator_settings set = dm_contact_integrator_default();
  set.method = methods[which];
  set.beta = beta;
  set.gamma = gamma;
  return set;
}

// an oscillator of frequency w that meets nothing
static particles make_oscillator(double w, const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double q = 1, p = 0;
  plan = (particles_plan){.axes = "z"};
  particles_field(&plan, 0, dm_spring_law_linear(w * w, 0));
  particles_contact(&plan, DM_ABOVE, 0, -1, -10);
  return particles_make(&plan, 1, &q, &p, set);
}

// Of q'' = -w^2 q positions follow q2 - (2 - (gamma + 1/2) s) q1 + (1 - (gamma - 1/2) s) q0 = 0 with
// s = (w h)^2 / (1 + beta (w h)^2): the last factor is the amplitude's square, lost in a step.
static void dissipation_is_that_of_gamma(void **state) {
  (void)state;
  static const double rows[][2] = {
      {0.25, 0.5}, {0.3025, 0.6}, {0.25, 0.4}, {1. / 6, 0.5}, {0.5, 1}};
  const double w = 3, h = 0.2;
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < COUNT(rows); i++) {
      const double beta = rows[i][0], gamma = rows[i][1];
      const double s = w * w * h * h / (1 + beta * w * w * h * h);
      dm_contact_integrator_settings set = newmark(m, beta, gamma);
      particles x = make_oscillator(w, &set);
      double q[3] = {x.q[0]}, first = 1, last = 0;
      for (int k = 0; k < 100; k++) {
        assert_int_equal(particles_step(&x, h), DM_OK);
        q[2] = x.q[0];
        if (k > 0)
          assert_close(q[2] - (2 - (gamma + 0.5) * s) * q[1] + (1 - (gamma - 0.5) * s) * q[0], 0,
                       1e-13);
        q[0] = k > 0 ? q[1] : q[0];
        q[1] = q[2];
        last = particles_energy(&x) / (w * w / 2);
      }
      // energy falls above gamma = 1/2, rises below, stays at it
      if (gamma > 0.5) assert_true(last < 0.6 * first);
      if (gamma < 0.5) assert_true(last > 1.6 * first);
      if (gamma == 0.5) assert_true(fabs(last - first) < 0.1);
      particles_free(&x);
    }
}

// of second order for gamma = 1/2 alone, whatever beta
static void order_is_two_for_gamma_one_half(void **state) {
  (void)state;
  static const double rows[][3] = {{0.25, 0.5, 2}, {0.1, 0.5, 2}, {0.3025, 0.6, 1}, {0.25, 0.7, 1}};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < COUNT(rows); i++) {
      double error[2];
      for (int k = 0; k < 2; k++) {
        dm_contact_integrator_settings set = newmark(m, rows[i][0], rows[i][1]);
        particles x = make_oscillator(1, &set);
        for (int j = 0; j < 200 << k; j++)
          assert_int_equal(particles_step(&x, 0.01 / (1 << k)), DM_OK);
        error[k] = hypot(x.q[0] - cos(2), x.p[0] + sin(2));
        particles_free(&x);
      }
      assert_close(log2(error[0] / error[1]), rows[i][2], 0.05);
    }
}

// What the settings do not say is 1/4, 1/2; explicit, 0, 1/2, which is Stoermer and Verlet's.
static void what_is_not_said_is_the_methods_own(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    double end[2][2];
    for (int i = 0; i < 2; i++) {
      dm_contact_integrator_settings set = newmark(m, i ? NAN : (m ? 0 : 0.25), i ? NAN : 0.5);
      particles x = make_oscillator(1, &set);
      for (int k = 0; k < 10; k++) assert_int_equal(particles_step(&x, 0.3), DM_OK);
      end[i][0] = x.q[0];
      end[i][1] = x.p[0];
      particles_free(&x);
    }
    for (int k = 0; k < 2; k++) assert_true(end[0][k] == end[1][k]);
  }
}

// Without forces, the last free knot zeta h before a wall: the force that ends the step on the wall
// is (1 - zeta)/beta of the momentum, so that it leaves at (1 - zeta)/beta - 1, whatever gamma.
// Explicit but for that force: 2 (1 - zeta) - 1, whatever either.
static void restitution_is_that_of_beta(void **state) {
  (void)state;
  static const double rows[][2] = {{0.25, 0.5}, {0.3, 0.6}, {0.3025, 0.6}, {0.2, 0.5}};
  const double h = 0.1;
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < COUNT(rows); i++)
      for (double zeta = 0.03; zeta < 0.4; zeta += 0.0517) {
        static particles_plan plan;
        plan = (particles_plan){.axes = "z"};
        particles_contact(&plan, DM_ABOVE, 0, -1, 0);
        double q = (2 + zeta) * h, p = -1;
        dm_contact_integrator_settings set = newmark(m, rows[i][0], rows[i][1]);
        particles x = particles_make(&plan, 1, &q, &p, &set);
        for (int k = 0; k < 6; k++) assert_int_equal(particles_step(&x, h), DM_OK);
        assert_close(x.p[0], (1 - zeta) / (m ? 0.5 : rows[i][0]) - 1, 1e-12);
        particles_free(&x);
      }
}

// a force that beta keeps from q1 cannot hold anything there
static void a_force_needs_beta(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z"};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  double q = 1, p = 0;
  particles x = particles_make(&plan, 1, &q, &p, NULL);
  dm_unilateral u = dm_contacts_unilateral(x.contacts);
  dm_contact_integrator_settings set = newmark(0, 0, 0.5);
  dm_contact_integrator *w = NULL;
  dm_message msg;
  assert_int_equal(dm_contact_integrator_new(&w, &x.s, &u, &set, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text, "newmark: found beta 0, expected a number > 0");
  particles_free(&x);
}

static dm_status drag(const void *self, void *scratch, int order, const double *q, const double *v,
                      const double *u, dm_force_jet *out) {
  (void)self, (void)scratch, (void)order, (void)q, (void)u;
  out->f[0] -= v[0];
  return DM_OK;
}

// What would have no effect is refused: forces and inputs by Newmark's method, a restitution by all
// whose bounce hangs on the grid.
static void what_has_no_effect_is_refused(void **state) {
  (void)state;
  static const dm_contact_method *const by[] = {&dm_newmark, &dm_imex_newmark, &dm_direct_midpoint,
                                                &dm_direct_endpoint};
  static particles_plan plan;
  static const double damping[] = {0.1};
  static const int coord[] = {0};
  const double q = 1, p = 0;
  plan = (particles_plan){.axes = "z"};
  dm_contact *floor = particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  for (int e = 0; e < 2; e++) {
    floor->restitution = 1 - 0.5 * e;
    particles x = particles_make(&plan, 1, &q, &p, NULL);
    dm_unilateral u = dm_contacts_unilateral(x.contacts);
    dm_system damped = x.s, driven = x.s, forced = x.s;
    damped.damping = damping;
    driven.nu = 1;
    driven.input_coord = coord;
    dm_system_add_force(&forced, (dm_force){.eval = drag});
    const dm_system *systems[] = {&x.s, &damped, &driven, &forced};
    static const char *const found[] = {"restitution 0.5", "found damping", "found inputs",
                                        "found dampers, wrenches or other forces"};
    for (int m = 0; m < COUNT(by); m++)
      for (int k = 0; k < COUNT(systems); k++) {
        dm_contact_integrator_settings set = dm_contact_integrator_default();
        set.method = by[m];
        dm_contact_integrator *w = NULL;
        dm_message msg = {""};
        bool takes = e == 0 && (m >= 2 || k == 0);
        dm_status s = dm_contact_integrator_new(&w, systems[k], &u, &set, &msg);
        assert_int_equal(s, takes ? DM_OK : DM_BAD_INPUT);
        if (!takes) assert_non_null(strstr(msg.text, found[e ? 0 : k]));
        dm_contact_integrator_free(w);
      }
    particles_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dissipation_is_that_of_gamma),
      cmocka_unit_test(order_is_two_for_gamma_one_half),
      cmocka_unit_test(what_is_not_said_is_the_methods_own),
      cmocka_unit_test(restitution_is_that_of_beta),
      cmocka_unit_test(a_force_needs_beta),
      cmocka_unit_test(what_has_no_effect_is_refused),
  };
  return cmocka_run_group_tests_name("direct_methods", tests, NULL, NULL);
}
