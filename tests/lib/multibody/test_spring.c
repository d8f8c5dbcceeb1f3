// Potentials: derivatives by the order of their differences, closed forms of oscillators, what
// symmetries keep, and a user's own functions.
#include "tests/support/derivatives.h"
#include "tests/support/lanes.h"
#include "tests/support/springs.h"

// -- springs of a tree

static void springs_have_exact_derivatives(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(9, seed > 2, seed);
    dm_springs *c = springs_of_every_kind(m);
    dm_lagrangian L = dm_springs_lagrangian(c);
    derivatives_check_of(&L, 7);
    dm_springs_free(c);
    dm_model_free(m);
  }
}

static void sprung_steps_are_linearized_exactly(void **state) {
  (void)state;
  dm_model *m = models_random_tree(6, true, 3);
  dm_springs *c = springs_of_every_kind(m);
  dm_system s = dm_system_of(m);
  s.L = dm_springs_lagrangian(c);
  derivatives_check_step_of(s, m, 0.02, 3);
  dm_springs_free(c);
  dm_model_free(m);
}

static void lanes_agree_with_one(void **state) {
  (void)state;
  for (int mimic = 0; mimic < 2; mimic++) {
    dm_model *m = models_random_tree(6, mimic, 4);
    dm_springs *c = springs_of_every_kind(m);
    dm_system s = dm_system_of(m);
    s.L = dm_springs_lagrangian(c);
    lanes_check(&s);
    dm_springs_free(c);
    dm_model_free(m);
  }
}

// what pictures show of a spring: V_q = phi' s_q, here of s = q
static void tensions_are_slopes_of_the_energy(void **state) {
  (void)state;
  const double k = 20, rest = 0.3, q = 0.5;
  double tension = 0, V = 0, V_q = 0;
  dm_coordinate c[] = {models_coord("x", true, 0, 1, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 0.8, {0}, {0, 0.8}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
  dm_spring spring = springs_on((int[]){0}, k, rest);
  dm_springs *springs = springs_make(m, 1, &spring);
  const dm_potential energy = dm_springs_potential(springs);
  void *scratch = aligned_alloc(64, (energy.scratch + 64) & ~(size_t)63);
  assert_non_null(scratch);
  dm_springs_tensions(springs, scratch, &q, &tension);
  assert_close(tension, k * (q - rest), 1e-14);

  // and its two numbers
  double said[2];
  assert_true(dm_springs_linear(springs, 0, &said[0], &said[1]));
  assert_true(said[0] == k && said[1] == rest);
  assert_int_equal(energy.eval(energy.self, scratch, 1, &q, &V, &V_q, NULL), DM_OK);
  assert_close(tension, V_q, 1e-14);

  // it acts on one coordinate, with factor 1, along no path
  int first;
  assert_int_equal(dm_tendons_pieces_of(dm_springs_tendons(springs), 0, &first), 0);
  assert_close(dm_tendons_factors(dm_springs_tendons(springs), 0)[0], 1, 0);
  free(scratch);
  dm_springs_free(springs);
  dm_model_free(m);
}

// a mass on a spring, and a flywheel on a torsion spring: in every step the phase advances by theta
// with cos theta = (1 - (w h)^2/4) / (1 + (w h)^2/4) by the midpoint rule, 1 - (w h)^2/2 by the
// trapezoid rule
static void oscillators_have_the_rules_own_frequency(void **state) {
  (void)state;
  const double mass = 0.8, k = 20, rest = 0.3, h = 0.1, x = h * h * k / mass;
  for (int turns = 0; turns < 2; turns++)
    for (int trapezoid = 0; trapezoid < 2; trapezoid++) {
      dm_coordinate c[] = {models_coord("x", !turns, 0, 1, 0)};
      dm_body b[] = {{"mass", -1, dm_identity, 0, 1, mass, {0}, {0, mass}}};
      dm_model *m = models_make(
          &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
      dm_spring spring = springs_on((int[]){0}, k, rest);
      dm_springs *springs = springs_make(m, 1, &spring);
      dm_system s = dm_system_of(m);
      s.L = dm_springs_lagrangian(springs);
      dm_rule_set(&s.rule, trapezoid ? "trapezoid" : "midpoint", 0.5, "midpoint", NULL);
      dm_del *w;
      dm_del_info info;
      assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
      double theta = acos(trapezoid ? 1 - x / 2 : (1 - x / 4) / (1 + x / 4));
      double q[] = {rest + 0.5}, p[] = {0}, q1[1];
      for (int n = 1; n <= 1000; n++) {
        q1[0] = q[0];
        assert_int_equal(dm_del_step(w, q, p, NULL, h, q1, p, &info), DM_OK);
        q[0] = q1[0];
        assert_close(q[0], rest + 0.5 * cos(n * theta), 1e-11);
      }
      dm_del_free(w);
      dm_springs_free(springs);
      dm_model_free(m);
    }
}

// three particles in space, each pair bound
typedef struct particles {
  dm_model *m;
  dm_springs *c;
  dm_system s;
} particles;

static particles particles_new(const dm_spring_law *law) {
  static const char *const name[] = {"ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"};
  static const int body[][2] = {{0, 1}, {1, 2}, {2, 0}};
  static const double centre[2][3];
  dm_coordinate c[9];
  dm_body b[3];
  dm_spring list[3];
  particles w;
  for (int i = 0; i < 9; i++)
    c[i] = models_coord(name[i], true, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  for (int i = 0; i < 3; i++) {
    b[i] = (dm_body){name[3 * i], -1, dm_identity, 3 * i, 3, 1 + 0.5 * i, {0}, {0}};
    list[i] = (dm_spring){{.name = "pair", .npoint = 2, .body = body[i], .point = centre}, *law};
  }
  w.m = models_make(&(dm_tree){.nbody = 3, .ncoord = 9, .body = b, .coord = c});
  w.c = springs_make(w.m, 3, list);
  w.s = dm_system_of(w.m);
  w.s.L = dm_springs_lagrangian(w.c);
  return w;
}
static void particles_free(particles *w) {
  dm_springs_free(w->c);
  dm_model_free(w->m);
}

// linear momentum, then angular momentum about the origin
static void momenta(const double *q, const double *p, double *out) {
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < 9; i += 3)
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      out[k] += p[i + k];
      out[3 + k] += q[i + a] * p[i + b] - q[i + b] * p[i + a];
    }
}

// energy's range over some steps from the state (q,p), which is left at the end
static double energy_range(const dm_system *s, double h, int steps, double *q, double *p,
                           double *lost) {
  dm_del *w;
  dm_del_info info;
  dm_continuous *c;
  double q1[9], v[9], start[6], now[6], energy, low = INFINITY, high = -INFINITY;
  *lost = 0;
  assert_int_equal(dm_del_new(&w, s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  momenta(q, p, start);
  for (int k = 0; k < steps; k++) {
    memcpy(q1, q, sizeof q1);
    memset(v, 0, sizeof v);
    assert_int_equal(dm_tree_state(c, q, p, v, &energy), DM_OK);
    low = fmin(low, energy), high = fmax(high, energy);
    for (int i = 0; i < 9; i++) q1[i] += h * v[i];
    assert_int_equal(dm_del_step(w, q, p, NULL, h, q1, p, &info), DM_OK);
    memcpy(q, q1, sizeof q1);
    momenta(q, p, now);
    for (int i = 0; i < 6; i++) *lost = fmax(*lost, fabs(now[i] - start[i]));
  }
  dm_del_free(w);
  dm_continuous_free(c);
  return high - low;
}

// inner forces change no total momentum, linear or angular; energy only swings, by order h^2
static void bound_particles_keep_what_they_should(void **state) {
  (void)state;
  const double start_q[] = {0, 0, 0, 1.2, 0, 0.1, 0.5, 1.1, -0.1};
  const double start_p[] = {0.2, -0.1, 0.3, -0.3, 0.3, 0, 0.1, 0, -0.2};
  const dm_spring_law laws[] = {dm_spring_law_lennard_jones(1, 1), dm_spring_law_linear(8, 1)};
  for (int i = 0; i < COUNT(laws); i++) {
    particles w = particles_new(&laws[i]);
    double q[9], p[9], range[2], lost, late;
    for (int half = 0; half < 2; half++) {
      memcpy(q, start_q, sizeof q), memcpy(p, start_p, sizeof p);
      range[half] = energy_range(&w.s, 0.004 / (1 << half), 1000 << half, q, p, &lost);
      assert_close(lost, 0, (1000 << half) * 1e-14); // rounding, step by step
    }
    assert_close(range[0] / range[1], 4, 0.2);
    late = energy_range(&w.s, 0.002, 20000, q, p, &lost);
    assert_true(late < 3 * range[1]);
    particles_free(&w);
  }
}

static void energies_have_the_springs_share(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_spring spring = springs_on((int[]){0}, 3, 0.2);
  dm_springs *springs = springs_make(m, 1, &spring);
  dm_system s = dm_system_of(m);
  s.L = dm_springs_lagrangian(springs);
  dm_continuous *c;
  double q = 0.9, v = 1.4, p = 1.4, kinetic, potential, energy, a;
  double expected = -9.8 * cos(q) + 1.5 * (q - 0.2) * (q - 0.2);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_energies(c, &q, &v, &kinetic, &potential), DM_OK);
  assert_close(kinetic, 0.5 * v * v, 1e-15);
  assert_close(potential, expected, 1e-14);
  assert_int_equal(dm_energy(c, &q, &v, &energy), DM_OK);
  assert_close(energy, kinetic + potential, 1e-14);
  assert_int_equal(dm_tree_state(c, &q, &p, &v, &energy), DM_OK);
  assert_close(energy, kinetic + potential, 1e-14);
  assert_int_equal(dm_acceleration(c, &q, &v, NULL, &a), DM_OK);
  assert_close(a, -9.8 * sin(q) - 3 * (q - 0.2), 1e-14);
  dm_continuous_free(c);
  dm_springs_free(springs);
  dm_model_free(m);
}

// -- a spring to a prescribed coordinate: a load on a hook that a reel without inertia moves

typedef struct hung {
  dm_linearize *lin;
  dm_del *del;
  double h, zeta[8];
} hung;

// zeta.f_x and zeta.f_u at x = (q,p,rho) of a step
static void adjoint(void *self, const double *x, double *out) {
  hung *w = self;
  dm_del_info info;
  double q1[4], p1[4], A[64], B[8];
  memcpy(q1, x, sizeof q1);
  assert_int_equal(dm_del_step(w->del, x, x + 4, x + 8, w->h, q1, p1, &info), DM_OK);
  assert_int_equal(dm_linearize_step(w->lin, x, q1, x + 8, NULL, w->h, A, B), DM_OK);
  memset(out, 0, 9 * sizeof *out);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) out[j] += w->zeta[i] * A[i * 8 + j];
    out[8] += w->zeta[i] * B[i];
  }
}
static void stepped(void *self, const double *x, double *out) {
  hung *w = self;
  dm_del_info info;
  memcpy(out, x, 4 * sizeof *out);
  assert_int_equal(dm_del_step(w->del, x, x + 4, x + 8, w->h, out, out + 4, &info), DM_OK);
}

static void springs_to_what_is_prescribed_are_linearized(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("turn", false, 0, 1, 0), models_coord("reel", true, 1, 0, 0)};
  c[3].kinematic = true;
  dm_body b[] = {{"load", -1, dm_identity, 0, 3, 1.5, {0.1, 0, 0}, {0, 0.1}},
                 {"hook", -1, dm_identity, 3, 1, 0, {0}, {0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 2, .ncoord = 4, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
  const double point[][3] = {{0.2, 0, 0.1}, {0, 0, 2}};
  dm_spring spring = {{.name = "cord", .npoint = 2, .body = (int[]){0, 1}, .point = point},
                      dm_spring_law_linear(40, 1.5)};
  dm_springs *springs = springs_make(m, 1, &spring);
  dm_system s = dm_system_of(m);
  assert_int_equal(s.L.idle, 1);
  s.L = dm_springs_lagrangian(springs);
  assert_int_equal(s.L.idle, 0);
  hung w = {.h = 0.05};
  assert_int_equal(dm_linearize_new(&w.lin, &s), DM_OK);
  assert_int_equal(dm_del_new(&w.del, &s, NULL), DM_OK);
  double x[9] = {0.1, 0.2, 0.3, -0.2, 0.4, -0.3, 0.1, 0.7, -0.15}, d[9], y[8], A[64], B[8];
  double exact[9] = {0}, xx[64], xu[8], uu[1];
  uint64_t r = 2;
  for (int i = 0; i < 9; i++) d[i] = models_random(&r);
  for (int i = 0; i < 8; i++) w.zeta[i] = models_random(&r);
  stepped(&w, x, y);
  assert_int_equal(dm_linearize_step(w.lin, x, y, x + 8, NULL, w.h, A, B), DM_OK);
  for (int i = 0; i < 8; i++) {
    exact[i] = B[i] * d[8];
    for (int j = 0; j < 8; j++) exact[i] += A[i * 8 + j] * d[j];
  }
  assert_true(fabs(B[0]) > 1e-4 && fabs(B[6]) > 1e-4); // the hook's motion is felt
  models_check_derivative(stepped, &w, 9, 8, x, d, exact, 1e-3, "A, B");
  assert_int_equal(dm_linearize_second(w.lin, x, y, x + 8, NULL, w.h, w.zeta, xx, xu, uu), DM_OK);
  exact[8] = uu[0] * d[8];
  for (int i = 0; i < 8; i++) {
    exact[i] = xu[i] * d[8], exact[8] += xu[i] * d[i];
    for (int j = 0; j < 8; j++) exact[i] += xx[i * 8 + j] * d[j];
  }
  models_check_derivative(adjoint, &w, 9, 9, x, d, exact, 1e-3, "zeta f''");
  dm_linearize_free(w.lin), dm_del_free(w.del);
  dm_springs_free(springs);
  dm_model_free(m);
}

// -- a user's own

// a particle in the plane: L = (v_0^2 + v_1^2)/2 times its mass
static dm_status free_eval(const void *self, void *scratch, int order, const double *q,
                           const double *v, dm_jet *out) {
  double mass = *(const double *)self;
  (void)scratch, (void)q;
  out->L = 0.5 * mass * (v[0] * v[0] + v[1] * v[1]);
  for (int i = 0; i < 2; i++) {
    out->L_q[i] = 0, out->L_v[i] = mass * v[i];
    for (int j = 0; order > 1 && j < 2; j++)
      out->L_qq[2 * i + j] = out->L_qv[2 * i + j] = 0, out->L_vv[2 * i + j] = i == j ? mass : 0;
  }
  return DM_OK;
}
static dm_status free_contract(const void *self, void *scratch, const double *q, const double *v,
                               const double *a_q, const double *a_v, dm_jet *out) {
  (void)self, (void)scratch, (void)q, (void)v, (void)a_q, (void)a_v;
  for (int i = 0; i < 4; i++) out->L_qq[i] = out->L_qv[i] = out->L_vv[i] = 0;
  return DM_OK;
}

// the example of lib/multibody/spring.h
static dm_status well(const void *self, void *scratch, int order, const double *q, double *V,
                      double *V_q, double *V_qq) {
  double k = *(const double *)self, rr = q[0] * q[0] + q[1] * q[1];
  (void)scratch;
  *V = k * rr * rr / 4;
  for (int i = 0; i < 2; i++) {
    V_q[i] = k * rr * q[i];
    for (int j = 0; order > 1 && j < 2; j++)
      V_qq[2 * i + j] = k * (2 * q[i] * q[j] + (i == j ? rr : 0));
  }
  return DM_OK;
}
static dm_status well_along(const void *self, void *scratch, const double *q, const double *a,
                            double *V_qqa) {
  double k = *(const double *)self, qa = q[0] * a[0] + q[1] * a[1];
  (void)scratch;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      V_qqa[2 * i + j] = 2 * k * (q[i] * a[j] + a[i] * q[j] + (i == j ? qa : 0));
  return DM_OK;
}

static void a_users_lagrangian_and_potential_work(void **state) {
  (void)state;
  const double mass = 1.3, k = 2.5, point[][3] = {{0}, {0}};
  dm_lagrangian own = {.nq = 2, .self = &mass, .eval = free_eval, .contract = free_contract};
  dm_potential V = {.nq = 2, .self = &k, .eval = well, .contract = well_along};
  dm_conservative *c;
  assert_int_equal(dm_conservative_new(&c, &own, &V), DM_OK);
  dm_lagrangian L = dm_conservative_lagrangian(c);
  derivatives_check_of(&L, 5);
  // and what it does not say, the sum does: an energy that is not finite
  bench far;
  open_lagrangian(&far, &L, 1);
  assert_int_equal(L.eval(L.self, far.scratch, 1, (double[]){1e80, 0}, (double[]){0, 0}, &far.jet),
                   DM_NOT_FINITE);
  close_bench(&far);

  // the same by a tree and a user's law along a distance
  dm_coordinate x[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0)};
  dm_body b[] = {{"particle", -1, dm_identity, 0, 2, mass, {0}, {0}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 2, .body = b, .coord = x});
  dm_spring spring = {{.name = "well", .npoint = 2, .body = (int[]){0, -1}, .point = point},
                      {.eval = springs_cubic, .self = &k}};
  dm_springs *springs = springs_make(m, 1, &spring);
  dm_system s[2] = {dm_system_of(m), dm_system_of(m)};
  s[0].L = L, s[1].L = dm_springs_lagrangian(springs);
  double q[2][2], p[2][2], q1[2];
  for (int i = 0; i < 2; i++) {
    dm_del *w;
    dm_del_info info;
    assert_int_equal(dm_del_new(&w, &s[i], NULL), DM_OK);
    q[i][0] = 0.6, q[i][1] = -0.2, p[i][0] = 0.1, p[i][1] = 0.8;
    for (int n = 0; n < 100; n++) {
      memcpy(q1, q[i], sizeof q1);
      assert_int_equal(dm_del_step(w, q[i], p[i], NULL, 0.05, q1, p[i], &info), DM_OK);
      memcpy(q[i], q1, sizeof q1);
    }
    dm_del_free(w);
  }
  for (int i = 0; i < 2; i++) {
    assert_close(q[0][i], q[1][i], 1e-11);
    assert_close(p[0][i], p[1][i], 1e-11);
  }
  dm_springs_free(springs);
  dm_conservative_free(c);
  dm_model_free(m);
}

static void what_has_no_third_derivative_says_so(void **state) {
  (void)state;
  const double k = 1;
  dm_model *m = models_cart_pole();
  dm_lagrangian L = dm_tree_lagrangian(m);
  dm_potential V = {.nq = 2, .self = &k, .eval = well};
  dm_conservative *c;
  assert_int_equal(dm_conservative_new(&c, &L, &V), DM_OK);
  L = dm_conservative_lagrangian(c);
  assert_null(L.contract);
  dm_conservative_free(c);
  dm_model_free(m);
}

static dm_status endless(const dm_spring_law *law, double s, double phi[4]) {
  (void)law;
  phi[0] = INFINITY * s, phi[1] = phi[2] = phi[3] = 0;
  return DM_OK;
}

static void energies_that_are_not_finite_are_told(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_spring spring = springs_on((int[]){1}, 1, 0);
  const dm_spring_law laws[] = {
      {.eval = endless}, dm_spring_law_power(1, 0.5), dm_spring_law_lennard_jones(1, 1)};
  const double q[][2] = {{0, 1}, {0, -1}, {0, 0}}, v[] = {0, 0}, fine[] = {0, 2};
  for (int i = 0; i < COUNT(laws); i++) {
    spring.law = laws[i];
    dm_springs *c = springs_make(m, 1, &spring);
    dm_lagrangian L = dm_springs_lagrangian(c);
    bench b;
    open_lagrangian(&b, &L, 1);
    assert_int_equal(L.eval(L.self, b.scratch, 1, q[i], v, &b.jet), DM_NOT_FINITE);
    assert_int_equal(dm_springs_undefined(c, b.scratch, q[i]), 0);
    assert_int_equal(dm_springs_undefined(c, b.scratch, fine), i ? -1 : 0);
    close_bench(&b);
    dm_springs_free(c);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensions_are_slopes_of_the_energy),
      cmocka_unit_test(springs_have_exact_derivatives),
      cmocka_unit_test(sprung_steps_are_linearized_exactly),
      cmocka_unit_test(lanes_agree_with_one),
      cmocka_unit_test(oscillators_have_the_rules_own_frequency),
      cmocka_unit_test(bound_particles_keep_what_they_should),
      cmocka_unit_test(energies_have_the_springs_share),
      cmocka_unit_test(springs_to_what_is_prescribed_are_linearized),
      cmocka_unit_test(a_users_lagrangian_and_potential_work),
      cmocka_unit_test(what_has_no_third_derivative_says_so),
      cmocka_unit_test(energies_that_are_not_finite_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
