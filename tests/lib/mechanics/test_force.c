// General forces: a step's derivatives under them, and the laws that each kind obeys.
#include "tests/support/forces.h"

// -- forces of C functions

// the example of lib/mechanics/force.h: the drag of the air on a slider
static dm_status drag(const void *self, void *scratch, int order, const double *q, const double *v,
                      const double *u, dm_force_jet *out) {
  double c = *(const double *)self;
  (void)scratch, (void)q, (void)u;
  out->f[0] -= c * fabs(v[0]) * v[0];
  if (order == 2) out->f_v[0] -= 2 * c * fabs(v[0]);
  return DM_OK;
}
static dm_status bend(const void *self, void *scratch, const double *q, const double *v,
                      const double *u, const double *mu, dm_force_hessian *out) {
  double c = *(const double *)self;
  (void)scratch, (void)q, (void)u;
  out->vv[0] -= mu[0] * 2 * c * copysign(1, v[0]);
  return DM_OK;
}

static dm_model *slider(void) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  return models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
}

// m v' = -c v^2 has the solution x = m/c log(1 + c v0 t / m)
static void quadratic_drag_slows_a_slider(void **state) {
  (void)state;
  dm_model *m = slider();
  dm_system s = dm_system_of(m);
  double c = 0.7, v0 = 3, T = 2, error[2];
  dm_system_add_force(&s, (dm_force){.self = &c, .eval = drag, .contract = bend});
  for (int half = 0; half < 2; half++) {
    int N = half ? 80 : 40, failed;
    dm_trajectory *x;
    dm_del *del;
    dm_del_info info;
    assert_int_equal(dm_trajectory_of(&x, N, &s), DM_OK);
    assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
    x->h = T / N, x->p[0] = 2 * v0;
    assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
    error[half] = x->q[N] - 2 / c * log(1 + c * v0 * T / 2);
    dm_del_free(del);
    dm_trajectory_free(x);
  }
  assert_close(error[0] / error[1], 4, 0.1);
  forces_check_step(&s, 0.1, (double[]){0.3, 5});
  dm_model_free(m);
}

// -- steps under them

static const char *const lagrangian_rule[] = {"midpoint", "midpoint", "trapezoid"};
static const double alpha[] = {0.5, 0.3, 0.5};

static void steps_have_exact_derivatives(void **state) {
  (void)state;
  for (int r = 0; r < 6; r++) {
    dm_model *m = r % 2 ? models_random_tree(6, true, 4) : models_cart_pole();
    dm_system s = dm_system_of(m);
    static forces_wave wave;
    double y[FORCES_COLUMNS];
    uint64_t seed = 3;
    for (int i = 0; i < FORCES_COLUMNS; i++) y[i] = models_random(&seed);
    dm_system_add_force(&s, forces_wave_of(&wave, m->nq, 0.8));
    dm_rule_set(&s.rule, lagrangian_rule[r % 3], alpha[r % 3], r < 3 ? "left" : "midpoint", NULL);
    forces_check_step(&s, 0.05, y);
    dm_model_free(m);
  }
}

// loads of a tree, a wave and the drag of the air, two of which have inputs
static void several_forces_have_exact_derivatives(void **state) {
  (void)state;
  for (int r = 0; r < 3; r++) {
    dm_model *m = models_random_tree(6, true, 4);
    dm_system s = dm_system_of(m);
    static forces_wave wave, other;
    double y[FORCES_COLUMNS], c = 0.7;
    uint64_t seed = 3;
    for (int i = 0; i < FORCES_COLUMNS; i++) y[i] = models_random(&seed);
    const dm_load push = forces_load(DM_WRENCH_MIXED, true, 5);
    dm_loads *loads;
    assert_int_equal(dm_loads_new(&loads, m, 1, &push, NULL), DM_OK);
    int joints = s.nu;
    dm_system_add_force(&s, forces_wave_of(&wave, m->nq, 0.8));
    dm_system_add_force(&s, (dm_force){.nu = 0, .self = &c, .eval = drag, .contract = bend});
    dm_system_add_force(&s, dm_loads_force(loads));
    dm_system_add_force(&s, forces_wave_of(&other, m->nq, -0.3));
    assert_int_equal(s.nu, joints + 2 + 0 + 1 + 2);
    dm_rule_set(&s.rule, lagrangian_rule[r], alpha[r], r % 2 ? "left" : "midpoint", NULL);
    forces_check_step(&s, 0.05, y);
    dm_loads_free(loads);
    dm_model_free(m);
  }
}

// What a part of the general forces adds to an interval and to the Hessian of mu0.D1 + mu1.D2:
// D1, D2, D11 .. D22, H00, H01, H11 of the system with them less those without any.
enum { ADDED = 2 * FORCES_MOST + 7 * FORCES_MOST * FORCES_MOST };
static int added_by(dm_system s, int count, const dm_force *f, const double *const *u,
                    double out[ADDED]) {
  const int n = s.L.nq;
  double q0[FORCES_MOST], q1[FORCES_MOST], mu0[FORCES_MOST], mu1[FORCES_MOST];
  double all[3 * FORCES_MOST] = {0};
  uint64_t seed = 9;
  int size = 0, joints = s.nu;
  for (int i = 0; i < n; i++) {
    q0[i] = models_random(&seed), q1[i] = q0[i] + 0.05 * models_random(&seed);
    mu0[i] = models_random(&seed), mu1[i] = models_random(&seed);
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; pass && k < count; k++) {
      memcpy(all + s.nu, u[k], (size_t)f[k].nu * sizeof *all);
      dm_system_add_force(&s, f[k]);
    }
    dm_interval *d;
    assert_int_equal(dm_interval_new(&d, &s), DM_OK);
    assert_int_equal(dm_interval_eval(d, 2, q0, q1, all, 0.05), DM_OK);
    assert_int_equal(dm_interval_contract(d, true, q0, q1, all, 0.05, mu0, mu1), DM_OK);
    const double *const part[] = {d->D1,  d->D2,  d->D11, d->D12, d->D21,
                                  d->D22, d->H00, d->H01, d->H11};
    size = 0;
    for (int k = 0; k < 9; k++)
      for (int i = 0; i < (k < 2 ? n : n * n); i++, size++)
        out[size] = pass ? part[k][i] - out[size] : part[k][i];
    dm_interval_free(d);
  }
  assert_true(joints <= FORCES_MOST && size <= ADDED);
  return size;
}

static void two_forces_equal_their_sum(void **state) {
  (void)state;
  dm_model *m = models_random_tree(6, true, 4);
  static forces_wave wave, other;
  static double one[ADDED], two[ADDED], both[ADDED], twice[ADDED], half[ADDED];
  const dm_force f[] = {forces_wave_of(&wave, m->nq, 0.8), forces_wave_of(&other, m->nq, -0.3)};
  const double u[][FORCES_INPUTS] = {{0.3, -0.4}, {0.8, 0.2}};
  const double *const row[] = {u[0], u[1]}, *const same[] = {u[0], u[0]};
  dm_system s = dm_system_of(m);
  other.w[0][0] += 0.5; // another one
  added_by(s, 1, f, row, one);
  added_by(s, 1, f + 1, row + 1, two);
  int size = added_by(s, 2, f, row, both);
  for (int i = 0; i < size; i++) assert_close(both[i], one[i] + two[i], 1e-11);
  // two halves are the whole
  static forces_wave third;
  const dm_force halves[] = {forces_wave_of(&other, m->nq, 0.4),
                             forces_wave_of(&third, m->nq, 0.4)};
  added_by(s, 1, f, same, twice);
  added_by(s, 2, halves, same, half);
  for (int i = 0; i < size; i++) assert_close(half[i], twice[i], 1e-11);
  dm_model_free(m);
}

// a chain on a moved cart, its tip held by a rod
static void constrained_steps_have_exact_derivatives(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("cart", true, 1, 0, 0), models_coord("a", false, 0, 1, 0),
                       models_coord("b", false, 0, 1, 0), models_coord("c", false, 0, 1, 0)};
  c[0].kinematic = true;
  dm_pose below = dm_identity;
  below.p.z = -1;
  double J[] = {0.1, 0.1, 0.1, 0, 0, 0};
  dm_body b[] = {{.name = "cart", .parent = -1, .offset = dm_identity, .first = 0, .ncoord = 1},
                 {.name = "a", .parent = 0, .offset = dm_identity, .first = 1, .ncoord = 1},
                 {.name = "b", .parent = 1, .offset = below, .first = 2, .ncoord = 1},
                 {.name = "c", .parent = 2, .offset = below, .first = 3, .ncoord = 1}};
  for (int i = 1; i < 4; i++)
    b[i].mass = 1, b[i].centre[2] = -0.5, memcpy(b[i].inertia, J, sizeof J);
  dm_input u[] = {models_input("a", 1), models_input("c", 3)};
  dm_model *m = models_make(&(dm_tree){.nbody = 4,
                                       .ncoord = 4,
                                       .ninput = 2,
                                       .body = b,
                                       .coord = c,
                                       .input = u,
                                       .gravity = {0, 0, -9.81}});
  dm_system s = dm_system_of(m);
  dm_constraint rod = {.name = "rod",
                       .kind = DM_DISTANCE,
                       .body = {3, -1},
                       .coord = {-1, -1},
                       .point = {{0, 0, -1}, {1, 0, -1}},
                       .length = 1.2};
  dm_constraints *rods;
  assert_int_equal(dm_constraints_new(&rods, m, 1, &rod, NULL), DM_OK);
  s.hol = dm_constraints_holonomic(rods);
  static forces_wave wave;
  dm_system_add_force(&s, forces_wave_of(&wave, 4, 0.8));
  double y[] = {0.1, 0.3, -0.5, -0.6, 0.2, 0.1, -0.2, 0.1, 0.7, -0.4, 0.5, -0.3, 0.12};
  assert_int_equal(dm_assembly_project(&s, y, NULL), DM_OK);
  forces_check_step(&s, 0.05, y);
  dm_constraints_free(rods);
  dm_model_free(m);
}

// halving the steps divides the distance to the continuous motion by four
static void check_convergence(int forces) {
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  forces_wave wave, other;
  dm_system_add_force(&s, forces_wave_of(&wave, 2, 2));
  if (forces > 1) dm_system_add_force(&s, forces_wave_of(&other, 2, -0.7));
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  const double u[] = {0.4, 0.3, -0.8, 0.9, -0.1}, T = 0.4;
  // Runge and Kutta's fourth order, in steps that leave no error to see
  double y[4] = {0.1, 0.7, 0.5, -0.3}, start[4], p[2];
  memcpy(start, y, sizeof y);
  enum { FINE = 4000 };
  for (int k = 0; k < FINE; k++) {
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double rate[4] = {0}, sum[4] = {0}, h = T / FINE;
    for (int stage = 0; stage < 4; stage++) {
      double x[4];
      for (int i = 0; i < 4; i++) x[i] = y[i] + at[stage] * h * rate[i];
      memcpy(rate, x + 2, 2 * sizeof *x);
      assert_int_equal(dm_acceleration(c, x, x + 2, u, rate + 2), DM_OK);
      for (int i = 0; i < 4; i++) sum[i] += h * weight[stage] * rate[i];
    }
    for (int i = 0; i < 4; i++) y[i] += sum[i];
  }
  for (int rule = 0; rule < 2; rule++) {
    double error[2];
    dm_rule_set(&s.rule, rule ? "trapezoid" : "midpoint", 0.5, "midpoint", NULL);
    for (int half = 0; half < 2; half++) {
      int N = half ? 80 : 40;
      double q[2], q1[2];
      dm_del *del;
      dm_del_info info;
      assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
      memcpy(q, start, sizeof q), memcpy(q1, q, sizeof q);
      assert_int_equal(dm_momentum_of(c, start, start + 2, p), DM_OK);
      for (int k = 0; k < N; k++) {
        assert_int_equal(dm_del_step(del, q, p, u, T / N, q1, p, &info), DM_OK);
        memcpy(q, q1, sizeof q);
      }
      error[half] = hypot(q[0] - y[0], q[1] - y[1]);
      dm_del_free(del);
    }
    assert_close(error[0] / error[1], 4, 0.1);
  }
  dm_continuous_free(c);
  dm_model_free(m);
}

static void steps_converge_to_the_continuous_motion(void **state) {
  (void)state;
  for (int forces = 1; forces <= 2; forces++) check_convergence(forces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_drag_slows_a_slider),
      cmocka_unit_test(steps_have_exact_derivatives),
      cmocka_unit_test(several_forces_have_exact_derivatives),
      cmocka_unit_test(two_forces_equal_their_sum),
      cmocka_unit_test(constrained_steps_have_exact_derivatives),
      cmocka_unit_test(steps_converge_to_the_continuous_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
