// Inverse dynamics: its derivatives by the order of their differences, and the same from the
// derivatives of L.
#include "tests/support/inverse.h"

#include "tests/support/derivatives.h"
#include "tests/support/springs.h"

static void derivatives_are_exact(void **state) {
  (void)state;
  inverse_check(models_pendulum(), 7);
  inverse_check(models_cart_pole(), 7);
  inverse_check(models_chain(12, 0.4, 0), 7);
  for (uint64_t seed = 1; seed <= 6; seed++) {
    inverse_check(models_random_tree(9, false, seed), 7);
    inverse_check(models_random_tree(9, true, seed), 7);
  }
}

static void a_potential_adds_its_own(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    dm_model *m = models_random_tree(9, seed == 2, seed);
    dm_springs *springs = springs_of_every_kind(m);
    dm_potential V = dm_springs_potential(springs);
    inverse_check_of(m, &V, 7);
    dm_inverse *w;
    double x[3 * INVERSE_MOST] = {0};
    V.contract = NULL;
    assert_int_equal(dm_inverse_new(&w, m, &V), DM_OK);
    assert_int_equal(dm_inverse_eval(w, 1, x, x, x), DM_OK);
    assert_int_equal(dm_inverse_contract(w, 1, x), DM_OK);
    assert_int_equal(dm_inverse_contract(w, 2, x), DM_UNAVAILABLE);
    dm_inverse_free(w);
    dm_springs_free(springs), dm_model_free(m);
  }
}

// tau = L_vv a + L_vq v - L_q; and with T along (v,a): tau_q = T_vq - L_qq, tau_v = T_vv + L_vq -
// L_qv, tau_a = L_vv
static void two_formulations_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bench b;
    open_bench(&b, models_random_tree(9, seed % 2, seed), 7);
    dm_system s = dm_system_of(b.m);
    dm_continuous *c;
    dm_inverse *w;
    int n = b.n;
    double *q = b.x, *v = q + n, *a = v + n, tau[90];
    assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
    assert_int_equal(dm_inverse_new(&w, b.m, NULL), DM_OK);
    assert_int_equal(dm_inverse_dynamics(c, q, v, a, tau), DM_OK);
    assert_int_equal(b.L.contract(b.L.self, b.scratch, q, v, v, a, &b.T), DM_OK);
    assert_int_equal(dm_inverse_eval(w, 1, q, v, a), DM_OK);
    const dm_jet *L = &c->jet, *T = &b.T;
    double size = 1;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(w->tau_q[i]));
    for (int i = 0; i < n; i++) {
      assert_close(w->tau[i], tau[i], 1e-12 * size);
      for (int j = 0; j < n; j++) {
        int ij = i * n + j, ji = j * n + i;
        assert_close(w->tau_q[ij], T->L_qv[ji] - L->L_qq[ij], 1e-12 * size);
        assert_close(w->tau_v[ij], T->L_vv[ij] + L->L_qv[ji] - L->L_qv[ij], 1e-12 * size);
        assert_close(w->tau_a[ij], L->L_vv[ij], 1e-12 * size);
      }
    }
    dm_continuous_free(c), dm_inverse_free(w);
    close_bench(&b);
  }
}

// a free body with a leg: far away all is as at the origin
static void far_from_the_origin_no_digits_are_lost(void **state) {
  (void)state;
  dm_coordinate c[7];
  for (int i = 0; i < 6; i++) {
    static const char *name[] = {"x", "y", "z", "rx", "ry", "rz"};
    c[i] = models_coord(name[i], i < 3, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  }
  c[6] = models_coord("hip", false, 0, 1, 0);
  dm_body body[] = {{"trunk", -1, dm_identity, 0, 6, 5, {0.1, 0, 0}, {1, 2, 3, 0.1, 0, 0}},
                    {"leg", 0, dm_identity, 6, 1, 1, {0, 0, -0.2}, {0.1, 0.1, 0.02, 0, 0, 0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 2, .ncoord = 7, .body = body, .coord = c, .gravity = {0, 0, -9.81}});
  enum { n = 7 };
  double x[4 * n], J[3][n * n], H[2][n * n];
  uint64_t r = 7;
  dm_inverse *w;
  for (int i = 0; i < 4 * n; i++) x[i] = models_random(&r);
  assert_int_equal(dm_inverse_new(&w, m, NULL), DM_OK);
  for (int far = 0; far < 2; far++) {
    for (int i = 0; i < 3; i++) x[i] += 4096 * far;
    assert_int_equal(dm_inverse_eval(w, 1, x, x + n, x + 2 * n), DM_OK);
    assert_int_equal(dm_inverse_contract(w, 2, x + 3 * n), DM_OK);
    const double *now[] = {w->tau_q, w->tau_v, w->mu.qq, w->mu.qv};
    double *kept[] = {J[0], J[1], H[0], H[1]};
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < n * n; i++)
        if (far)
          assert_close(now[k][i], kept[k][i], 1e-10);
        else
          kept[k][i] = now[k][i];
  }
  dm_inverse_free(w), dm_model_free(m);
}

static void what_is_not_finite_is_said(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_inverse *w;
  double x[] = {0, NAN};
  assert_int_equal(dm_inverse_new(&w, m, NULL), DM_OK);
  assert_int_equal(dm_inverse_eval(w, 1, x, x, x), DM_NOT_FINITE);
  dm_inverse_free(w), dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_potential_adds_its_own),
      cmocka_unit_test(two_formulations_agree),
      cmocka_unit_test(far_from_the_origin_no_digits_are_lost),
      cmocka_unit_test(what_is_not_finite_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
