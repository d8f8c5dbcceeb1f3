// Robot files, fixed and floating: every derivative of the Lagrangian, of inverse dynamics and of a
// step at random states, by the order of the error. Run once for each URDF named on the command
// line, with the words
//   fixed   its root has no inertia of its own and cannot float
//   uneven  its inertias are so far apart that a cost of equal weights on all torques, which steps
//           of second order come from, leaves the smallest no digits
#include "tests/support/derivatives.h"

#include "tests/support/inverse.h"
#include "tests/support/robots.h"
#include "tests/support/second.h"

static const char *path;
static bool fixed, uneven;

static dm_model *read_model(bool floating) {
  robot r = read_path(path, floating);
  if (r.status != DM_OK) fail_msg("%s", r.msg.text);
  assert_ptr_equal(r.robot.mechanism.tree, r.m);           // no ball joints
  r.robot.mechanism.tree = r.robot.mechanism.model = NULL; // the model alone is kept
  drop(&r);
  return r.m;
}

static void derivatives_of_the_lagrangian_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    derivatives_check(read_model(false), seed);
    if (!fixed) derivatives_check(read_model(true), seed);
  }
}

static void derivatives_of_inverse_dynamics_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    inverse_check(read_model(false), seed);
    if (!fixed) inverse_check(read_model(true), seed);
  }
}

static void linearization_is_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    derivatives_check_step(read_model(false), 0.01, seed);
    if (!fixed) derivatives_check_step(read_model(true), 0.01, seed);
  }
}

// with every coordinate driven, an interval can be stepped, and its momenta lead to its end again,
// to the digits that the condition number leaves
static void second_order_steps_land(void **state) {
  (void)state;
  enum { MOST = 40, FLOATING = 2, RULES = 2 };
  static const char *const rules[RULES] = {"taylor", "hermite-gauss"};
  if (uneven) return; // no bound on the digits is known
  for (int k = 0; k < FLOATING * RULES; k++) {
    if (fixed && k % FLOATING) continue;
    dm_model *m = read_model(k % FLOATING);
    double W[MOST], X0[2 * MOST], X1[2 * MOST], X[2 * MOST], P[2 * MOST], h = 0.01;
    uint64_t r = 3;
    int n = m->nq;
    assert_true(n <= MOST);
    for (int i = 0; i < n; i++) {
      W[i] = 1;
      X0[i] = models_random(&r), X0[n + i] = models_random(&r);
      X[i] = X1[i] = X0[i] + h * X0[n + i];
      X[n + i] = X0[n + i], X1[n + i] = X0[n + i] + h * models_random(&r);
    }
    dm_torque_cost *e;
    assert_int_equal(dm_torque_cost_new(&e, m, NULL, NULL, W), DM_OK);
    dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
    dm_second_order *w = second_of(&C, rules[k / FLOATING]);
    dm_second_order_info info;
    dm_message msg = {""};
    if (dm_second_order_check(w, X0, X1, h, &msg) != DM_OK) fail_msg("%s", msg.text);
    assert_int_equal(dm_second_order_eval(w, 1, X0, X1, h), DM_OK);
    for (int i = 0; i < 2 * n; i++) P[i] = -w->D0[i];
    assert_int_equal(dm_second_order_step(w, X0, P, h, X, P, &info), DM_OK);
    for (int i = 0; i < 2 * n; i++)
      assert_close(X[i], X1[i], 2 * n * 2.3e-16 * info.condition / (i < n ? 1 : h));
    dm_second_order_free(w), dm_torque_cost_free(e), dm_model_free(m);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  path = argv[1];
  for (int i = 2; i < argc; i++) {
    fixed = fixed || !strcmp(argv[i], "fixed");
    uneven = uneven || !strcmp(argv[i], "uneven");
  }
  if (access(path, R_OK)) {
    printf("skipped: no %s here\n", path);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_the_lagrangian_are_exact),
      cmocka_unit_test(derivatives_of_inverse_dynamics_are_exact),
      cmocka_unit_test(linearization_is_exact),
      cmocka_unit_test(second_order_steps_land),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
