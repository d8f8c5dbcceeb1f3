// The flow of second order: of splines it stays on a cubic, and momenta of coordinates on which
// nothing depends are kept; a coordinate that the cost depends on is not called cyclic.
#include "tests/support/second.h"

// C = a.a/2 + q_1^2/2: of two coordinates, the first cyclic
static dm_status eval_spring(const dm_second_order_lagrangian *C, int order, const double *x,
                             double *value, double *C_x, double *C_xx) {
  const int size = 3 * C->n;
  *value = 0;
  for (int i = 0; i < size; i++) {
    double weight = i == 1 || i >= 2 * C->n ? 1 : 0;
    *value += weight * x[i] * x[i] / 2;
    if (order >= 1) C_x[i] = weight * x[i];
    for (int j = 0; order >= 2 && j < size; j++) C_xx[i * size + j] = i == j ? weight : 0;
  }
  return DM_OK;
}

typedef struct witness {
  int steps, ends;
  double h, off; // from the cubic
} witness;

static const double q[] = {0.5, -1}, v[] = {1, 0.2}, a[] = {-2, 0.3}, jerk[] = {3, -1};

static double cubic(int i, double t) {
  return q[i] + t * (v[i] + t * (a[i] / 2 + t * jerk[i] / 6));
}

static dm_status see(void *user, const dm_flow *w, bool end) {
  witness *by = user;
  if (end)
    by->ends++;
  else
    assert_int_equal(w->k, by->steps++);
  for (int i = 0; i < 2; i++) {
    by->off = fmax(by->off, fabs(w->X0[i] - cubic(i, w->k * by->h)));
    by->off = fmax(by->off, fabs(w->X1[i] - cubic(i, (w->k + 1) * by->h)));
  }
  return DM_OK;
}

static dm_flow *flow_of(dm_second_order *L, witness *by, int steps, double h) {
  dm_flow_settings set = {.steps = steps, .h = h, .knot = see, .user = by};
  dm_flow *w;
  by->h = h;
  assert_int_equal(dm_flow_new(&w, L, &set), DM_OK);
  dm_flow_taylor(2, 2, h, q, v, a, jerk, w->X0, w->X1);
  return w;
}

static void splines_stay_on_their_cubic(void **state) {
  (void)state;
  dm_second_order_lagrangian C = dm_second_order_spline(2, 2);
  dm_second_order *L = second_of(&C, "hermite-lobatto");
  witness by = {0};
  dm_flow *w = flow_of(L, &by, 50, 0.05);
  assert_int_equal(dm_flow_run(w, NULL), DM_OK);
  assert_int_equal(by.steps, 50);
  assert_int_equal(by.ends, 1);
  assert_int_equal(w->k, 49);
  assert_true(by.off < 1e-8);

  // nothing depends on place: both momenta, -jerk, are kept
  for (int i = 0; i < 2; i++) {
    assert_true(w->cyclic[i]);
    assert_close(w->P[i], -jerk[i], 1e-7);
    assert_true(dm_flow_drift(w, i) < 1e-8);
  }
  dm_flow_free(w);
  dm_second_order_free(L);
}

static void what_the_cost_depends_on_is_not_cyclic(void **state) {
  (void)state;
  dm_second_order_lagrangian C = {.n = 2, .k = 2, .eval = eval_spring};
  dm_second_order *L = second_of(&C, "taylor");
  witness by = {0};
  dm_flow *w = flow_of(L, &by, 40, 0.05);
  assert_int_equal(dm_flow_run(w, NULL), DM_OK);
  assert_true(w->cyclic[0] && !w->cyclic[1]);
  assert_true(dm_flow_drift(w, 0) < 1e-8);
  assert_true(dm_flow_drift(w, 1) > 0.1);
  dm_flow_free(w);
  dm_second_order_free(L);
}

static bool never(void *user) {
  (void)user;
  return false;
}

static void a_flow_that_is_told_to_ends(void **state) {
  (void)state;
  dm_second_order_lagrangian C = dm_second_order_spline(2, 2);
  dm_second_order *L = second_of(&C, "taylor");
  witness by = {0};
  dm_flow *w = flow_of(L, &by, 50, 0.05);
  w->set.proceed = never;
  assert_int_equal(dm_flow_run(w, NULL), DM_INTERRUPTED);
  assert_int_equal(w->k, 0);
  assert_int_equal(by.ends, 1);
  dm_flow_free(w);
  dm_second_order_free(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_stay_on_their_cubic),
      cmocka_unit_test(what_the_cost_depends_on_is_not_cyclic),
      cmocka_unit_test(a_flow_that_is_told_to_ends),
  };
  return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
