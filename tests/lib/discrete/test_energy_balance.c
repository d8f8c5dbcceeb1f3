// The balance of energy of discrete motions: its order, and what breaks it.
#include "lib/discrete/energy_balance.h"

#include "tests/support/models.h"

// a damped pendulum under a torque that is a smooth function of time, with steps that grow threefold
static dm_energy_balance balance(int N, double grow) {
  dm_model *m = models_pendulum();
  m->damping[0] = 0.3;
  dm_system s = dm_system_of(m);
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  dm_energy_balance b;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, N, &s), DM_OK);
  x->h = 2.0 / N, x->q[0] = 0.5;
  for (int k = 0; k <= N; k++) x->grid[k] = k * (1 - grow) + grow * k * k / N;
  for (int k = 0; k < N; k++) x->u[k] = 3 * cos(2 * dm_trajectory_within(x, k, 0.5));
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(dm_energy_balance_measure(x, &s, &b), DM_OK);
  dm_del_free(del);
  dm_trajectory_free(x);
  dm_model_free(m);
  return b;
}

// with equal steps the residual of a knot falls with h^3, their sum with h^2
static void the_residual_has_order_three(void **state) {
  (void)state;
  dm_energy_balance b[3];
  for (int i = 0; i < 3; i++) b[i] = balance(100 << i, 0);
  assert_true(b[0].most < 1e-2 * b[0].size);
  for (int i = 0; i < 2; i++) {
    const double order = log2(b[i].most / b[i + 1].most), all = log2(fabs(b[i].sum / b[i + 1].sum));
    assert_true(order > 2.8 && order < 3.2 && all > 1.8 && all < 2.2);
  }
}

// and also where the steps change smoothly
static void it_has_it_on_graded_grids(void **state) {
  (void)state;
  dm_energy_balance b[3];
  for (int i = 0; i < 3; i++) b[i] = balance(100 << i, 0.5);
  for (int i = 0; i < 2; i++) assert_true(log2(b[i].most / b[i + 1].most) > 2.5);
}

// a mass under a constant force: the discrete energy changes by exactly the work
static void a_constant_force_is_balanced(void **state) {
  (void)state;
  enum { N = 10 };
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1.5, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  dm_model *m = models_make(&(dm_tree){
      .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u, .gravity = {0}});
  dm_system s = dm_system_of(m);
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  dm_energy_balance e;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, N, &s), DM_OK);
  x->h = 0.1;
  for (int k = 0; k < N; k++) x->u[k] = 2;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(dm_energy_balance_measure(x, &s, &e), DM_OK);
  assert_true(e.most <= 1e-13 * e.size);

  // a step that is three times as long as the others breaks it
  x->grid[5] = 4.5, x->grid[6] = 7;
  for (int k = 7; k < N; k++) x->grid[k] = 7 + (k - 6) * 0.75;
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(dm_energy_balance_measure(x, &s, &e), DM_OK);
  assert_true(e.most > 1e-3 * e.size);
  assert_true(e.knot == 5 || e.knot == 6);
  dm_del_free(del);
  dm_trajectory_free(x);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_residual_has_order_three),
      cmocka_unit_test(it_has_it_on_graded_grids),
      cmocka_unit_test(a_constant_force_is_balanced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
