// Rules with nodes within the step: their order with and without forces and under constraints, and
// what the map keeps.
#include "tests/support/ball.h"
#include "tests/support/cartesian.h"
#include "tests/support/forces.h"
#include "tests/support/spherical.h"

static const struct {
  const char *name;
  int order;
} rules[] = {{"lobatto-3", 4}, {"lobatto-4", 6}};

static void set_rule(dm_system *s, const char *name) {
  assert_int_equal(dm_rule_set(&s->rule, name, 0.5, "midpoint", NULL), DM_OK);
}

// N steps in time T from (q,p)
static void roll(const dm_system *s, double T, int N, const double *u, double *q, double *p) {
  dm_del *w;
  dm_del_info info;
  double q1[12];
  size_t bytes = (size_t)s->L.nq * sizeof *q;
  assert_int_equal(dm_del_new(&w, s, NULL), DM_OK);
  memcpy(q1, q, bytes);
  for (int k = 0; k < N; k++) {
    assert_int_equal(dm_del_step(w, q, p, u, T / N, q1, p, &info), DM_OK);
    memcpy(q, q1, bytes);
  }
  dm_del_free(w);
}

// The error in (q,p) at T from N and 2 N steps, against 4 N steps of order 6, falls by 2^order. p is
// compared where no constraint takes a part of it.
static void check_order(const char *what, dm_system s, double T, int N, const double *u,
                        const double *q, const double *p) {
  int n = s.L.nq, compared = s.hol.nc ? n : 2 * n;
  for (int r = 0; r < COUNT(rules); r++) {
    double x[3][24], error[2] = {0};
    for (int i = 0; i < 3; i++) {
      set_rule(&s, i < 2 ? rules[r].name : "lobatto-4");
      memcpy(x[i], q, (size_t)n * sizeof *q);
      memcpy(x[i] + n, p, (size_t)n * sizeof *p);
      roll(&s, T, i < 2 ? N << i : 8 * N, u, x[i], x[i] + n);
    }
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < compared; j++) error[i] = fmax(error[i], fabs(x[i][j] - x[2][j]));
    double slope = log2(error[0] / error[1]);
    print_message("%s, %s: error %.3g, %.3g, slope %.3f\n", what, rules[r].name, error[0], error[1],
                  slope);
    if (!(fabs(slope - rules[r].order) < 0.25)) fail_msg("%s, %s: %g", what, rules[r].name, slope);
  }
}

static void trees_converge_with_their_order(void **state) {
  (void)state;
  const double q[] = {0, 1}, p[] = {0.1, 0.2}, u[] = {1.5, 0.4, -0.3};
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  check_order("cart-pole", s, 1, 20, NULL, q, p);

  // inputs at joints, damping, and a general force of q, v and u
  static forces_wave wave;
  s.nu = m->nu;
  check_order("input held", s, 1, 20, u, q, p);
  s.damping = (double[]){0.5, 0.1};
  check_order("damped", s, 1, 20, u, q, p);
  dm_system_add_force(&s, forces_wave_of(&wave, 2, 1));
  check_order("under a general force", s, 0.5, 16, u, q, p);
  dm_model_free(m);
}

static void constrained_steps_converge_with_their_order(void **state) {
  (void)state;
  spherical w = spherical_new();
  check_order("double spherical pendulum", w.s, 1, 20, NULL, w.q, w.p);
  w.s.nu = 2;
  w.s.input_coord = (int[]){0, 4}; // forces held
  check_order("pushed", w.s, 1, 20, (double[]){2, -1}, w.q, w.p);
  spherical_free(&w);
}

// the pole on a cart that moves by itself, from 0 at 0.1 m/s, after a second in N steps
static double swing_on_cart(const dm_system *s, double speed, int N) {
  dm_del *w;
  dm_del_info info;
  dm_continuous *c;
  double q[] = {0, 1}, p[2], next[2];
  const double v[] = {speed, 0.3};
  assert_int_equal(dm_del_new(&w, s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  assert_int_equal(dm_momentum_of(c, q, v, p), DM_OK);
  p[0] = speed; // what is prescribed has its velocity there
  for (int k = 0; k < N; k++) {
    double u = speed * (k + 1) / N;
    memcpy(next, q, sizeof next);
    assert_int_equal(dm_del_step(w, q, p, &u, 1.0 / N, next, p, &info), DM_OK);
    memcpy(q, next, sizeof next);
  }
  assert_close(q[0], speed, 1e-14);
  dm_continuous_free(c);
  dm_del_free(w);
  return q[1];
}

// What moves evenly is as good a frame as what rests: the pole's angle is the same but for the
// steps' error, which falls with the order. The cart's way between knots is a straight one.
static void prescribed_coordinates_go_straight(void **state) {
  (void)state;
  static const bool kinematic[] = {true, false};
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  s.nk = 1;
  s.kinematic = kinematic;
  for (int r = 0; r < COUNT(rules); r++) {
    double off[2];
    set_rule(&s, rules[r].name);
    for (int i = 0; i < 2; i++) {
      int N = r ? 6 << i : 20 << i;
      off[i] = fabs(swing_on_cart(&s, 1, N) - swing_on_cart(&s, 0, N));
    }
    print_message("%s: off by %.3g, %.3g\n", rules[r].name, off[0], off[1]);
    assert_close(log2(off[0] / off[1]), rules[r].order, 0.3);
  }
  dm_model_free(m);
}

// A'JA = J of an unforced step, up to what the mass matrix of a random tree leaves of 16 digits
static void unforced_steps_are_symplectic(void **state) {
  (void)state;
  for (int r = 0; r < COUNT(rules); r++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      dm_model *m = models_random_tree(6, seed > 2, seed);
      dm_system s = dm_system_of(m);
      s.nu = 0;
      s.damping = NULL;
      set_rule(&s, rules[r].name);
      int n = m->nq, nx = 2 * n;
      double q[40], q1[40], A[1600], worst = 0;
      uint64_t x = seed;
      for (int i = 0; i < n; i++) {
        q[i] = models_random(&x);
        q1[i] = q[i] + 0.02 * models_random(&x);
      }
      dm_linearize *lin;
      assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
      assert_int_equal(dm_linearize_step(lin, q, q1, NULL, NULL, 0.02, A, NULL), DM_OK);
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
          double sum = (i == j + n) - (i + n == j);
          for (int k = 0; k < n; k++)
            sum += A[k * nx + i] * A[(n + k) * nx + j] - A[(n + k) * nx + i] * A[k * nx + j];
          worst = fmax(worst, fabs(sum));
        }
      if (!(worst < 1e-11)) fail_msg("%s: A'JA - J = %g", rules[r].name, worst);
      dm_linearize_free(lin);
      dm_model_free(m);
    }
}

// of translations and turns, which act linearly on q: to rounding, step by step
static void momenta_are_conserved(void **state) {
  (void)state;
  for (int r = 0; r < COUNT(rules); r++) {
    spherical w = spherical_new();
    set_rule(&w.s, rules[r].name);
    double before = spherical_turning(w.q, w.p);
    roll(&w.s, 20, 400, NULL, w.q, w.p);
    assert_close(spherical_turning(w.q, w.p), before, 400 * 1e-14 * fabs(before));
    spherical_free(&w);
  }
}

static void energy_stays_bounded(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  s.nu = 0;
  set_rule(&s, "lobatto-3");
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  double q[] = {1, 0.5}, p[] = {0, 0}, v[2], E0, E, first = 0, last = 0;
  assert_int_equal(dm_velocity_of(c, q, p, v), DM_OK);
  assert_int_equal(dm_energy(c, q, v, &E0), DM_OK);
  for (int k = 0; k < 4000; k++) {
    roll(&s, 0.02, 1, NULL, q, p);
    assert_int_equal(dm_velocity_of(c, q, p, v), DM_OK);
    assert_int_equal(dm_energy(c, q, v, &E), DM_OK);
    double *most = k < 2000 ? &first : &last;
    *most = fmax(*most, fabs(E - E0));
  }

  // no drift: the second half strays no farther than the first but by chance
  print_message("energy off by %.3g, then %.3g\n", first, last);
  assert_true(first < 2e-3 && last < 1.5 * first);
  dm_continuous_free(c);
  dm_model_free(m);
}

// at the points of a step the energy is -dLd/dh, as differences of the action have it
static void energy_is_the_derivative_by_the_step(void **state) {
  (void)state;
  for (int r = 0; r < COUNT(rules); r++) {
    dm_model *m = models_acrobot();
    dm_system s = dm_system_of(m);
    dm_interval *d;
    const double q0[] = {1, 0.5}, q1[] = {1.05, 0.45}, h = 0.1, e = 1e-4;
    double Ld[2];
    s.nu = 0;
    s.damping = NULL;
    set_rule(&s, rules[r].name);
    assert_int_equal(dm_interval_new(&d, &s), DM_OK);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(dm_interval_eval(d, 1, q0, q1, NULL, h + (i ? e : -e)), DM_OK);
      Ld[i] = d->Ld;
    }
    assert_int_equal(dm_interval_eval(d, 1, q0, q1, NULL, h), DM_OK);
    assert_close(d->energy, (Ld[0] - Ld[1]) / (2 * e), 1e-4 * fabs(d->energy));
    dm_interval_free(d);
    dm_model_free(m);
  }
}

// no step from q0 to q1 where the nodes between have no equation: a coordinate without inertia
static void nodes_that_nothing_holds_are_refused(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_interval *d;
  m->body[0] = (dm_inertia){0};
  set_rule(&s, "lobatto-3");
  assert_int_equal(dm_interval_new(&d, &s), DM_OK);
  const double q[] = {0}, u[] = {0};
  assert_int_equal(dm_interval_eval(d, 1, q, q, u, 0.1), DM_SINGULAR);
  dm_interval_free(d);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_converge_with_their_order),
      cmocka_unit_test(constrained_steps_converge_with_their_order),
      cmocka_unit_test(prescribed_coordinates_go_straight),
      cmocka_unit_test(unforced_steps_are_symplectic),
      cmocka_unit_test(momenta_are_conserved),
      cmocka_unit_test(energy_stays_bounded),
      cmocka_unit_test(energy_is_the_derivative_by_the_step),
      cmocka_unit_test(nodes_that_nothing_holds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
