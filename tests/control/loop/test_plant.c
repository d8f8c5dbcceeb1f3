// The two plants: the discrete map, and the continuous equations that it approximates, which are
// compared with CVODE if it is available.
#include "tests/support/cartesian.h"
#include "tests/support/cvode.h"

#include "control/loop/plant.h"

static fb_plant continuous(const dm_system *s, double rtol) {
  fb_plant p;
  assert_int_equal(fb_plant_continuous(&p, s, rtol), DM_OK);
  return p;
}

// from x under a changing force over the time T in N steps, held constant over each of `holds`
// intervals
static void drive(fb_plant *p, double *x, double T, int holds, int each) {
  double u[2];
  for (int k = 0; k < holds; k++) {
    u[0] = 3 * cos(0.7 * k), u[1] = sin(k);
    for (int i = 0; i < each; i++)
      assert_int_equal(p->step(p->self, x, u, T / holds / each), DM_OK);
  }
}

static const struct {
  const char *name;
  dm_model *(*make)(void);
} machines[] = {
    {"pendulum", models_pendulum}, {"cart-pole", models_cart_pole}, {"acrobot", models_acrobot}};

static void the_discrete_plant_is_the_rollout(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  fb_plant p;
  dm_trajectory *t;
  dm_del *del;
  dm_del_info info;
  int failed;
  assert_int_equal(fb_plant_discrete(&p, &s), DM_OK);
  assert_int_equal(dm_trajectory_new(&t, 50, 2, 1), DM_OK);
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  double x[] = {0.1, 2, 0.3, -0.1};
  memcpy(t->q, x, sizeof x / 2), memcpy(t->p, x + 2, sizeof x / 2);
  t->h = 0.03;
  for (int k = 0; k < 50; k++) t->u[k] = cos(k);
  assert_int_equal(dm_trajectory_rollout(t, del, &info, &failed), DM_OK);
  for (int k = 0; k < 50; k++) {
    assert_int_equal(p.step(p.self, x, t->u + k, t->h), DM_OK);
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(x[i] - t->q[2 * k + 2 + i]) < 1e-11);
      assert_true(fabs(x[2 + i] - t->p[2 * k + 2 + i]) < 1e-11);
    }
  }
  fb_plant_free(&p), dm_trajectory_free(t), dm_del_free(del), dm_model_free(m);
}

// a mass with stiff damping under a force: the map fitted to its steps equals the continuous motion
static void a_fitted_map_is_the_motion_of_one_coordinate(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 0.01, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  c[0].damping = 1;
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = in});
  dm_system plain = dm_system_of(m);
  dm_stiff_damping *w;
  assert_int_equal(dm_stiff_damping_new(&w, &plain, 0.05), DM_OK);
  dm_system s = dm_stiff_damping_system(w, &plain);
  fb_plant p[2];
  double x[2][2] = {{0.1, 0.02}, {0.1, 0.02}};
  assert_int_equal(fb_plant_discrete(&p[0], &s), DM_OK);
  p[1] = continuous(&s, 1e-11);
  for (int k = 0; k < 20; k++) {
    const double u = sin(k);
    for (int i = 0; i < 2; i++) assert_int_equal(p[i].step(p[i].self, x[i], &u, 0.05), DM_OK);
    for (int i = 0; i < 2; i++) assert_close(x[1][i], x[0][i], 1e-8);
  }
  fb_plant_free(&p[0]), fb_plant_free(&p[1]);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// halving the discrete map's step divides its distance from the continuous motion by four
static void the_plants_differ_by_the_square_of_the_step(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(machines); row++) {
    dm_model *m = machines[row].make();
    dm_system s = dm_system_of(m);
    int n = m->nq;
    fb_plant exact = continuous(&s, 1e-12), map;
    double x[8] = {0.2, 0.9, 0.3, -0.2}, y[3][8], error[3] = {0};
    for (int k = 0; k < 3; k++) memcpy(y[k], x, sizeof x);
    drive(&exact, x, 1, 10, 1);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(fb_plant_discrete(&map, &s), DM_OK);
      drive(&map, y[k], 1, 10, 8 << k);
      for (int i = 0; i < 2 * n; i++) error[k] = fmax(error[k], fabs(y[k][i] - x[i]));
      fb_plant_free(&map);
    }
    for (int k = 0; k < 2; k++)
      if (!(fabs(error[k] / error[k + 1] - 4) < 0.15))
        fail_msg("%s: errors %g, %g", machines[row].name, error[k], error[k + 1]);
    fb_plant_free(&exact);
    dm_model_free(m);
  }
}

static void the_continuous_plant_keeps_energy(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  fb_plant p = continuous(&s, 1e-10);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  double x[] = {1.5, 0.4, 0, 0}, u = 0, v[] = {0, 0}, before, after;
  assert_int_equal(dm_energy(c, x, v, &before), DM_OK);
  for (int k = 0; k < 100; k++) assert_int_equal(p.step(p.self, x, &u, 0.05), DM_OK);
  assert_int_equal(dm_velocity_of(c, x, x + 2, v), DM_OK);
  assert_true(fabs(v[0]) > 0.01);
  assert_int_equal(dm_energy(c, x, v, &after), DM_OK);
  assert_true(fabs(after - before) < 1e-6);
  dm_continuous_free(c), fb_plant_free(&p), dm_model_free(m);
}

// a point mass on a rod in x and z moves like the same pendulum in its angle, and stays on the rod
static void constraints_hold_on_the_continuous_plant(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system angle = dm_system_of(m);
  cartesian rod = cartesian_new();
  fb_plant a = continuous(&angle, 1e-12), b = continuous(&rod.s, 1e-12);
  // q = 0.7, p = 2; positive angles swing towards -x
  double x[] = {0.7, 2}, y[] = {-sin(0.7), -cos(0.7), -2 * cos(0.7), 2 * sin(0.7)}, u = 0;
  y[2] += 3 * y[0], y[3] += 3 * y[1]; // the component of p along the rod causes no motion
  for (int k = 0; k < 40; k++) {
    assert_int_equal(a.step(a.self, x, &u, 0.05), DM_OK);
    assert_int_equal(b.step(b.self, y, NULL, 0.05), DM_OK);
    assert_close(y[0], -sin(x[0]), 1e-8), assert_close(y[1], -cos(x[0]), 1e-8);
    assert_close(y[2], -x[1] * cos(x[0]), 1e-7), assert_close(y[3], x[1] * sin(x[0]), 1e-7);
    assert_close(y[0] * y[0] + y[1] * y[1], 1, 1e-9);
  }
  fb_plant_free(&a), fb_plant_free(&b), cartesian_free(&rod), dm_model_free(m);
}

// the same motion is bitwise equal regardless of the plant's history
static void a_plant_has_no_memory(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  for (int kind = 0; kind < 2; kind++) {
    fb_plant p;
    if (kind == 0) assert_int_equal(fb_plant_discrete(&p, &s), DM_OK);
    if (kind == 1) p = continuous(&s, 1e-9);
    double a[] = {1, 0.2, 0.1, 0}, b[] = {1, 0.2, 0.1, 0}, other[] = {-2, 1, 3, 1};
    drive(&p, a, 1, 20, 1);
    drive(&p, other, 0.7, 9, 1);
    drive(&p, b, 1, 20, 1);
    assert_memory_equal(a, b, sizeof a);
    fb_plant_free(&p);
  }
  dm_model_free(m);
}

// and regardless of the previous constraint impulses
static void a_constrained_plant_has_no_memory(void **state) {
  (void)state;
  cartesian rod = cartesian_new();
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &rod.s), DM_OK);
  for (int i = 1; i < 20; i++) {
    // along the rod's tangent, at several angles and speeds
    const double at = 0.1 * i, speed = 0.3 * i;
    double a[] = {-sin(at), -cos(at), -speed * cos(at), speed * sin(at)}, b[4];
    double other[] = {0, -1, 7 - speed, 0};
    memcpy(b, a, sizeof a);
    drive(&p, a, 0.5, 4, 1);
    drive(&p, other, 0.7, 9, 1);
    drive(&p, b, 0.5, 4, 1);
    assert_memory_equal(a, b, sizeof a);
  }
  fb_plant_free(&p), cartesian_free(&rod);
}

static void a_step_that_fails_leaves_the_state(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  for (int kind = 0; kind < 2; kind++) {
    fb_plant p;
    if (kind == 0) assert_int_equal(fb_plant_discrete(&p, &s), DM_OK);
    if (kind == 1) p = continuous(&s, 1e-9);
    static const struct {
      double p, u;
    } bad[] = {{NAN, 0}, {INFINITY, 0}, {1e200, 0}, {0, NAN}, {0, INFINITY}};
    for (int i = 0; i < COUNT(bad); i++) {
      double x[] = {0, 1, bad[i].p, 0.1}, before[4];
      memcpy(before, x, sizeof x);
      assert_int_not_equal(p.step(p.self, x, &bad[i].u, 0.02), DM_OK);
      assert_memory_equal(x, before, sizeof x);
    }
    // and it continues to work
    double x[] = {0, 1, 0, 0.1};
    drive(&p, x, 0.1, 5, 1);
    fb_plant_free(&p);
  }
  dm_model_free(m);
}

// a tolerance of 1e-9 at each step; errors add up over 20 holds, and grow with the motion
static void it_agrees_with_cvode(void **state) {
  (void)state;
  cvode_needed();
  for (int row = 0; row < COUNT(machines); row++) {
    dm_model *m = machines[row].make();
    dm_system s = dm_system_of(m);
    fb_plant p = continuous(&s, 1e-9), other = cvode_plant(&s, false, 1e-12);
    double x[8] = {0.2, 0.9, 0.3, -0.2}, y[8];
    memcpy(y, x, sizeof x);
    drive(&p, x, 2, 20, 1);
    drive(&other, y, 2, 20, 1);
    for (int i = 0; i < 2 * m->nq; i++) assert_close(x[i], y[i], 2e-7);
    fb_plant_free(&p), fb_plant_free(&other);
    dm_model_free(m);
  }
}

static void it_agrees_with_cvode_on_constraints(void **state) {
  (void)state;
  cvode_needed();
  cartesian rod = cartesian_new();
  fb_plant p = continuous(&rod.s, 1e-9), other = cvode_plant(&rod.s, false, 1e-12);
  double x[] = {-sin(0.7), -cos(0.7), -2 * cos(0.7), 2 * sin(0.7)}, y[4];
  memcpy(y, x, sizeof x);
  for (int k = 0; k < 40; k++) {
    assert_int_equal(p.step(p.self, x, NULL, 0.05), DM_OK);
    assert_int_equal(other.step(other.self, y, NULL, 0.05), DM_OK);
    for (int i = 0; i < 4; i++) assert_close(x[i], y[i], 1e-7);
  }
  fb_plant_free(&p), fb_plant_free(&other), cartesian_free(&rod);
}

// damping of a pole with a time constant of 1e-2 to 1e-8 of a step
static void it_agrees_with_cvode_on_stiff_damping(void **state) {
  (void)state;
  cvode_needed();
  for (double decay = 1e2; decay <= 1e8; decay *= 100) {
    dm_model *m = models_cart_pole();
    dm_system s = dm_system_of(m);
    const double damping[] = {0.1, 0.075 * decay / 0.1};
    s.damping = damping;
    fb_plant p = continuous(&s, 1e-9), other = cvode_plant(&s, true, 1e-11);
    double x[4] = {0.2, 0.9, 0.3, -0.2}, y[4];
    memcpy(y, x, sizeof x);
    drive(&p, x, 1, 10, 1);
    drive(&other, y, 1, 10, 1);
    for (int i = 0; i < 4; i++) assert_close(x[i], y[i], 1e-7);
    fb_plant_free(&p), fb_plant_free(&other);
    dm_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fitted_map_is_the_motion_of_one_coordinate),
      cmocka_unit_test(the_discrete_plant_is_the_rollout),
      cmocka_unit_test(the_plants_differ_by_the_square_of_the_step),
      cmocka_unit_test(the_continuous_plant_keeps_energy),
      cmocka_unit_test(constraints_hold_on_the_continuous_plant),
      cmocka_unit_test(it_agrees_with_cvode),
      cmocka_unit_test(it_agrees_with_cvode_on_constraints),
      cmocka_unit_test(it_agrees_with_cvode_on_stiff_damping),
      cmocka_unit_test(a_plant_has_no_memory),
      cmocka_unit_test(a_constrained_plant_has_no_memory),
      cmocka_unit_test(a_step_that_fails_leaves_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
