// Steps of order 4 and 6, of trees and under constraints, and the energy-momentum method.
#include "lib/base/dense.h"
#include "tests/support/ball.h"
#include "tests/support/cartesian.h"
#include "tests/support/derivatives.h"
#include "tests/support/spherical.h"

// N steps in time T from (q,p)
static void roll(const dm_system *s, int order, const dm_del_settings *set, double T, int N,
                 const double *u, double *q, double *p) {
  dm_composition *w;
  dm_del_info info;
  dm_message msg = {""};
  double q1[12];
  size_t bytes = (size_t)s->L.nq * sizeof *q;
  if (dm_composition_new(&w, s, order, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  memcpy(q1, q, bytes);
  for (int k = 0; k < N; k++) {
    assert_int_equal(dm_composition_step(w, q, p, u, T / N, q1, p, &info), DM_OK);
    memcpy(q, q1, bytes);
  }
  dm_composition_free(w);
}

// the error at T from N and 2 N steps, compared with 16 N of order 6: halving the step divides it by
// 2^order
static void check_order(const char *what, const dm_system *s, double T, int N, const double *u,
                        const double *q, const double *p) {
  const int n = s->L.nq;
  for (const dm_composition_method *of = dm_composition_methods; of->order; of++) {
    double q1[3][12], p1[12], error[2];
    for (int i = 0; i < 3; i++) {
      memcpy(q1[i], q, (size_t)n * sizeof *q), memcpy(p1, p, (size_t)n * sizeof *p);
      roll(s, i < 2 ? of->order : 6, NULL, T, i < 2 ? N << i : 16 * N, u, q1[i], p1);
    }
    for (int i = 0; i < 2; i++) {
      error[i] = 0;
      for (int j = 0; j < n; j++) error[i] = fmax(error[i], fabs(q1[i][j] - q1[2][j]));
    }
    double slope = log2(error[0] / error[1]);
    print_message("%s, order %d: error %.3g, %.3g, slope %.3f\n", what, of->order, error[0],
                  error[1], slope);
    if (!(fabs(slope - of->order) < 0.2)) fail_msg("%s, order %d: %g", what, of->order, slope);
  }
}

static void trees_converge_with_their_order(void **state) {
  (void)state;
  const double q[] = {0, 1}, p[] = {0.1, 0.2}, u[] = {1.5};
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  check_order("cart-pole, input held", &s, 1, 12, u, q, p);
  assert_int_equal(dm_rule_set(&s.rule, "trapezoid", 0.5, "midpoint", NULL), DM_OK);
  check_order("trapezoid", &s, 1, 12, u, q, p);
  s.damping = (double[]){0.5, 0.1};
  check_order("damped", &s, 1, 12, u, q, p);
  dm_model_free(m);
}

static void constrained_steps_converge_with_their_order(void **state) {
  (void)state;
  spherical w = spherical_new();
  check_order("double spherical pendulum", &w.s, 1, 24, NULL, w.q, w.p);
  w.s.nu = 2, w.s.input_coord = (int[]){0, 4}; // forces held
  check_order("pushed", &w.s, 1, 24, (double[]){2, -1}, w.q, w.p);
  spherical_free(&w);
}

// two links at ball joints, damped, with a torque
static void ball_joints_converge_with_their_order(void **state) {
  (void)state;
  dm_coordinate c[] = {BALL("a"), BALL("b")};
  dm_body b[] = {{"a", -1, dm_identity, 0, 3, 1, {0.1, 0, -0.5}, {1, 2, 2.5}},
                 {"b",
                  0,
                  dm_pose_rpy((double[3]){0}, (double[]){0, 0, -1}),
                  3,
                  3,
                  1,
                  {0, 0.1, -0.5},
                  {0.5, 0.6, 0.2}}};
  dm_input u[] = {models_input("b.ry", 5)};
  for (int i = 0; i < 6; i++) c[i].damping = 0.1;
  const dm_tree t = {.nbody = 2,
                     .ncoord = 6,
                     .ninput = 1,
                     .body = b,
                     .coord = c,
                     .input = u,
                     .gravity = {0, 0, -9.81}};
  const double q[] = {0.8, 0.6, 0, 0, -0.6, 0, 0, 0.8}, p[] = {0, 0, 2, 1, 0, 1, -1, 0},
               torque = 0.7;
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 0, NULL);
  check_order("ball joints", &w.s, 1, 16, &torque, q, p);
  assert_int_equal(dm_rule_set(&w.s.rule, "trapezoid", 0.5, "midpoint", NULL), DM_OK);
  check_order("ball joints, trapezoid", &w.s, 1, 16, &torque, q, p);
  ball_free(&w);
}

// q, and p except for the impulses of constraints: F_-h F_h = 1
static void a_step_back_undoes_a_step(void **state) {
  (void)state;
  for (const dm_composition_method *of = dm_composition_methods; of->order; of++) {
    spherical w = spherical_new();
    double q[6], p[6];
    memcpy(q, w.q, sizeof q), memcpy(p, w.p, sizeof p);
    roll(&w.s, of->order, NULL, 0.4, 5, NULL, q, p);
    roll(&w.s, of->order, NULL, -0.4, 5, NULL, q, p);
    dm_continuous *c;
    double v[6] = {0}, v0[6] = {0};
    assert_int_equal(dm_continuous_new(&c, &w.s), DM_OK);
    assert_int_equal(dm_velocity_of(c, q, p, v), DM_OK);
    assert_int_equal(dm_velocity_restrict(c, q, v), DM_OK);
    assert_int_equal(dm_velocity_of(c, w.q, w.p, v0), DM_OK);
    for (int i = 0; i < 6; i++) {
      assert_close(q[i], w.q[i], 1e-11);
      assert_close(v[i], v0[i], 1e-11);
    }
    dm_continuous_free(c);
    spherical_free(&w);
  }
}

// the moment about the vertical to rounding, and constraints
static void momenta_stay(void **state) {
  (void)state;
  for (const dm_composition_method *of = dm_composition_methods; of->order; of++) {
    spherical w = spherical_new();
    double before = spherical_turning(w.q, w.p);
    assert_close(before, 2.4112835, 5e-8);
    roll(&w.s, of->order, NULL, 5, 100, NULL, w.q, w.p);
    assert_close(spherical_turning(w.q, w.p), before, 2e-12);
    for (int i = 0; i < 6; i += 3) assert_close(dm_inner(3, w.q + i, w.q + i), 1, 1e-12);
    spherical_free(&w);
  }
}

// the sum of the parts' impulses is the support's impulse of a body at rest, m g h
static void impulses_add_up(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  double weight[3];
  for (int i = 0; i < 3; i++) {
    dm_composition *c;
    dm_del_info info;
    double q[] = {0, -1}, p[] = {0, 0}, q1[] = {0, -1};
    assert_int_equal(dm_composition_new(&c, &w.s, 2 * i + 2, NULL, NULL), DM_OK);
    for (int k = 0; k < 3; k++) // the first step carries half of it
      assert_int_equal(dm_composition_step(c, q, p, NULL, 0.1, q1, p, &info), DM_OK);
    dm_composition_impulse(c, &weight[i]);
    dm_composition_free(c);
    assert_close(weight[i], weight[0], 1e-13);
  }
  assert_close(fabs(weight[0]) * 2, 9.8 * 0.1, 1e-13); // D(|q|^2) is 2 long
  cartesian_free(&w);
}

static double energy(const spherical *w, const double *q, const double *p) {
  double v1[3], v2[3];
  for (int i = 0; i < 3; i++) v2[i] = p[3 + i], v1[i] = p[i] - p[3 + i], v2[i] -= v1[i];
  double T = 0;
  for (int i = 0; i < 3; i++) T += v1[i] * v1[i] / 2 + (v1[i] + v2[i]) * (v1[i] + v2[i]) / 2;
  (void)w;
  return T + 9.81 * (2 * q[2] + q[5]);
}

// errors, energies and moments of both methods, as an independent program has them
static void beside_the_energy_momentum_method(void **state) {
  (void)state;
  const double exact[] = {-.09424023, .04173425, -.99467433, .24692129, .79613331, -.55245057};
  const double measured[2][2] = {{4.523e-2, 1.106e-2}, {8.542e-2, 2.196e-2}};
  for (int em = 0; em < 2; em++)
    for (int i = 0; i < 2; i++) {
      spherical w = spherical_new();
      dm_del_settings set = dm_del_default();
      set.energy_momentum = em;
      double E = energy(&w, w.q, w.p), J = spherical_turning(w.q, w.p), error = 0;
      assert_close(E, -20.2777776, 5e-8);
      roll(&w.s, 2, &set, 5, 100 << i, NULL, w.q, w.p);
      for (int j = 0; j < 6; j++) error += (w.q[j] - exact[j]) * (w.q[j] - exact[j]);
      assert_close(sqrt(error) / measured[em][i], 1, 5e-4);
      assert_close(spherical_turning(w.q, w.p), J, 1e-12);
      if (em) assert_close(energy(&w, w.q, w.p), E, 3e-12);
      spherical_free(&w);
    }
}

// the energy-momentum method also keeps the energy of other quadratic systems
static void quadratic_systems_keep_their_energy(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_spring spring = {.tendon = {.name = "spring", .npoint = 2, .body = (int[]){0, -1}},
                      .law = dm_spring_law_linear(3, 0)};
  double point[2][3] = {{0, 0, 0}, {0.4, 0, 0.3}};
  spring.tendon.point = (const double(*)[3])point;
  dm_springs *springs;
  assert_int_equal(dm_springs_new(&springs, w.m, 1, &spring, NULL), DM_OK);
  w.s.L = dm_springs_lagrangian(springs);
  dm_continuous *c;
  dm_del_settings set = dm_del_default();
  set.energy_momentum = true;
  double q[] = {0.6, -0.8}, p[] = {0.8, 0.6}, E[2];
  assert_int_equal(dm_continuous_new(&c, &w.s), DM_OK);
  assert_int_equal(dm_energy(c, q, p, &E[0]), DM_OK);
  roll(&w.s, 2, &set, 100, 1000, NULL, q, p);
  assert_close(dm_inner(2, q, q), 1, 1e-11);
  assert_int_equal(dm_energy(c, q, p, &E[1]), DM_OK);
  assert_close(E[1], E[0], 1e-11);
  dm_continuous_free(c), dm_springs_free(springs);
  cartesian_free(&w);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  dm_message msg = {""};
  dm_composition *w = NULL;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  const struct {
    int order;
    double alpha;
    const char *force, *says;
  } rows[] = {{3, 0.5, "midpoint", "order 3"},
              {8, 0.5, "midpoint", "order 8"},
              {4, 0.4, "midpoint", "not symmetric"},
              {4, 0.5, "left", "not symmetric"}};
  for (int i = 0; i < COUNT(rows); i++) {
    assert_int_equal(dm_rule_set(&s.rule, "midpoint", rows[i].alpha, rows[i].force, NULL), DM_OK);
    assert_int_equal(dm_composition_new(&w, &s, rows[i].order, NULL, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i].says)) fail_msg("%s", msg.text);
  }
  dm_del_settings set = dm_del_default();
  set.energy_momentum = true;
  assert_int_equal(dm_rule_set(&s.rule, "midpoint", 0.5, "midpoint", NULL), DM_OK);
  assert_int_equal(dm_composition_new(&w, &s, 4, &set, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "energy-momentum"));
  assert_int_equal(dm_rule_set(&s.rule, "lobatto-3", 0.5, "midpoint", NULL), DM_OK);
  assert_int_equal(dm_composition_new(&w, &s, 2, &set, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "nodes within the step"));
  assert_int_equal(dm_rule_set(&s.rule, "midpoint", 0.5, "left", NULL), DM_OK);
  // without a force it does not matter where forces act
  s.nu = 0, s.damping = NULL;
  assert_int_equal(dm_composition_new(&w, &s, 4, NULL, &msg), DM_OK);
  dm_composition_free(w);
  dm_model_free(m);
}

// a part that fails leaves all as it was
static void failures_leave_outputs_untouched(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_composition *w;
  dm_del_info info;
  double q = 0, p = NAN, u = 0, q1 = 7, p1 = 8;
  assert_int_equal(dm_composition_new(&w, &s, 4, NULL, NULL), DM_OK);
  assert_true(dm_composition_step(w, &q, &p, &u, 0.1, &q1, &p1, &info) < 0);
  assert_true(q1 == 7 && p1 == 8);
  dm_composition_free(w);
  // or q1 as the first part's iterations, too few of them, left it
  dm_del_settings set = dm_del_default();
  double at = 0.3, none;
  set.max_iter = 1;
  q = 0.3, p = 2, q1 = 0.3;
  assert_int_equal(dm_composition_new(&w, &s, 4, &set, NULL), DM_OK);
  assert_int_equal(dm_composition_step(w, &q, &p, &u, 0.5, &q1, &p1, &info), DM_MAX_ITER);
  assert_int_equal(dm_del_step(w->del, &q, &p, &u, w->g[0] * 0.5, &at, &none, &info), DM_MAX_ITER);
  assert_true(q1 == at && q1 != q && p1 == 8);
  dm_composition_free(w);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_converge_with_their_order),
      cmocka_unit_test(constrained_steps_converge_with_their_order),
      cmocka_unit_test(ball_joints_converge_with_their_order),
      cmocka_unit_test(a_step_back_undoes_a_step),
      cmocka_unit_test(momenta_stay),
      cmocka_unit_test(impulses_add_up),
      cmocka_unit_test(beside_the_energy_momentum_method),
      cmocka_unit_test(quadratic_systems_keep_their_energy),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(failures_leave_outputs_untouched),
  };
  return cmocka_run_group_tests_name("composite", tests, NULL, NULL);
}
