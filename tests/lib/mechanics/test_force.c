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
  return models_make(&(dm_tree){1, 1, 0, b, c, NULL, {0, 0, -9.81}});
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
    assert_int_equal(dm_trajectory_roll(x, del, &info, &failed), DM_OK);
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
    unsigned long long seed = 3;
    for (int i = 0; i < FORCES_COLUMNS; i++) y[i] = models_random(&seed);
    dm_system_add_force(&s, forces_wave_of(&wave, m->nq, 0.8));
    dm_rule_set(&s.rule, lagrangian_rule[r % 3], alpha[r % 3], r < 3 ? "left" : "midpoint", NULL);
    forces_check_step(&s, 0.05, y);
    dm_model_free(m);
  }
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
  dm_model *m = models_make(&(dm_tree){4, 4, 2, b, c, u, {0, 0, -9.81}});
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
static void steps_converge_to_the_continuous_motion(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  forces_wave wave;
  dm_system_add_force(&s, forces_wave_of(&wave, 2, 2));
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  const double u[] = {0.4, 0.3, -0.8}, T = 0.4;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_drag_slows_a_slider),
      cmocka_unit_test(steps_have_exact_derivatives),
      cmocka_unit_test(constrained_steps_have_exact_derivatives),
      cmocka_unit_test(steps_converge_to_the_continuous_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
